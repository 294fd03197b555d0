package decide_test

import (
	"strings"
	"testing"

	"shiplog/events"
	"shiplog/events/decide"
)

func TestDecide(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
	}{
		{"identity", []step{
			{tool("a").as("x"), "accepted tool.registered a"},
			{tool("a").as("x"), "duplicate of 1 tool.registered"},
			{tool("b").as("x"), "rejected conflict /id"},
			{tool("a").as("x").at("2026-01-01T00:00:00Z"), "rejected conflict /id"},
			{retire("nosuch").as("y"), "rejected unknown_tool /data/tool"},
			{tool("b").as("y"), "accepted tool.registered b"}, // what was rejected took no identity
			{seat("p"), "accepted reviewer.seated p"},
			{review("a", "p", "ship"), "accepted review.submitted a p"},
			{review("a", "p", "ship").as("z"), "duplicate of 4 review.submitted, not recorded"},
			{review("a", "p", "skip").as("z"), "accepted review.revised a p #2 for 4"}, // nor did that duplicate
			{review("a", "p", "skip").as("z"), "duplicate of 5 review.revised"},
		}},
		{"time", []step{
			{tool("a").at("2026-11-30T09:05:00Z"), "accepted tool.registered a"},
			{tool("a").at("2026-11-30T09:05:00.001Z"), "rejected in_the_future /time"},
			{tool("a").at("2026-11-30T10:04:00+01:00"), "accepted tool.registered a"},
			{tool("a").at("1970-01-01T00:00:00Z"), "accepted tool.registered a"},
			{tool("a").at("1969-12-31T23:59:59Z"), "rejected invalid_time /time"},
			{tool("a").at("0000-01-01T00:00:00Z"), "rejected invalid_time /time"},
			{retire("b").at("2999-01-01T00:00:00Z"), "rejected in_the_future /time, unknown_tool /data/tool"},
		}},
		{"rules", []step{
			{quorum(2), "accepted rules.published rules"},
			{rules(map[string]any{"version": 2}), "rejected not_one_of /data/version"},
		}},
		{"reviewers", []step{
			{unseat("p"), "rejected unknown_reviewer /data/reviewer"},
			{seat("p"), "accepted reviewer.seated p"},
			{seat("p"), "accepted reviewer.seated p"},
			{tool("a"), "accepted tool.registered a"},
			{review("a", "p", "ship"), "accepted review.submitted a p"},
			{unseat("p"), "accepted reviewer.unseated p"},
			{unseat("p"), "rejected not_current /data/reviewer"},
			{review("a", "p", "skip"), "rejected unseated /data/reviewer"},
			{review("a", "p", "skip").with("reviewer_name", "P"), "rejected unseated /data/reviewer"},
			{withdraw("a", "p"), "accepted review.withdrawn a p"},
			{seat("p"), "accepted reviewer.seated p"},
			{review("a", "p", "skip"), "accepted review.revised a p #2 for 6"},
		}},
		{"reviews of what is not known", []step{
			{review("a", "p", "ship"), "rejected unknown_tool /data/tool, unknown_reviewer /data/reviewer"},
			{review("a", "p", "ship").with("tool_name", "A"), "rejected unknown_reviewer /data/reviewer"},
			{review("a", "p", "ship").with("reviewer_name", "P"), "rejected unknown_tool /data/tool"},
			{review("a", "p", "ship").with("tool_name", "A").with("reviewer_name", "P"), "accepted tool.registered a, reviewer.seated p, review.submitted a p"},
			{review("a", "q", "ship").with("tool_name", "Z").with("reviewer_name", "Q"), "accepted reviewer.seated q, review.submitted a q"},
			{review("b", "q", "ship").with("tool_name", "B").with("expects", 1), "rejected stale /data/expects"},
		}},
		{"revisions", []step{
			{tool("a"), "accepted tool.registered a"},
			{seat("p"), "accepted reviewer.seated p"},
			{withdraw("a", "p"), "rejected not_current /data/reviewer"},
			{withdraw("b", "p"), "rejected unknown_tool /data/tool"},
			{withdraw("a", "q"), "rejected unknown_reviewer /data/reviewer"},
			{review("a", "p", "ship"), "accepted review.submitted a p"},
			{review("a", "p", "ship"), "duplicate of 3 review.submitted, not recorded"},
			{review("a", "p", "ship").with("format", "text").with("provenance", "stated"), "duplicate of 3 review.submitted, not recorded"},
			{review("a", "p", "ship").with("reason", "again"), "duplicate of 3 review.submitted, not recorded"},
			{review("a", "p", "ship").with("pros", []string{"x"}), "accepted review.revised a p #2 for 3"},
			{review("a", "p", "ship").with("cons", []string{"x"}), "accepted review.revised a p #3 for 4"},
			{withdraw("a", "p"), "accepted review.withdrawn a p"},
			{withdraw("a", "p"), "rejected not_current /data/reviewer"},
			{review("a", "p", "ship").with("cons", []string{"x"}), "accepted review.revised a p #4 for 6"},
			{review("a", "p", "ship").with("cons", []string{"x"}), "duplicate of 7 review.revised, not recorded"},
		}},
		{"expects", []step{
			{tool("a"), "accepted tool.registered a"},
			{seat("p"), "accepted reviewer.seated p"},
			{review("a", "p", "ship").with("expects", 2), "rejected stale /data/expects"},
			{review("a", "p", "ship").with("expects", 0), "accepted review.submitted a p"},
			{review("a", "p", "skip").with("expects", 0), "rejected stale /data/expects"},
			{review("a", "p", "skip").with("expects", 2), "rejected stale /data/expects"},
			{review("a", "p", "skip").with("expects", 3), "accepted review.revised a p #2 for 3"},
			{review("a", "p", "skip").with("expects", 3), "duplicate of 4 review.revised, not recorded"},
			{withdraw("a", "p"), "accepted review.withdrawn a p"},
			{review("a", "p", "ship").with("expects", 5), "rejected stale /data/expects"},
			{review("a", "p", "ship").with("expects", 0), "accepted review.revised a p #3 for 5"},
		}},
		{"replies", []step{
			{reply("a", "x"), "rejected unknown_tool /data/tool"},
			{tool("a"), "accepted tool.registered a"},
			{tool("b"), "accepted tool.registered b"},
			{reply("a", "x"), "accepted reply.published a"},
			{reply("a", "y").with("replaces", 2), "rejected not_current /data/replaces"},
			{reply("b", "y").with("replaces", 3), "rejected not_current /data/replaces"},
			{reply("a", "y").with("replaces", 3), "accepted reply.published a"},
			{reply("a", "z").with("replaces", 3), "rejected not_current /data/replaces"},
			{reply("a", "z").with("replaces", 4), "accepted reply.published a"},
		}},
		{"retiring", []step{
			{retire("a"), "rejected unknown_tool /data/tool"},
			{tool("a"), "accepted tool.registered a"},
			{retire("a"), "accepted tool.retired a"},
			{retire("a"), "rejected not_current /data/tool"},
			{tool("a"), "accepted tool.registered a"},
			{retire("a"), "accepted tool.retired a"},
		}},
		{"aliases", []step{
			{tool("a").with("aliases", []string{"one", "uno"}), "accepted tool.registered a"},
			{seat("p"), "accepted reviewer.seated p"},
			{review("uno", "p", "ship"), "accepted review.submitted a p"},
			{review("a", "p", "ship"), "duplicate of 3 review.submitted, not recorded"},
			{retire("one"), "accepted tool.retired a"},
			{tool("one"), "accepted tool.registered a"},
			{tool("b").with("aliases", []string{"uno"}), "rejected taken /data/aliases/0"},
			{tool("b").with("aliases", []string{"x", "a"}), "rejected taken /data/aliases/1"},
			{tool("b").with("aliases", []string{"b"}), "rejected self /data/aliases/0"},
			{tool("uno").with("aliases", []string{"a"}), "rejected self /data/aliases/0"},
			{tool("b").with("aliases", []string{"dos"}), "accepted tool.registered b"},
			{merge("dos", "uno"), "accepted tool.merged b"},
			{review("dos", "p", "skip"), "rejected merged /data/tool"},
			{unmerge("dos", "one"), "accepted tool.unmerged b"},
			{matchup("dos", "uno"), "accepted matchup.opened b a"},
			{matchup("one", "a"), "rejected same_pair /data/right"},
			{tool("a").with("aliases", []string{"uno"}), "accepted tool.registered a"},
			{retire("one"), "rejected unknown_tool /data/tool"},
			{tool("one"), "accepted tool.registered one"}, // free again
			{tool("a"), "accepted tool.registered a"},     // absent keeps
			{tool("uno"), "accepted tool.registered a"},
			{tool("a").with("aliases", nil), "accepted tool.registered a"}, // null clears
			{retire("uno"), "rejected unknown_tool /data/tool"},
		}},
		{"merging", []step{
			{merge("a", "b"), "rejected unknown_tool /data/tool, unknown_tool /data/into"},
			{tool("a"), "accepted tool.registered a"},
			{tool("b"), "accepted tool.registered b"},
			{tool("c"), "accepted tool.registered c"},
			{merge("a", "a"), "rejected self /data/into"},
			{unmerge("a", "b"), "rejected not_merged /data/tool"},
			{merge("a", "b"), "accepted tool.merged a"},
			{merge("a", "c"), "rejected merged /data/tool"},
			{merge("b", "a"), "rejected merged /data/into"},
			{merge("b", "c"), "accepted tool.merged b"}, // a chain
			{tool("a"), "rejected merged /data/tool"},
			{retire("a"), "rejected merged /data/tool"},
			{matchup("a", "c"), "rejected merged /data/left"},
			{reply("a", "x"), "rejected merged /data/tool"},
			{merge("c", "a"), "rejected merged /data/into"}, // no cycle
			{unmerge("a", "c"), "rejected not_merged /data/into"},
			{unmerge("a", "b"), "accepted tool.unmerged a"},
			{merge("c", "a"), "accepted tool.merged c"},
			{retire("b"), "rejected merged /data/tool"},
			{unmerge("b", "c"), "accepted tool.unmerged b"},
			{retire("b"), "accepted tool.retired b"},
		}},
		{"matchups by hand", []step{
			{tool("a"), "accepted tool.registered a"},
			{matchup("a", "b"), "rejected unknown_tool /data/right"},
			{tool("b"), "accepted tool.registered b"},
			{matchup("b", "a"), "accepted matchup.opened b a"},
			{matchup("b", "a"), "duplicate of 3 matchup.opened, not recorded"},
			{matchup("a", "b"), "duplicate of 3 matchup.opened, not recorded"},
			{matchup("a", "a"), "rejected same_pair /data/right"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { play(t, tt.steps) })
	}
}

// TestDecideNamesTheTarget has events for a merged tool rejected with the tool
// they should be for, at the end of the chain.
func TestDecideNamesTheTarget(t *testing.T) {
	p := play(t, []step{
		{tool("a"), "accepted tool.registered a"},
		{tool("b"), "accepted tool.registered b"},
		{tool("c"), "accepted tool.registered c"},
		{merge("a", "b"), "accepted tool.merged a"},
		{merge("b", "c"), "accepted tool.merged b"},
	})
	d, err := p.submit(review("a", "p", "ship"))
	if err != nil || !strings.Contains(d.Problems.Error(), `send it for "c"`) {
		t.Errorf("%v, %v", err, d.Problems)
	}
	if d.Waits() {
		t.Error("a decision that registering a reviewer does not change waits for one")
	}
}

func TestDecisionWaits(t *testing.T) {
	p := play(t, []step{{tool("a"), "accepted tool.registered a"}, {seat("p"), "accepted reviewer.seated p"}})
	tests := []struct {
		name  string
		event event
		want  bool
	}{
		{"tool", review("b", "p", "ship"), true},
		{"reviewer", review("a", "q", "ship"), true},
		{"both", review("b", "q", "ship"), true},
		{"tools of a pair", matchup("b", "c"), true},
		{"withdrawal", withdraw("b", "p"), true},
		{"nothing", review("a", "p", "ship"), false},
		{"no cure", review("b", "p", "ship").at("2999-01-01T00:00:00Z"), false},
		{"stale", review("a", "p", "ship").with("expects", 9), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := p.next(tt.event)
			if err != nil {
				t.Fatal(err)
			}
			d, err := decide.Decide(p.state, s, now)
			if err != nil || d.Waits() != tt.want {
				t.Errorf("waits: %v, want %v: %s, %v", d.Waits(), tt.want, said(d), err)
			}
		})
	}
}

// TestDerived looks at what the intake and the matchmaker record on their own
// account.
func TestDerived(t *testing.T) {
	p := play(t, []step{
		{quorum(1), "accepted rules.published rules"},
		{inCategory("z", "vms"), "accepted tool.registered z"},
		{inCategory("a", "vms"), "accepted tool.registered a"},
		{review("a", "p", "ship").with("reviewer_name", "Pat").at("2026-11-01T00:00:00Z"), "accepted reviewer.seated p, review.submitted a p"},
		{review("z", "p", "ship").at("2026-11-02T00:00:00+02:00"), "accepted review.submitted z p, matchup.opened a z"},
		{review("new", "p", "ship").with("tool_name", "New"), "accepted tool.registered new, review.submitted new p"},
	})
	want := map[uint64]struct {
		source, id, time string
		cause            uint64
	}{
		4: {decide.IntakeSource, "reviewer/p", "2026-11-01T00:00:00Z", 5},
		7: {decide.MatchmakerSource, "a/z", "2026-11-02T00:00:00+02:00", 6},
		8: {decide.IntakeSource, "tool/new", "2026-11-30T09:00:00.000Z", 9},
	}
	for _, e := range p.log {
		w, derived := want[e.Seq]
		if derived != e.Derived() {
			t.Errorf("event %d has source %s", e.Seq, e.Source)
		}
		if derived && (e.Source != w.source || e.ID != w.id || e.Time != w.time || e.Cause != w.cause || e.Publisher != "shiplog") {
			t.Errorf("event %d: %+v, want %+v", e.Seq, e, w)
		}
	}
	if got := p.log[3].Data.(*events.ReviewerSeated).Name; got != "Pat" {
		t.Errorf("name %q", got)
	}
	submitted := p.log[8].Data.(*events.ReviewSubmitted)
	if submitted.ToolName != "" || events.Has(submitted, "tool_name") {
		t.Error("tool_name was stored with the review")
	}
}
