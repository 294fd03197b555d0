package decide_test

import "testing"

// at brings a tool of a category to a quorum of one.
func at(slug, category string) []step {
	return []step{
		{inCategory(slug, category), "accepted tool.registered " + slug},
		{review(slug, "p", "ship"), "accepted review.submitted " + slug + " p"},
	}
}

func opening(rules event, more ...step) []step {
	return append([]step{
		{rules, "accepted rules.published rules"},
		{seat("p"), "accepted reviewer.seated p"},
		{seat("q"), "accepted reviewer.seated q"},
	}, more...)
}

func steps(parts ...[]step) []step {
	var all []step
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func one(e event, want string) []step { return []step{{e, want}} }

func TestMatchmaker(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
	}{
		{"those that reached the quorum last come first", steps(
			opening(quorum(1)), at("b", "x"),
			one(inCategory("a", "x"), "accepted tool.registered a"),
			one(review("a", "p", "ship"), "accepted review.submitted a p, matchup.opened a b"),
			one(inCategory("c", "x"), "accepted tool.registered c"),
			one(review("c", "p", "skip"), "accepted review.submitted c p, matchup.opened a c, matchup.opened b c"),
		)},
		{"only the category", steps(
			opening(quorum(1)), at("a", "x"), at("b", "y"),
			one(tool("c"), "accepted tool.registered c"),
			one(review("c", "p", "ship"), "accepted review.submitted c p"),
			one(tool("d"), "accepted tool.registered d"),
			one(review("d", "p", "ship"), "accepted review.submitted d p"),
		)},
		{"a category whose name begins with another's", steps(opening(quorum(1)), at("a", "x"), at("b", "xx"), at("c", "x-x"))},
		{"abstentions do not count", steps(
			opening(quorum(1)), at("a", "x"),
			one(inCategory("b", "x"), "accepted tool.registered b"),
			one(review("b", "p", "abstain"), "accepted review.submitted b p"),
			one(review("b", "p", "ship"), "accepted review.revised b p #2 for 7, matchup.opened a b"),
		)},
		{"a quorum of two", steps(
			opening(quorum(2)),
			one(inCategory("a", "x"), "accepted tool.registered a"),
			one(inCategory("b", "x"), "accepted tool.registered b"),
			one(review("a", "p", "ship"), "accepted review.submitted a p"),
			one(review("b", "p", "ship"), "accepted review.submitted b p"),
			one(review("a", "q", "skip"), "accepted review.submitted a q"),
			one(review("b", "q", "skip"), "accepted review.submitted b q, matchup.opened a b"),
			one(review("b", "q", "ship"), "accepted review.revised b q #2 for 9"),
		)},
		{"a pair is opened once", steps(
			opening(quorum(1)), at("a", "x"),
			one(inCategory("b", "x"), "accepted tool.registered b"),
			one(matchup("b", "a"), "accepted matchup.opened b a"),
			one(review("b", "p", "ship"), "accepted review.submitted b p"),
			one(withdraw("b", "p"), "accepted review.withdrawn b p"),
			one(review("b", "p", "ship"), "accepted review.revised b p #2 for 9"),
			one(inCategory("c", "x"), "accepted tool.registered c"),
			// b came to the quorum again, after a.
			one(review("c", "p", "ship"), "accepted review.submitted c p, matchup.opened b c, matchup.opened a c"),
			one(withdraw("c", "p"), "accepted review.withdrawn c p"),
			one(review("c", "q", "ship"), "accepted review.submitted c q"),
		)},
		{"until it is full", steps(
			opening(rules(map[string]any{"quorum": 1, "max_matchups_per_tool": 2})), at("a", "x"),
			one(inCategory("b", "x"), "accepted tool.registered b"),
			one(review("b", "p", "ship"), "accepted review.submitted b p, matchup.opened a b"),
			one(inCategory("c", "x"), "accepted tool.registered c"),
			one(review("c", "p", "ship"), "accepted review.submitted c p, matchup.opened b c, matchup.opened a c"),
			one(inCategory("d", "x"), "accepted tool.registered d"),
			one(review("d", "p", "ship"), "accepted review.submitted d p"), // all are full
			one(matchup("a", "d"), "accepted matchup.opened a d"),          // never refused
			one(inCategory("e", "x"), "accepted tool.registered e"),
			one(review("e", "p", "ship"), "accepted review.submitted e p, matchup.opened d e"), // d has one by hand
			one(inCategory("f", "x"), "accepted tool.registered f"),
			one(review("f", "p", "ship"), "accepted review.submitted f p, matchup.opened e f"),
		)},
		{"one that is full by hand opens nothing", steps(
			opening(rules(map[string]any{"quorum": 1, "max_matchups_per_tool": 1})), at("a", "x"), at("z", "other"),
			one(inCategory("b", "x"), "accepted tool.registered b"),
			one(matchup("b", "z"), "accepted matchup.opened b z"),
			one(review("b", "p", "ship"), "accepted review.submitted b p"),
		)},
		{"a maximum of none", steps(
			opening(rules(map[string]any{"quorum": 1, "max_matchups_per_tool": 0})), at("a", "x"), at("b", "x"),
			one(matchup("a", "b"), "accepted matchup.opened a b"),
		)},
		{"manual", steps(opening(rules(map[string]any{"quorum": 1, "matchmaking": "manual"})), at("a", "x"), at("b", "x"))},
		{"merged and retired tools are passed over", steps(
			opening(quorum(1)), at("a", "x"), at("b", "other"), at("c", "third"), at("d", "fourth"),
			one(merge("a", "d"), "accepted tool.merged a"),
			one(inCategory("b", "x"), "accepted tool.registered b"),
			one(retire("b"), "accepted tool.retired b"),
			one(inCategory("c", "x"), "accepted tool.registered c"), // nobody is left
			one(inCategory("b", "x"), "accepted tool.registered b"), // back, but neither its quorum nor its category is new
			one(unmerge("a", "d"), "accepted tool.unmerged a"),
			one(inCategory("e", "x"), "accepted tool.registered e"),
			one(review("e", "p", "ship"), "accepted review.submitted e p, matchup.opened c e, matchup.opened b e, matchup.opened a e"),
		)},
		{"a retired tool at the quorum opens nothing", steps(
			opening(quorum(1)), at("a", "x"),
			one(inCategory("b", "x"), "accepted tool.registered b"),
			one(retire("b"), "accepted tool.retired b"),
			one(review("b", "p", "ship"), "accepted review.submitted b p"),
			one(inCategory("b", "y"), "accepted tool.registered b"),
			one(inCategory("b", "x"), "accepted tool.registered b, matchup.opened a b"),
		)},
		{"a change of category", steps(
			opening(quorum(1)), at("a", "x"), at("b", "y"),
			one(inCategory("c", "x"), "accepted tool.registered c"), // below the quorum
			one(inCategory("b", "x"), "accepted tool.registered b, matchup.opened a b"),
			one(tool("b").with("category", nil), "accepted tool.registered b"),
			one(review("c", "p", "ship"), "accepted review.submitted c p, matchup.opened a c"),
			one(inCategory("b", "x"), "accepted tool.registered b, matchup.opened b c"),
		)},
		{"a change of rules opens nothing", steps(
			opening(quorum(2)),
			one(inCategory("a", "x"), "accepted tool.registered a"),
			one(inCategory("b", "x"), "accepted tool.registered b"),
			one(inCategory("c", "x"), "accepted tool.registered c"),
			one(review("a", "p", "ship"), "accepted review.submitted a p"),
			one(review("b", "p", "ship"), "accepted review.submitted b p"),
			one(quorum(1), "accepted rules.published rules"),
			one(review("b", "q", "ship"), "accepted review.submitted b q"), // was at the quorum already
			// a and b reached it by the rules, at one time: by name.
			one(review("c", "p", "ship"), "accepted review.submitted c p, matchup.opened a c, matchup.opened b c"),
		)},
		{"a higher quorum takes tools out of the queue", steps(
			opening(quorum(1)), at("a", "x"), at("b", "y"),
			one(quorum(2), "accepted rules.published rules"),
			one(inCategory("b", "x"), "accepted tool.registered b"),
			one(review("b", "q", "ship"), "accepted review.submitted b q"),
			one(review("a", "q", "ship"), "accepted review.submitted a q, matchup.opened a b"),
		)},
		{"a higher maximum makes room", steps(
			opening(rules(map[string]any{"quorum": 1, "max_matchups_per_tool": 1})), at("a", "x"),
			one(inCategory("b", "x"), "accepted tool.registered b"),
			one(review("b", "p", "ship"), "accepted review.submitted b p, matchup.opened a b"),
			one(quorum(1), "accepted rules.published rules"), // the maximum is 8 again
			one(inCategory("c", "x"), "accepted tool.registered c"),
			one(review("c", "p", "ship"), "accepted review.submitted c p, matchup.opened b c, matchup.opened a c"),
		)},
		{"a review of an unknown tool has no category", steps(
			opening(quorum(1)), at("a", "x"),
			one(review("b", "p", "ship").with("tool_name", "B"), "accepted tool.registered b, review.submitted b p"),
			one(inCategory("b", "x"), "accepted tool.registered b, matchup.opened a b"),
		)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { play(t, tt.steps) })
	}
}
