package projections_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/projectionstest"
)

// BenchmarkReplay builds an empty model from 200,000 reviews of 600 bytes, of
// 10,000 tools by 100 reviewers, decoding included.
func BenchmarkReplay(b *testing.B) {
	const tools, reviewers, reviews = 10_000, 100, 200_000
	random := rand.New(rand.NewPCG(1, 2))
	l := projectionstest.Given(b)
	for i := range reviewers {
		l.Append(&events.ReviewerSeated{Reviewer: fmt.Sprintf("reviewer-%d", i), Name: fmt.Sprintf("Reviewer %d", i)})
	}
	for i := range tools {
		l.Append(&events.ToolRegistered{Tool: fmt.Sprintf("tool-%d", i), Name: fmt.Sprintf("Tool %d", i), Category: fmt.Sprintf("category-%d", i%50)})
	}
	type pair struct{ tool, reviewer int }
	revision := make(map[pair]int64)
	verdicts := []string{"ship", "ship", "skip", "abstain"}
	for i := range reviews {
		p := pair{random.IntN(tools), random.IntN(reviewers)}
		r := events.Review{
			Tool: fmt.Sprintf("tool-%d", p.tool), Reviewer: fmt.Sprintf("reviewer-%d", p.reviewer),
			Verdict: verdicts[random.IntN(4)], Body: fmt.Sprint(i, strings.Repeat(" lorem ipsum", 49)),
		}
		revision[p]++
		if revision[p] == 1 {
			l.Append(&events.ReviewSubmitted{Review: r})
		} else {
			l.Append(&events.ReviewRevised{Review: r, Revision: revision[p], Replaces: 1})
		}
	}
	head, _ := l.Head(b.Context())
	before := processorTime(b)
	b.ResetTimer()
	for range b.N {
		m, err := projections.Open(b.TempDir(), projections.Options{})
		if err != nil {
			b.Fatal(err)
		}
		replay(b, l, m, head)
		b.StopTimer()
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/1000/float64(head)/float64(b.N), "cpu-µs/event")
	b.ReportMetric(float64(head)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// replay decodes on one goroutine and applies on another, in batches.
func replay(b *testing.B, l *projectionstest.Ledger, m *projections.Model, head uint64) {
	batches := make(chan []*events.Event, 2)
	go func() {
		defer close(batches)
		for from := uint64(1); from <= head; from += batchSize {
			batches <- l.Events(b, from, min(head, from+batchSize-1))
		}
	}()
	for batch := range batches {
		if err := m.Apply(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}

const batchSize = 10_000

// processorTime is what the process has used so far: on a busy machine it says
// more than the clock.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
