package demo_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/events/decide"
)

// panel is what the demo amounts to once every line was decided.
type panel struct {
	*decide.State
	reviewers []string
	matchups  []*events.MatchupOpened
	types     map[string]int
}

// newPanel decides the demo line by line, as the intake would.
func newPanel(t *testing.T) panel {
	t.Helper()
	p := panel{State: decide.New(nil), types: map[string]int{}}
	for i, line := range lines() {
		sub, problems := events.Parse(line)
		if len(problems) > 0 {
			t.Fatalf("line %d: %v", i+1, problems)
		}
		decision, err := decide.Decide(p.State, sub, time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		if decision.Status != decide.Accepted {
			t.Fatalf("line %d: %s %v", i+1, decision.Status, decision.Problems)
		}
		for _, e := range decision.Events {
			p.record(t, e)
		}
	}
	return p
}

func (p *panel) record(t *testing.T, e *events.Event) {
	t.Helper()
	e.Seq = p.Head().Seq + 1
	if err := p.Evolve(e); err != nil {
		t.Fatal(err)
	}
	p.types[e.Type()]++
	switch data := e.Data.(type) {
	case *events.ReviewerSeated:
		p.reviewers = append(p.reviewers, data.Reviewer)
	case *events.MatchupOpened:
		p.matchups = append(p.matchups, data)
	}
}

func (p panel) tool(t *testing.T, slug string) decide.Tool {
	t.Helper()
	tool, ok, err := p.Tool(slug)
	if err != nil || !ok {
		t.Fatalf("tool %s: found %t, %v", slug, ok, err)
	}
	return tool
}

// verdict is a reviewer's current one, "" for none.
func (p panel) verdict(t *testing.T, tool, reviewer string) events.Verdict {
	t.Helper()
	review, ok, err := p.Review(decide.About{Tool: tool, Reviewer: reviewer})
	if err != nil {
		t.Fatal(err)
	}
	if !ok || review.Withdrawn {
		return ""
	}
	return review.Verdict
}

// TestVerdicts and TestResults keep an edited line from quietly taking a verdict
// or a result off the pages.
func TestVerdicts(t *testing.T) {
	p, got := newPanel(t), map[events.Label]int{}
	unanimous, dissent := map[bool]int{}, map[events.Verdict]int{}
	err := p.Tools(func(_ string, tool decide.Tool) bool {
		if tool.Merged != "" {
			return true
		}
		got[tool.Tally.Label(3)]++
		if tool.Tally.Unanimous(3) {
			unanimous[tool.Tally.Ships > 0]++
		}
		if verdict := tool.Tally.LoneDissent(); verdict != "" {
			dissent[verdict]++
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[events.Label]int{events.LabelShip: 9, events.LabelSkip: 4, events.LabelSplit: 2, events.LabelPending: 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if unanimous[true] == 0 || unanimous[false] == 0 {
		t.Errorf("unanimous panels are %v, want some of each", unanimous)
	}
	if dissent[events.Ship] == 0 || dissent[events.Skip] == 0 {
		t.Errorf("lone dissents are %v, want some of each", dissent)
	}
}

func TestResults(t *testing.T) {
	p, got := newPanel(t), map[events.ResultKind]int{}
	for _, m := range p.matchups {
		var shared events.Shared
		for _, reviewer := range p.reviewers {
			shared.Add(p.verdict(t, m.Left, reviewer), p.verdict(t, m.Right, reviewer))
		}
		left, right := p.tool(t, m.Left).Tally.Label(3), p.tool(t, m.Right).Tally.Label(3)
		got[events.Compare(shared, left, right, 3).Kind]++
	}
	want := map[events.ResultKind]int{events.Favours: 11, events.Leans: 14, events.Level: 1, events.TooClose: 1, events.NotComparable: 9}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestTypesThatOccur(t *testing.T) {
	want := map[string]int{
		"shiplog.rules.published.v1":   1,
		"shiplog.reviewer.seated.v1":   7,
		"shiplog.reviewer.unseated.v1": 1,
		"shiplog.tool.registered.v1":   20,
		"shiplog.tool.merged.v1":       1,
		"shiplog.tool.retired.v1":      1,
		"shiplog.review.submitted.v1":  82,
		"shiplog.review.revised.v1":    4,
		"shiplog.review.withdrawn.v1":  1,
		"shiplog.reply.published.v1":   2,
		"shiplog.matchup.opened.v1":    36,
	}
	if diff := cmp.Diff(want, newPanel(t).types); diff != "" {
		t.Errorf("recorded types (-want +got):\n%s", diff)
	}
}
