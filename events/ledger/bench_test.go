package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// eventSize is the size of a common review.
const eventSize = 700

// BenchmarkAppend appends batches that are staged on disk and in memory.
func BenchmarkAppend(b *testing.B) {
	for _, where := range []struct {
		name string
		open func(b *testing.B) *ledger.Ledger
	}{
		{"disk", func(b *testing.B) *ledger.Ledger { return ledgertest.New(b) }},
		{"memory", func(b *testing.B) *ledger.Ledger { return ledgertest.Staged(b, b.TempDir()) }},
	} {
		for _, n := range []int{1, 2, 4, 8, 16, 32, 100, 1000} {
			b.Run(fmt.Sprintf("staged=%s/batch=%d", where.name, n), func(b *testing.B) {
				l := where.open(b)
				batch := messages(n, eventSize)
				var head uint64
				for b.Loop() {
					last, err := l.Append(b.Context(), head, batch)
					if err != nil {
						b.Fatal(err)
					}
					head = last
				}
				b.ReportMetric(float64(head)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// BenchmarkReject keeps events among the rejected, so many at once.
func BenchmarkReject(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("batch=%d", n), func(b *testing.B) {
			l := ledgertest.New(b)
			list := make([]ledger.Rejected, n)
			for i := range list {
				list[i] = ledger.Rejected{Publisher: "local", Raw: make([]byte, eventSize)}
			}
			for b.Loop() {
				if _, err := l.RejectAll(b.Context(), list); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// benchLedger holds enough events for a reader to find its pace.
func benchLedger(b *testing.B) (*ledger.Ledger, uint64) {
	b.Helper()
	l := ledgertest.New(b)
	batch := messages(ledger.MaxBatch, eventSize)
	var head uint64
	for head < 100_000 {
		last, err := l.Append(b.Context(), head, batch)
		if err != nil {
			b.Fatal(err)
		}
		head = last
	}
	return l, head
}

func BenchmarkRead(b *testing.B) {
	l, head := benchLedger(b)
	for b.Loop() {
		if err := l.Read(b.Context(), 1, head, func(uint64, []byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(head)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkFollow(b *testing.B) {
	l, head := benchLedger(b)
	done := errors.New("done")
	for b.Loop() {
		err := l.Follow(b.Context(), 1, func(batch []ledger.Entry) error {
			if batch[len(batch)-1].Seq == head {
				return done
			}
			return nil
		})
		if !errors.Is(err, done) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(head)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkFollowLatency measures from the acknowledgement of a lone event to
// its arrival at a follower.
func BenchmarkFollowLatency(b *testing.B) {
	l := ledgertest.New(b)
	ctx, cancel := context.WithCancel(b.Context())
	arrived, ended := make(chan time.Time), make(chan error)
	go func() {
		ended <- l.Follow(ctx, 1, func([]ledger.Entry) error {
			arrived <- time.Now()
			return nil
		})
	}()
	event := messages(1, eventSize)
	var head uint64
	var late time.Duration
	for b.Loop() {
		last, err := l.Append(b.Context(), head, event)
		if err != nil {
			b.Fatal(err)
		}
		acknowledged := time.Now()
		late += max(0, (<-arrived).Sub(acknowledged))
		head = last
	}
	b.ReportMetric(float64(late.Microseconds())/float64(b.N), "µs-late")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		b.Error(err)
	}
}
