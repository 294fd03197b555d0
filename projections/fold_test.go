package projections_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shiplog/events"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// story draws a valid ledger of up to a few dozen events.
func story(t *rapid.T, tb testing.TB) *kit.Ledger {
	l := kit.Given(tb)
	b := &teller{t: t, l: l, revisions: make(map[[2]string]int64), last: make(map[[2]string]uint64), pairs: make(map[[2]string]bool), merged: make(map[string]string)}
	for range rapid.IntRange(1, 70).Draw(t, "events") {
		b.tell()
	}
	return l
}

// teller knows what may happen next.
type teller struct {
	t                *rapid.T
	l                *kit.Ledger
	tools, reviewers []string
	former           []string
	revisions        map[[2]string]int64
	last             map[[2]string]uint64 // of the current review or tombstone
	gone             map[[2]string]bool
	pairs            map[[2]string]bool
	merged           map[string]string
}

func (b *teller) tell() {
	if b.gone == nil {
		b.gone = make(map[[2]string]bool)
	}
	switch n := rapid.IntRange(0, 99).Draw(b.t, "what"); {
	case len(b.tools) == 0 || n < 8 && len(b.tools) < 5:
		tool := fmt.Sprintf("tool%d", len(b.tools))
		b.tools = append(b.tools, tool)
		b.l.Append(kit.Tool(tool, b.category()))
	case len(b.reviewers) == 0 || n < 16 && len(b.reviewers) < 6:
		reviewer := fmt.Sprintf("reviewer%d", len(b.reviewers))
		b.reviewers = append(b.reviewers, reviewer)
		p := kit.Seat(reviewer)
		p.Order = int64(rapid.IntRange(0, 3).Draw(b.t, "order"))
		b.l.Append(p)
	case n < 20:
		b.l.Append(kit.Quorum(int64(rapid.IntRange(1, 4).Draw(b.t, "quorum"))))
	case n < 28:
		b.match()
	case n < 32:
		p := kit.Tool(b.tool(), b.category())
		p.Name = fmt.Sprint("Name ", n)
		p.Aliases = []string{fmt.Sprint("alias", n)}
		b.l.Append(p)
	case n < 34:
		b.unseat()
	case n < 36:
		b.l.Append(&events.ToolRetired{Tool: b.tool(), Reason: "gone"})
	case n < 40:
		b.merge()
	case n < 42:
		b.l.Append(&events.ReplyPublished{Tool: b.tool(), Body: "thanks"})
	default:
		b.review()
	}
}

func (b *teller) category() string {
	return rapid.SampledFrom([]string{"", "one", "two"}).Draw(b.t, "category")
}
func (b *teller) tool() string { return rapid.SampledFrom(b.tools).Draw(b.t, "tool") }

func (b *teller) match() {
	left, right := b.tool(), b.tool()
	if left == right || b.pairs[[2]string{left, right}] || b.pairs[[2]string{right, left}] {
		return
	}
	b.pairs[[2]string{left, right}] = true
	b.l.Append(kit.Match(left, right))
}

func (b *teller) unseat() {
	reviewer := rapid.SampledFrom(b.reviewers).Draw(b.t, "reviewer")
	b.l.Append(&events.ReviewerUnseated{Reviewer: reviewer})
	b.former = append(b.former, reviewer)
}

func (b *teller) merge() {
	tool, into := b.tool(), b.tool()
	if was, ok := b.merged[tool]; ok {
		delete(b.merged, tool)
		b.l.Append(&events.ToolUnmerged{Tool: tool, Into: was})
		return
	}
	if _, ok := b.merged[into]; tool != into && !ok {
		b.merged[tool] = into
		b.l.Append(&events.ToolMerged{Tool: tool, Into: into, Reason: "the same"})
	}
}

func (b *teller) review() {
	key := [2]string{b.tool(), rapid.SampledFrom(b.reviewers).Draw(b.t, "reviewer")}
	verdict := rapid.SampledFrom([]events.Verdict{events.Ship, events.Skip, events.Ship, events.Skip, events.Abstain}).Draw(b.t, "verdict")
	b.l.Written = rapid.SampledFrom([]string{"", "2025-01-01T00:00:00Z", "2026-03-02T08:59:00Z"}).Draw(b.t, "written")
	defer func() { b.l.Written = "" }()
	switch {
	case b.last[key] == 0:
		b.revisions[key] = 1
		b.last[key] = b.l.Append(kit.Review(key[0], key[1], verdict))
	case !b.gone[key] && rapid.IntRange(0, 3).Draw(b.t, "withdraw") == 0:
		b.gone[key] = true
		b.last[key] = b.l.Append(kit.Withdraw(key[0], key[1]))
	default:
		b.gone[key] = false
		b.revisions[key]++
		b.last[key] = b.l.Append(kit.Revise(key[0], key[1], verdict, b.revisions[key], b.last[key]))
	}
}

// open is an empty model, closed by the function returned.
func open(tb testing.TB, o projections.Options) (*projections.Model, func()) {
	dir := tb.TempDir()
	m, err := projections.Open(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	return m, func() {
		if err := m.Close(); err != nil {
			tb.Error(err)
		}
	}
}

func TestModelIsTheNaiveFold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := story(rt, t)
		head, _ := l.Head(t.Context())
		list := l.Events(t, 1, head)
		m, done := open(t, projections.Options{})
		defer done()
		if err := m.Apply(t.Context(), list); err != nil {
			rt.Fatal(err)
		}
		n := newNaive()
		for _, e := range list {
			n.apply(e.Seq, e.Data)
			compareAt(rt, m, n, e.Seq)
		}
	})
}

func compareAt(t *rapid.T, m *projections.Model, n *naive, seq uint64) {
	s, err := m.At(t.Context(), seq)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	compareNaive(t, s, n)
	compareCounts(t, s, n)
}

// compareCounts compares what is counted without being listed with both the
// naive fold and the lists.
func compareCounts(t *rapid.T, s *projections.Snapshot, n *naive) {
	ctx := t.Context()
	categories, err := s.Categories(ctx)
	if err != nil {
		t.Fatal(err)
	}
	shared := make(map[string]int)
	for _, c := range categories {
		shared[c.Slug] = c.Matchups
	}
	for _, category := range []string{"", "one", "two"} {
		labels, err := s.Labels(ctx, category)
		if err != nil {
			t.Fatal(err)
		}
		of := 0
		for _, l := range labels {
			list, total, err := s.Tools(ctx, projections.ToolFilter{Category: category, Label: l.Label})
			if want := n.listed(category, l.Label); err != nil || l.Tools != want || total != want || len(list) != want {
				t.Fatalf("%s in %q at %d: counted %d, %d, listed %d, want %d (%v)", l.Label, category, s.Seq(), l.Tools, total, len(list), want, err)
			}
			of += l.Tools
		}
		list, total, err := s.Tools(ctx, projections.ToolFilter{Category: category})
		if err != nil || total != of || len(list) != of {
			t.Fatalf("%q at %d: %d tools counted, %d listed, want %d (%v)", category, s.Seq(), total, len(list), of, err)
		}
		if category != "" && of > 0 && shared[category] != n.shared(category) {
			t.Fatalf("%q at %d: %d matchups, want %d", category, s.Seq(), shared[category], n.shared(category))
		}
	}
}

func compareNaive(t *rapid.T, s *projections.Snapshot, n *naive) {
	ctx := t.Context()
	for slug := range n.tools {
		tool, err := s.Tool(ctx, slug)
		if err != nil {
			t.Fatal(err)
		}
		lone := ""
		if tool.Lone != nil {
			lone = tool.Lone.Slug
		}
		if tool.Verdict.Tally != n.tally(slug) || tool.Verdict.Label != n.label(slug) || lone != n.lone(slug) {
			t.Fatalf("%s at %d: %+v, lone %q; want %+v %s, lone %q", slug, s.Seq(), tool.Verdict, lone, n.tally(slug), n.label(slug), n.lone(slug))
		}
	}
	for slug := range n.seated {
		v, err := s.Reviewer(ctx, slug)
		if err != nil {
			t.Fatal(err)
		}
		if v.Tally != n.rate(slug) || v.LoneDissents != n.lones(slug) || (v.Former == nil) != n.seated[slug] {
			t.Fatalf("%s at %d: %+v; want %+v, %d alone, seated %v", slug, s.Seq(), v, n.rate(slug), n.lones(slug), n.seated[slug])
		}
	}
	for _, pair := range n.pairs {
		m, err := s.Matchup(ctx, pair[1], pair[0])
		if err != nil {
			t.Fatal(err)
		}
		if want := n.result(pair[0], pair[1]); m.Left.Slug != pair[0] || m.Result != want {
			t.Fatalf("%v at %d: %+v; want %+v", pair, s.Seq(), m.Result, want)
		}
	}
	stats, err := s.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if stats.VerdictChanges != n.changes || stats.Matchups != len(n.pairs) {
		t.Fatalf("at %d: %+v; want %d changes, %d matchups", s.Seq(), stats, n.changes, len(n.pairs))
	}
}

func TestBatchesDoNotShow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := story(rt, t)
		head, _ := l.Head(t.Context())
		list := l.Events(t, 1, head)
		whole, done := open(t, projections.Options{})
		defer done()
		if err := whole.Apply(t.Context(), list); err != nil {
			rt.Fatal(err)
		}
		// A cache of one tool forgets between any two batches.
		split, doneSplit := open(t, projections.Options{Tools: 1})
		defer doneSplit()
		for len(list) > 0 {
			n := rapid.IntRange(1, min(len(list), 9)).Draw(rt, "batch")
			if err := split.Apply(t.Context(), list[:n]); err != nil {
				rt.Fatal(err)
			}
			list = list[n:]
		}
		if diff := cmp.Diff(dump(rt, whole), dump(rt, split)); diff != "" {
			rt.Fatalf("tables (-whole +split):\n%s", diff)
		}
	})
}

func dump(t *rapid.T, m *projections.Model) string {
	s, err := m.At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b bytes.Buffer
	if err := s.Dump(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestThePastIsWhatItWas(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := story(rt, t)
		head, _ := l.Head(t.Context())
		list := l.Events(t, 1, head)
		whole, done := open(t, projections.Options{})
		defer done()
		if err := whole.Apply(t.Context(), list); err != nil {
			rt.Fatal(err)
		}
		seq := uint64(rapid.IntRange(1, int(head)).Draw(rt, "at"))
		then, doneThen := open(t, projections.Options{})
		defer doneThen()
		if err := then.Apply(t.Context(), list[:seq]); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(everything(rt, then, seq), everything(rt, whole, seq)); diff != "" {
			rt.Fatalf("at %d of %d (-then +now):\n%s", seq, head, diff)
		}
	})
}

// everything asks every query.
func everything(t *rapid.T, m *projections.Model, seq uint64) map[string]any {
	s, err := m.At(t.Context(), seq)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a := &asker{t: t, answers: make(map[string]any)}
	ctx := t.Context()
	a.note("ledger", s.Ledger(), nil)
	a.note("rules", s.Rules(), nil)
	a.ask("stats", func() (any, error) { return s.Stats(ctx) })
	a.ask("history", func() (any, error) { return s.RulesHistory(ctx) })
	a.ask("categories", func() (any, error) { return s.Categories(ctx) })
	a.ask("labels", func() (any, error) { return s.Labels(ctx, "") })
	a.ask("newest", func() (any, error) { return s.NewestTools(ctx, 3) })
	a.ask("reviewers", func() (any, error) { return s.Reviewers(ctx) })
	a.ask("found", func() (any, error) { return s.Search(ctx, "tool1", 5) })
	a.ask("found alias", func() (any, error) { return s.Search(ctx, "Álias2", 5) })
	a.ask("changes", func() (any, error) { return s.VerdictChanges(ctx, projections.ChangeFilter{}) })
	a.ask("effects", func() (any, error) { return s.Effects(ctx) })
	for _, scope := range []projections.Scope{projections.ScopeAll, projections.ScopeTools, projections.ScopeReviewers, projections.ScopeMatchups, projections.ScopeVerdicts, projections.ScopeRules} {
		a.ask("last "+string(scope), func() (any, error) { return s.LastChange(ctx, scope, "") })
	}
	filters := []projections.FeedFilter{{}, {Category: "one"}}
	matchups, _, err := s.Matchups(ctx, projections.MatchupFilter{})
	a.note("matchups", matchups, err)
	for _, match := range matchups {
		a.ask("comparison "+match.Left.Slug+match.Right.Slug, func() (any, error) { return s.Comparison(ctx, match.Left.Slug, match.Right.Slug) })
	}
	tools, _, err := s.Tools(ctx, projections.ToolFilter{All: true})
	a.note("tools", tools, err)
	var slugs []string
	for _, tool := range tools {
		slug := tool.Slug
		slugs = append(slugs, slug)
		filters = append(filters, projections.FeedFilter{Tool: slug})
		a.ask("tool "+slug, func() (any, error) { return s.Tool(ctx, slug) })
		a.ask("reviews "+slug, func() (any, error) { return s.ToolReviews(ctx, slug) })
		a.ask("revisions "+slug, func() (any, error) { return s.Revisions(ctx, slug, "", 2) })
		a.ask("replies "+slug, func() (any, error) { return s.Replies(ctx, slug) })
		a.note("last changed "+slug, tool.Changed(), nil)
		a.ask("merged "+slug, func() (any, error) { return s.MergedFrom(ctx, slug) })
		a.ask("verdicts "+slug, func() (any, error) { return s.VerdictHistory(ctx, slug) })
		a.ask("steps "+slug, func() (any, error) { return s.Steps(ctx, slug) })
		a.ask("last "+slug, func() (any, error) { return s.LastChange(ctx, projections.ScopeTool, slug) })
	}
	if len(slugs) > 1 {
		a.ask("matrix", func() (any, error) { return s.Compare(ctx, slugs) })
	}
	reviewers, err := s.Reviewers(ctx)
	a.note("reviewers", reviewers, err)
	for _, v := range reviewers {
		filters = append(filters, projections.FeedFilter{Reviewer: v.Slug})
		a.ask("reviewer "+v.Slug, func() (any, error) { return s.ReviewerDetail(ctx, v.Slug) })
		list, total, err := s.ReviewerReviews(ctx, v.Slug, projections.ReviewerFilter{})
		a.note("reviews by "+v.Slug, []any{list, total}, err)
		a.ask("last "+v.Slug, func() (any, error) { return s.LastChange(ctx, projections.ScopeReviewer, v.Slug) })
	}
	for _, category := range []string{"one", "two"} {
		list, total, err := s.Matchups(ctx, projections.MatchupFilter{Category: category})
		a.note("matchups "+category, []any{list, total}, err)
		a.ask("last "+category, func() (any, error) { return s.LastChange(ctx, projections.ScopeCategory, category) })
	}
	for _, f := range filters {
		a.ask(fmt.Sprint("feed ", f), func() (any, error) {
			refs, err := s.FeedWindow(ctx, projections.HistoryFilter{FeedFilter: f, Kinds: allKinds})
			if err != nil {
				return nil, err
			}
			return s.Items(ctx, refs)
		})
	}
	return a.answers
}

type asker struct {
	t       *rapid.T
	answers map[string]any
}

func (a *asker) ask(name string, fn func() (any, error)) {
	v, err := fn()
	a.note(name, v, err)
}

func (a *asker) note(name string, v any, err error) {
	if errors.Is(err, projections.ErrNotFound) {
		v = "not found"
	} else if err != nil {
		a.t.Fatalf("%s: %v", name, err)
	}
	a.answers[name] = v
}
