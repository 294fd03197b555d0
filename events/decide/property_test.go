package decide_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/events/decide/decidetest"
)

// history draws submissions, decides each and records what is accepted. It
// calls check, if there is one, before the events of a decision are recorded.
func history(t *rapid.T, check func(*decide.State, decide.Decision)) (*decide.State, []*events.Event) {
	state := decide.New(nil)
	var log []*events.Event
	for range rapid.IntRange(0, 80).Draw(t, "submissions") {
		sub := decidetest.Submission(t, state.Head().Seq)
		d, err := decide.Decide(state, sub, decidetest.Now)
		if err != nil {
			t.Fatal(err)
		}
		if check != nil {
			check(state, d)
		}
		list, err := decidetest.Record(state, d, sub.Input)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, list...)
		if d.Status == decide.Accepted {
			repeat(t, state, sub, list[d.Main])
		}
	}
	return state, log
}

// repeat sends what was accepted once more: it is a duplicate, and changes
// nothing.
func repeat(t *rapid.T, state *decide.State, sub *events.Submission, recorded *events.Event) {
	d, err := decide.Decide(state, sub, decidetest.Now)
	if err != nil {
		t.Fatal(err)
	}
	if d.Status != decide.Duplicate || d.Seq != recorded.Seq || d.Type != recorded.Type() || !d.Recorded || len(d.Events) > 0 {
		t.Fatalf("sent again: %+v; recorded as event %d, %s", d, recorded.Seq, recorded.Type())
	}
}

// TestFoldLayers folds a history in layers cut at any place, and gets the same
// state.
func TestFoldLayers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole, log := history(t, nil)
		layers := []*decide.State{decide.New(nil)}
		for _, e := range log {
			if rapid.IntRange(0, 4).Draw(t, "cut") == 0 {
				layers = append(layers, decide.New(layers[len(layers)-1]))
			}
			if err := layers[len(layers)-1].Evolve(e); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(decidetest.Of(whole), decidetest.Of(layers...)); diff != "" {
			t.Fatalf("state (-whole +layers):\n%s", diff)
		}
	})
}

// TestDecideIsPure decides without changing the state.
func TestDecideIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state, _ := history(t, nil)
		before := decidetest.Of(state)
		sub := decidetest.Submission(t, state.Head().Seq)
		first, err1 := decide.Decide(state, sub, decidetest.Now)
		second, err2 := decide.Decide(state, sub, decidetest.Now)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if said(first) != said(second) {
			t.Fatalf("decided %s, then %s", said(first), said(second))
		}
		if diff := cmp.Diff(before, decidetest.Of(state)); diff != "" {
			t.Fatalf("state (-before +after):\n%s", diff)
		}
	})
}

// TestMatchups opens each pair once, never fills a tool beyond the maximum but
// by hand, and pairs only tools that are to be paired.
func TestMatchups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opened := map[decide.Pair]bool{}
		count := map[string]int{}
		_, _ = history(t, func(s *decide.State, d decide.Decision) {
			for i, e := range d.Events {
				p, ok := e.Data.(*events.MatchupOpened)
				if !ok {
					continue
				}
				pair := decide.PairOf(p.Left, p.Right)
				if opened[pair] || p.Left == p.Right {
					t.Fatalf("%v is opened again", pair)
				}
				opened[pair] = true
				count[p.Left]++
				count[p.Right]++
				if i != d.Main {
					checkMade(t, s, d.Events[d.Main], p, count)
				}
			}
		})
	})
}

// checkMade holds a pair of the matchmaker to the rules.
func checkMade(t *rapid.T, s *decide.State, cause *events.Event, p *events.MatchupOpened, count map[string]int) {
	most := s.Rules().MaxMatchupsPerTool
	if p.Left >= p.Right || s.Rules().Matchmaking != "category" || count[p.Left] > most || count[p.Right] > most {
		t.Fatalf("%s and %s are opened; they have %d and %d of %d", p.Left, p.Right, count[p.Left], count[p.Right], most)
	}
	after := decide.New(s)
	cause.Seq = s.Head().Seq + 1
	if err := after.Evolve(cause); err != nil {
		t.Fatal(err)
	}
	left, _, _ := after.Tool(p.Left)
	right, _, _ := after.Tool(p.Right)
	for _, tool := range []decide.Tool{left, right} {
		if tool.Merged != "" || tool.Retired || tool.Tally.N() < s.Rules().Quorum || tool.Category == "" || tool.Category != left.Category {
			t.Fatalf("%s and %s are opened: %+v, %+v", p.Left, p.Right, left, right)
		}
	}
}

// TestTallies counts the reviews of a history by other means.
func TestTallies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state, log := history(t, nil)
		current := map[decide.About]events.Verdict{}
		revisions := map[decide.About]int64{}
		for _, e := range log {
			switch p := e.Data.(type) {
			case *events.ReviewSubmitted:
				about := decide.About{Tool: p.Tool, Reviewer: p.Reviewer}
				if revisions[about] != 0 {
					t.Fatalf("event %d is a second first review", e.Seq)
				}
				current[about], revisions[about] = events.Verdict(p.Verdict), 1
			case *events.ReviewRevised:
				about := decide.About{Tool: p.Tool, Reviewer: p.Reviewer}
				if revisions[about]++; p.Revision != revisions[about] {
					t.Fatalf("event %d is revision %d, want %d", e.Seq, p.Revision, revisions[about])
				}
				current[about] = events.Verdict(p.Verdict)
			case *events.ReviewWithdrawn:
				delete(current, decide.About{Tool: p.Tool, Reviewer: p.Reviewer})
			}
		}
		want := map[string]events.Tally{}
		for about, verdict := range current {
			want[about.Tool] = want[about.Tool].With("", verdict)
		}
		_ = state.Tools(func(slug string, tool decide.Tool) bool {
			if tool.Tally != want[slug] {
				t.Fatalf("%s has %+v, want %+v", slug, tool.Tally, want[slug])
			}
			if at := tool.Tally.N() >= state.Rules().Quorum; at != (tool.Reached > 0) {
				t.Fatalf("%s has %+v of %d and reached it at %d", slug, tool.Tally, state.Rules().Quorum, tool.Reached)
			}
			return true
		})
	})
}

// TestMergesEnd follows every merge to a tool that stands.
func TestMergesEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state, _ := history(t, nil)
		_ = state.Tools(func(slug string, tool decide.Tool) bool {
			for steps := 0; tool.Merged != ""; steps++ {
				if steps > 10 {
					t.Fatalf("merges of %s run in a circle", slug)
				}
				tool, _, _ = state.Tool(tool.Merged)
			}
			return true
		})
	})
}

// TestMemo holds a memo to its word: what it keeps is what is read back.
func TestMemo(t *testing.T) {
	alike := cmp.Options{cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.IgnoreTypes(events.Members{})}
	rapid.Check(t, func(t *rapid.T) {
		state, memo := decide.New(nil), new(events.Memo)
		for range rapid.IntRange(0, 60).Draw(t, "submissions") {
			sub := decidetest.Submission(t, state.Head().Seq)
			d, err := decide.Decide(state, sub, decidetest.Now)
			if err != nil {
				t.Fatal(err)
			}
			list, err := decidetest.Record(state, d, sub.Input)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range list {
				raw := d.Events[i].AppendCanonical(nil)
				memo.Keep(d.Events[i], raw)
				got, err := memo.Decode(want.Seq, raw)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, alike); diff != "" {
					t.Fatalf("event %d (-decoded +kept):\n%s", want.Seq, diff)
				}
			}
		}
	})
}
