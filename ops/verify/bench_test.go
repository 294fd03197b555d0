package verify_test

import (
	"fmt"
	"testing"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/ops/verify"
)

// benchEvents is enough for a verification to find its pace.
const benchEvents = 100_000

// benchNode has that many reviews, of which read model and decision state have
// all.
func benchNode(b *testing.B) *node {
	b.Helper()
	n := openNode(b, b.TempDir())
	var leaf events.Hash
	var batch []ledger.Message
	var head uint64
	for seq := range uint64(benchEvents) {
		e := &events.Event{
			Seq: seq + 1, ID: fmt.Sprint(seq), Source: "/bench", Time: "2026-03-02T09:00:00.000Z",
			Publisher: "local", PrevLeaf: leaf, Data: benchPayload(seq),
		}
		e.RecordedTime, _ = events.ParseTime(e.Time)
		batch = append(batch, ledger.Message{Subject: e.LedgerSubject(), Data: e.AppendCanonical(nil)})
		leaf = e.Leaf
		if len(batch) == ledger.MaxBatch {
			var err error
			if head, err = n.ledger.Append(b.Context(), head, batch); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	n.apply(b, head, func(e *events.Event) *events.Event { return e })
	return n
}

func benchPayload(seq uint64) events.Payload {
	const tools, reviewers = 5000, 20
	switch {
	case seq == 0:
		return &events.LedgerOpened{Ledger: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", Authority: "panel.example", Title: "Panel"}
	case seq <= reviewers:
		return &events.ReviewerSeated{Reviewer: fmt.Sprintf("reviewer-%d", seq-1), Name: "Reviewer"}
	case seq <= reviewers+tools:
		return &events.ToolRegistered{Tool: fmt.Sprintf("tool-%d", seq-reviewers-1), Name: "Tool", Category: fmt.Sprintf("category-%d", seq%50)}
	}
	i := seq - reviewers - tools - 1
	body := fmt.Sprintf("Review %d. It keeps what it promises in most of the cases that were tried, and says so where it does not; the rest is a matter of taste and of time.", i)
	return &events.ReviewSubmitted{Review: events.Review{
		Tool: fmt.Sprintf("tool-%d", i%tools), Reviewer: fmt.Sprintf("reviewer-%d", i/tools%reviewers),
		Verdict: []string{"ship", "skip", "ship", "abstain"}[i%4], Body: body, Pros: []string{"small", "quick"}, Cons: []string{"young"},
	}}
}

// BenchmarkVerify compares with a bare reading of the ledger.
func BenchmarkVerify(b *testing.B) {
	n := benchNode(b)
	for _, bm := range []struct {
		name string
		do   func() error
	}{
		{"read", func() error {
			return n.ledger.Read(b.Context(), 1, benchEvents, func(uint64, []byte) error { return nil })
		}},
		{"chain", func() error {
			_, err := verify.Run(b.Context(), verify.Options{Ledger: n.ledger})
			return err
		}},
		{"models", func() error {
			_, err := verify.Run(b.Context(), n.options())
			return err
		}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				if err := bm.do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(benchEvents*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
