package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// expectStored compares what is stored after a sequence with what was appended.
func expectStored(t *testing.T, l *ledger.Ledger, after uint64, batch []ledger.Message) {
	t.Helper()
	i := 0
	err := l.Read(t.Context(), after+1, after+uint64(len(batch)), func(seq uint64, raw []byte) error {
		if seq != after+1+uint64(i) || !bytes.Equal(raw, batch[i].Data) {
			return fmt.Errorf("event %d is not message %d", seq, i)
		}
		i++
		return nil
	})
	if err != nil || i != len(batch) {
		t.Fatalf("read %d of %d events: %v", i, len(batch), err)
	}
}

func TestAppend(t *testing.T) {
	l := ledgertest.New(t)
	var head uint64
	for _, size := range []struct{ n, bytes int }{
		{1, 700}, {2, 700}, {1, 300 << 10}, {3, 256 << 10}, {1000, 700}, {28, 300 << 10}, {1, 10},
	} {
		batch := messages(size.n, size.bytes)
		last, err := l.Append(t.Context(), head, batch)
		if err != nil {
			t.Fatalf("%d events of %d bytes: %v", size.n, size.bytes, err)
		}
		if last != head+uint64(size.n) {
			t.Fatalf("last is %d, want %d", last, head+uint64(size.n))
		}
		expectStored(t, l, head, batch)
		head = last
	}
}

func TestAppendRefusesBadBatches(t *testing.T) {
	l := ledgertest.New(t)
	for _, batch := range [][]ledger.Message{nil, messages(ledger.MaxBatch+1, 10), messages(1, ledger.MaxMessage+1), messages(2, ledger.MaxMessage+1)} {
		_, err := l.Append(t.Context(), 0, batch)
		if err == nil || errors.Is(err, ledger.ErrUnknown) || errors.Is(err, ledger.ErrWrongHead) {
			t.Errorf("%d events: got error %v, want one that is for good", len(batch), err)
		}
	}
	if head, err := l.Head(t.Context()); err != nil || head != 0 {
		t.Errorf("head is %d (%v), want 0", head, err)
	}
}

func TestAppendAtWrongHead(t *testing.T) {
	l := ledgertest.New(t)
	head := fill(t, l, 5)
	for _, n := range []int{1, 2, 100} {
		for _, wrong := range []uint64{0, head - 1, head + 1} {
			_, err := l.Append(t.Context(), wrong, messages(n, 100))
			if !errors.Is(err, ledger.ErrWrongHead) {
				t.Errorf("%d events after %d: got error %v, want %v", n, wrong, err, ledger.ErrWrongHead)
			}
		}
	}
	if got, err := l.Head(t.Context()); err != nil || got != head {
		t.Errorf("head is %d (%v), want %d", got, err, head)
	}
}

func TestAppendRace(t *testing.T) {
	s := ledgertest.NewServer(t)
	const rounds = 30
	ledgers := []*ledger.Ledger{
		ledgertest.Open(t, ledgertest.Connect(t, s)),
		ledgertest.Open(t, ledgertest.Connect(t, s)),
	}
	var head uint64
	for round := range rounds {
		// Lone events and batches meet each other in every combination.
		sizes := []int{1 + round%2*9, 1 + round/2%2*19}
		errs := make([]error, len(ledgers))
		start := make(chan struct{})
		var wg sync.WaitGroup
		for i, l := range ledgers {
			wg.Go(func() {
				<-start
				_, errs[i] = l.Append(t.Context(), head, messages(sizes[i], 100))
			})
		}
		close(start)
		wg.Wait()
		winner := 0
		if errs[0] != nil {
			winner = 1
		}
		if errs[winner] != nil || !errors.Is(errs[1-winner], ledger.ErrWrongHead) {
			t.Fatalf("round %d: got errors %v, want exactly one winner", round, errs)
		}
		head += uint64(sizes[winner])
		if got, err := ledgers[0].Head(t.Context()); err != nil || got != head {
			t.Fatalf("round %d: head is %d (%v), want %d", round, got, err, head)
		}
	}
}

func TestAppendToFullLedger(t *testing.T) {
	nc := ledgertest.Connect(t, ledgertest.NewServer(t))
	l, err := ledger.Open(t.Context(), nc, ledger.Options{Create: true, MaxBytes: streamBytes})
	if err != nil {
		t.Fatal(err)
	}
	// 13 of these fit, the 14th does not.
	head, err := l.Append(t.Context(), 0, messages(10, 300<<10))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{20, 5} {
		if _, err := l.Append(t.Context(), head, messages(n, 300<<10)); !errors.Is(err, ledger.ErrFull) {
			t.Errorf("%d events: got error %v, want %v", n, err, ledger.ErrFull)
		}
	}
	if got, err := l.Head(t.Context()); err != nil || got != head {
		t.Fatalf("head is %d (%v) after batches that did not fit, want %d", got, err, head)
	}
	for err == nil {
		head, err = l.Append(t.Context(), head, messages(1, 300<<10))
	}
	if !errors.Is(err, ledger.ErrFull) {
		t.Errorf("got error %v, want %v", err, ledger.ErrFull)
	}
	info, err := l.Info(t.Context())
	if err != nil || info.First != 1 || info.Last != 13 || info.Messages != 13 {
		t.Errorf("after the ledger was full: %+v (%v), want events 1 to 13", info, err)
	}
	l, err = ledger.Open(t.Context(), nc, ledger.Options{Create: true, MaxBytes: 2 * streamBytes})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), 13, messages(1, 300<<10)); err != nil {
		t.Errorf("after max bytes were raised: %v", err)
	}
}

func TestAppendWithoutServerIsUnknown(t *testing.T) {
	external := ledgertest.NewExternal(t)
	l := ledgertest.Open(t, external.Connect())
	head := fill(t, l, 3)
	external.Stop()
	for _, n := range []int{1, 10} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if _, err := l.Append(ctx, head, messages(n, 100)); !errors.Is(err, ledger.ErrUnknown) {
			t.Errorf("%d events: got error %v, want %v", n, err, ledger.ErrUnknown)
		}
		cancel()
	}
	external.Start()
	eventually(t, "append after the server is back", func() bool {
		last, err := l.Append(t.Context(), head, messages(2, 100))
		if err == nil && last != head+2 {
			t.Fatalf("last is %d, want %d: something was sent late", last, head+2)
		}
		return err == nil
	})
}

func TestAppendWithoutStreamIsUnknown(t *testing.T) {
	l := ledgertest.New(t)
	if err := jetStream(t, l).DeleteStream(t.Context(), ledger.Stream); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 10} {
		if _, err := l.Append(t.Context(), 0, messages(n, 100)); !errors.Is(err, ledger.ErrUnknown) {
			t.Errorf("%d events: got error %v, want %v", n, err, ledger.ErrUnknown)
		}
	}
}

func TestAppendWithCancelledContextIsUnknown(t *testing.T) {
	l := ledgertest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, n := range []int{1, 10} {
		_, err := l.Append(ctx, 0, messages(n, 100))
		if !errors.Is(err, ledger.ErrUnknown) || !errors.Is(err, context.Canceled) {
			t.Errorf("%d events: got error %v, want %v", n, err, ledger.ErrUnknown)
		}
	}
}

// An acknowledgement of another stream, to which subjects are mapped and whose
// sequences fit, is none.
func TestAppendElsewhere(t *testing.T) {
	for _, n := range []int{1, 3} {
		server := ledgertest.NewExternal(t)
		l := ledgertest.Open(t, server.Connect())
		head := fill(t, l, 4)
		_, err := jetStream(t, l).CreateStream(t.Context(), jetstream.StreamConfig{
			Name: "ELSEWHERE", Subjects: []string{"elsewhere.>"}, FirstSeq: head + 1, AllowAtomicPublish: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		server.Map("shiplog.ledger.>", "elsewhere.>")
		if last, err := l.Append(t.Context(), head, messages(n, 100)); !errors.Is(err, ledger.ErrUnknown) || !strings.Contains(err.Error(), "ELSEWHERE") {
			t.Errorf("%d events that went elsewhere: recorded as %d, %v", n, last, err)
		}
		if now, err := l.Head(t.Context()); err != nil || now != head {
			t.Errorf("the head is %d (%v), want %d", now, err, head)
		}
	}
}
