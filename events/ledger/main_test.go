package ledger_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

func TestMain(m *testing.M) { ledgertest.Main(m) }

// waitLimit is how long a test waits for what must come.
const waitLimit = 20 * time.Second

// messages are n events of the given size, each with bytes of its own.
func messages(n, size int) []ledger.Message {
	batch := make([]ledger.Message, n)
	for i := range batch {
		data := fmt.Appendf(make([]byte, 0, size), `{"n":%d,"pad":"`, i)
		for len(data) < size-2 {
			data = append(data, 'x')
		}
		batch[i] = ledger.Message{
			Subject: fmt.Sprintf("shiplog.ledger.review.tool-%d.builder", i),
			Data:    append(data, `"}`...),
		}
	}
	return batch
}

// fill appends n events and returns the head.
func fill(tb testing.TB, l *ledger.Ledger, n int) uint64 {
	tb.Helper()
	head, err := l.Head(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	for n > 0 {
		count := min(n, ledger.MaxBatch)
		if head, err = l.Append(tb.Context(), head, messages(count, 200)); err != nil {
			tb.Fatal(err)
		}
		n -= count
	}
	return head
}

// eventually waits until the condition holds.
func eventually(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), waitLimit)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			tb.Fatalf("%s: not within %s", what, waitLimit)
		}
	}
}
