package projections_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// The ledger of the benchmarks: reviews of 600 bytes of many tools by a panel.
const benchTools, benchReviewers, benchReviews = 10_000, 100, 200_000

func benchLedger(b *testing.B) *kit.Ledger {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	l := kit.Given(b)
	for i := range benchReviewers {
		l.Append(kit.Seat(fmt.Sprintf("reviewer-%d", i)))
	}
	for i := range benchTools {
		l.Append(kit.Tool(fmt.Sprintf("tool-%d", i), fmt.Sprintf("category-%d", i%50)))
	}
	type pair struct{ tool, reviewer int }
	revision := make(map[pair]int64)
	verdicts := []string{"ship", "ship", "skip", "abstain"}
	for i := range benchReviews {
		p := pair{random.IntN(benchTools), random.IntN(benchReviewers)}
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
	for i := range benchTools {
		l.Append(kit.Match(fmt.Sprintf("tool-%d", i), fmt.Sprintf("tool-%d", (i+50)%benchTools)))
	}
	return l
}

// BenchmarkReplay builds an empty model, decoding included.
func BenchmarkReplay(b *testing.B) {
	l := benchLedger(b)
	head, _ := l.Head(b.Context())
	before := processorTime(b)
	b.ResetTimer()
	for range b.N {
		m, done := open(b, projections.Options{})
		replay(b, l, m, head)
		b.StopTimer()
		done()
		b.StartTimer()
	}
	b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/1000/float64(head)/float64(b.N), "cpu-µs/event")
	b.ReportMetric(float64(head)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkRead asks what pages ask, of the same ledger.
func BenchmarkRead(b *testing.B) {
	l := benchLedger(b)
	head, _ := l.Head(b.Context())
	m, done := open(b, projections.Options{})
	defer done()
	replay(b, l, m, head)
	ctx := b.Context()
	queries := []struct {
		name string
		ask  func(s *projections.Snapshot) error
	}{
		{"nothing", func(s *projections.Snapshot) error { return nil }},
		{"tool", func(s *projections.Snapshot) error { return second(s.Tool(ctx, "tool-77")) }},
		{"tool reviews", func(s *projections.Snapshot) error { return second(s.ToolReviews(ctx, "tool-77")) }},
		{"tool revisions", func(s *projections.Snapshot) error { return second(s.Revisions(ctx, "tool-77", "", 3)) }},
		{"tool steps", func(s *projections.Snapshot) error { return second(s.Steps(ctx, "tool-77")) }},
		{"tools", func(s *projections.Snapshot) error { return third(s.Tools(ctx, projections.ToolFilter{})) }},
		{"tools far on", func(s *projections.Snapshot) error {
			return third(s.Tools(ctx, projections.ToolFilter{Offset: benchTools * 3 / 4}))
		}},
		{"tools pending", func(s *projections.Snapshot) error {
			return third(s.Tools(ctx, projections.ToolFilter{Label: events.LabelPending}))
		}},
		{"newest tools", func(s *projections.Snapshot) error { return second(s.NewestTools(ctx, 10)) }},
		{"tools by label", func(s *projections.Snapshot) error {
			return third(s.Tools(ctx, projections.ToolFilter{Label: events.LabelSkip, Category: "category-7"}))
		}},
		{"labels", func(s *projections.Snapshot) error { return second(s.Labels(ctx, "")) }},
		{"categories", func(s *projections.Snapshot) error { return second(s.Categories(ctx)) }},
		{"comparison", func(s *projections.Snapshot) error { return second(s.Comparison(ctx, "tool-77", "tool-127")) }},
		{"matchups", func(s *projections.Snapshot) error { return third(s.Matchups(ctx, projections.MatchupFilter{})) }},
		{"matchups of category", func(s *projections.Snapshot) error {
			return third(s.Matchups(ctx, projections.MatchupFilter{Category: "category-7"}))
		}},
		{"matrix", func(s *projections.Snapshot) error {
			return second(s.Compare(ctx, []string{"tool-1", "tool-2", "tool-3", "tool-4", "tool-5"}))
		}},
		{"reviewers", func(s *projections.Snapshot) error { return second(s.Reviewers(ctx)) }},
		{"reviewer detail", func(s *projections.Snapshot) error { return second(s.ReviewerDetail(ctx, "reviewer-7")) }},
		{"reviews by reviewer", func(s *projections.Snapshot) error {
			return third(s.ReviewerReviews(ctx, "reviewer-7", projections.ReviewerFilter{}))
		}},
		{"changes", func(s *projections.Snapshot) error { return second(s.VerdictChanges(ctx, projections.ChangeFilter{})) }},
		{"feed reviews", func(s *projections.Snapshot) error {
			return feedItems(ctx, s, projections.HistoryFilter{Kinds: allKinds[2:]})
		}},
		{"feed reviews of reviewer", func(s *projections.Snapshot) error {
			return feedItems(ctx, s, projections.HistoryFilter{FeedFilter: projections.FeedFilter{Reviewer: "reviewer-7"}, Kinds: allKinds[2:]})
		}},
		{"feed verdicts", func(s *projections.Snapshot) error {
			return feedItems(ctx, s, projections.HistoryFilter{Kinds: allKinds[1:2]})
		}},
		{"feed of category", func(s *projections.Snapshot) error {
			return feedItems(ctx, s, projections.HistoryFilter{FeedFilter: projections.FeedFilter{Category: "category-7"}, Kinds: allKinds})
		}},
		{"feed matchups", func(s *projections.Snapshot) error {
			return feedItems(ctx, s, projections.HistoryFilter{Kinds: allKinds[:1]})
		}},
		{"search", func(s *projections.Snapshot) error { return second(s.Search(ctx, "tool-77", 20)) }},
		{"stats", func(s *projections.Snapshot) error { return second(s.Stats(ctx)) }},
		{"last change of category", func(s *projections.Snapshot) error {
			return second(s.LastChange(ctx, projections.ScopeCategory, "category-7"))
		}},
		{"effects", func(s *projections.Snapshot) error { return second(s.Effects(ctx)) }},
	}
	for _, past := range []uint64{0, head / 2} {
		for _, q := range queries {
			b.Run(fmt.Sprintf("%s at %d", q.name, past), func(b *testing.B) {
				for b.Loop() {
					s, err := m.At(ctx, past)
					if err == nil {
						err = errors.Join(q.ask(s), s.Close())
					}
					if err != nil && !errors.Is(err, projections.ErrNotFound) {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func second[A any](_ A, err error) error        { return err }
func third[A, B any](_ A, _ B, err error) error { return err }

// replay decodes on one goroutine and applies on another, in batches.
func replay(b *testing.B, l *kit.Ledger, m *projections.Model, head uint64) {
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

func feedItems(ctx context.Context, s *projections.Snapshot, f projections.HistoryFilter) error {
	refs, err := s.FeedWindow(ctx, f)
	if err != nil {
		return err
	}
	return second(s.Items(ctx, refs))
}
