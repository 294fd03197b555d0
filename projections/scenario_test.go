package projections_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// three is a ledger in which ann, ben and cid say ship, ship and skip of two
// tools of one category, which are matched.
//
//	2–4 ann, ben, cid seated
//	5, 6 ferrule, grommet registered
//	7–9 ferrule: ship, ship, skip   → Ship at 9, cid alone
//	10, 11 grommet: ship, skip
//	12 ferrule against grommet
func three(tb testing.TB) *kit.Ledger {
	return kit.Given(tb,
		kit.Seat("ann"), kit.Seat("ben"), kit.Seat("cid"), kit.Tool("ferrule", "knots"), kit.Tool("grommet", "knots"),
		kit.Review("ferrule", "ann", events.Ship), kit.Review("ferrule", "ben", events.Ship), kit.Review("ferrule", "cid", events.Skip),
		kit.Review("grommet", "ann", events.Ship), kit.Review("grommet", "cid", events.Skip), kit.Match("ferrule", "grommet"))
}

// listed are the slugs of the current tools, and how many have each label.
func listed(t *testing.T, s *projections.Snapshot) (slugs []string, labels map[events.Label]int) {
	t.Helper()
	tools, total, err := s.Tools(t.Context(), projections.ToolFilter{})
	if err != nil || total != len(tools) {
		t.Fatalf("%d of %d tools: %v", len(tools), total, err)
	}
	for _, tool := range tools {
		slugs = append(slugs, tool.Slug)
	}
	labels = make(map[events.Label]int)
	for _, l := range must[[]projections.LabelCount](t)(s.Labels(t.Context(), "knots")) {
		if l.Tools > 0 {
			labels[l.Label] = l.Tools
		}
	}
	return slugs, labels
}

func TestMergeCountsForNobody(t *testing.T) {
	l := three(t)
	l.Append(&events.ToolMerged{Tool: "ferrule", Into: "grommet", Reason: "the same"}) // 13
	m := kit.Model(t, l)
	// What each said of ferrule leaves the scores, cid's lone dissent with it.
	kit.Then(t, m, "scores",
		"1 7 1 0 0 0 0 0 0", "1 10 2 0 0 0 0 0 0", "1 13 1 0 0 0 0 0 0",
		"2 8 1 0 0 0 0 0 0", "2 13 0 0 0 0 0 0 0",
		"3 9 0 1 0 1 1 0 0", "3 11 0 2 0 1 1 0 0", "3 13 0 1 0 0 1 0 0")
	kit.Then(t, m, "totals",
		"1 5 1 0 0 0 0", "1 6 2 0 0 0 0", "1 9 1 1 0 0 0", "1 12 1 1 0 0 1", "1 13 1 0 0 0 1")
	s := at(t, m, 0)
	slugs, labels := listed(t, s)
	if diff := cmp.Diff([]any{[]string{"grommet"}, map[events.Label]int{events.LabelPending: 1}}, []any{slugs, labels}); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
	cid := must[*projections.ReviewerDetail](t)(s.ReviewerDetail(t.Context(), "cid"))
	if cid.LoneDissents != 0 || cid.Tally != (events.Tally{Skips: 1}) || len(cid.Strip) != 1 || len(cid.Agreement) != 1 || cid.Agreement[0].Of != 1 {
		t.Errorf("cid: %+v", cid)
	}
	reviews, total, err := s.ReviewerReviews(t.Context(), "cid", projections.ReviewerFilter{})
	if err != nil || total != 2 || reviews[0].Merged || !reviews[1].Merged || reviews[1].LoneDissent {
		t.Errorf("reviews of cid: %v %d %+v", err, total, reviews)
	}
	dup := must[*projections.Tool](t)(s.Tool(t.Context(), "ferrule"))
	if dup.Lone != nil || dup.Merged == nil || dup.Verdict.Label != events.LabelShip {
		t.Errorf("ferrule: %+v", dup)
	}
	if from := must[[]projections.MergedFrom](t)(s.MergedFrom(t.Context(), "grommet")); len(from) != 1 || len(from[0].Reviews) != 3 {
		t.Errorf("merged from: %+v", from)
	}
	if stats := must[projections.Stats](t)(s.Stats(t.Context())); stats.Tools != 1 || stats.Reviews != 2 {
		t.Errorf("stats: %+v", stats)
	}
}

func TestRulesPassOverDuplicates(t *testing.T) {
	l := three(t)
	l.Append(&events.ToolMerged{Tool: "grommet", Into: "ferrule"}) // 13
	l.Append(kit.Quorum(2))                                        // 14
	m := kit.Model(t, l)
	s := at(t, m, 0)
	if rules := s.Rules(); rules.Changed != 0 {
		t.Errorf("the rules changed %d verdicts", rules.Changed)
	}
	dup := must[*projections.Tool](t)(s.Tool(t.Context(), "grommet"))
	if dup.Verdict.Label != events.LabelPending || dup.Verdict.Quorum != 3 || dup.Changed() != stamp(13) {
		t.Errorf("grommet: %+v", dup)
	}
	// Once it is a tool again it has the verdict of the rules in force.
	l.Append(&events.ToolUnmerged{Tool: "grommet", Into: "ferrule"}) // 15
	m = kit.Model(t, l)
	kit.Then(t, m, "changes", "1 9 1 0 1 2 1 0 3 0 1 1772442008000", "2 15 2 0 3 1 1 0 2 1 1 1772442014000")
	s = at(t, m, 0)
	slugs, labels := listed(t, s)
	want := []any{[]string{"ferrule", "grommet"}, map[events.Label]int{events.LabelShip: 1, events.LabelSplit: 1}}
	if diff := cmp.Diff(want, []any{slugs, labels}); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
	tool := must[*projections.Tool](t)(s.Tool(t.Context(), "grommet"))
	if tool.Merged != nil || tool.Verdict.Label != events.LabelSplit || tool.Since != stamp(15) || tool.Before != events.LabelPending {
		t.Errorf("grommet: %+v", tool)
	}
	all := feed(t, s, projections.FeedFilter{}, projections.ItemVerdict).Verdicts
	own := feed(t, s, projections.FeedFilter{Tool: "grommet"}, projections.ItemVerdict).Verdicts
	if len(all) != 1 || len(own) != 1 || own[0].Seq != 15 || own[0].Change.Cause.Kind != projections.CauseRules {
		t.Errorf("feeds: %+v, %+v", all, own)
	}
	steps := must[[]projections.Step](t)(s.Steps(t.Context(), "grommet"))
	if last := steps[len(steps)-1]; last.Event != stamp(15) || last.Verdict.Label != events.LabelSplit {
		t.Errorf("steps: %+v", steps)
	}
}

func TestUnmergeCountsAgain(t *testing.T) {
	l := three(t)
	before := kit.Model(t, l)
	l.Append(&events.ToolMerged{Tool: "ferrule", Into: "grommet"}, &events.ToolUnmerged{Tool: "ferrule", Into: "grommet"}) // 13, 14
	after := kit.Model(t, l)
	for _, slug := range []string{"ann", "ben", "cid"} {
		was := must[*projections.ReviewerDetail](t)(at(t, before, 0).ReviewerDetail(t.Context(), slug))
		is := must[*projections.ReviewerDetail](t)(at(t, after, 0).ReviewerDetail(t.Context(), slug))
		was.Judged = stamp(14)
		if slug == "ben" && is.Judged != stamp(14) {
			t.Errorf("%s was judged last at %d", slug, is.Judged.Seq)
		}
		if diff := cmp.Diff(was, is); diff != "" {
			t.Errorf("%s (-before +after):\n%s", slug, diff)
		}
	}
	was, labels := listed(t, at(t, before, 0))
	is, labelsAfter := listed(t, at(t, after, 0))
	if diff := cmp.Diff([]any{was, labels}, []any{is, labelsAfter}); diff != "" {
		t.Errorf("lists (-before +after):\n%s", diff)
	}
	if cats := must[[]projections.CategoryCount](t)(at(t, after, 0).Categories(t.Context())); len(cats) != 1 || cats[0].Tools != 2 || cats[0].Matchups != 1 {
		t.Errorf("categories: %+v", cats)
	}
}

func TestRetireAndRegisterAgain(t *testing.T) {
	l := three(t)
	l.Append(&events.ToolRetired{Tool: "grommet", Reason: "no more"}) // 13
	l.Append(kit.Quorum(2))                                           // 14
	l.Append(kit.Tool("grommet", "rings"))                            // 15
	m := kit.Model(t, l)
	kit.Then(t, m, "totals",
		"1 5 1 0 0 0 0", "1 6 2 0 0 0 0", "1 9 1 1 0 0 0", "1 12 1 1 0 0 1", "1 13 0 1 0 0 1", "1 15 0 1 0 0 0",
		"2 15 0 0 0 1 0")
	s := at(t, m, 14)
	slugs, labels := listed(t, s)
	if diff := cmp.Diff([]any{[]string{"ferrule"}, map[events.Label]int{events.LabelShip: 1}}, []any{slugs, labels}); diff != "" {
		t.Errorf("retired (-want +got):\n%s", diff)
	}
	// A retired tool has a page, and what is said of it counts.
	tool := must[*projections.Tool](t)(s.Tool(t.Context(), "grommet"))
	if tool.Retired == nil || tool.Verdict.Label != events.LabelSplit || tool.Since != stamp(14) {
		t.Errorf("grommet: %+v", tool)
	}
	if cid := must[*projections.Reviewer](t)(s.Reviewer(t.Context(), "cid")); cid.Tally.Skips != 2 {
		t.Errorf("cid: %+v", cid)
	}
	s = at(t, m, 0)
	if slugs, _ := listed(t, s); len(slugs) != 2 {
		t.Errorf("registered again: %v", slugs)
	}
	if tool := must[*projections.Tool](t)(s.Tool(t.Context(), "grommet")); tool.Retired != nil || tool.Category != "rings" || tool.Registered != stamp(6) {
		t.Errorf("grommet: %+v", tool)
	}
}

func TestUnseatAndSeatAgain(t *testing.T) {
	l := three(t)
	l.Append(&events.ReviewerUnseated{Reviewer: "ben", Reason: "moved on"}) // 13
	l.Append(kit.Review("grommet", "ben", events.Ship))                     // 14, which the intake would refuse
	l.Append(kit.Seat("ben"))                                               // 15
	l.Append(kit.Revise("grommet", "ben", events.Ship, 2, 14))              // 16
	m := kit.Model(t, l)
	for _, test := range []struct {
		at     uint64
		former bool
		tally  events.Tally // of ben
		text   string       // of grommet
	}{
		{12, false, events.Tally{Ships: 1}, "Pending, 2 of 3 reviews"},
		{13, true, events.Tally{Ships: 1}, "Pending, 2 of 3 reviews"},
		{14, true, events.Tally{Ships: 1}, "Pending, 2 of 3 reviews"},
		{15, false, events.Tally{Ships: 1}, "Pending, 2 of 3 reviews"},
		{16, false, events.Tally{Ships: 2}, "Ship 2 of 3 (67%)"},
	} {
		s := at(t, m, test.at)
		ben := must[*projections.Reviewer](t)(s.Reviewer(t.Context(), "ben"))
		tool := must[*projections.Tool](t)(s.Tool(t.Context(), "grommet"))
		got := test
		got.former, got.tally, got.text = ben.Former != nil, ben.Tally, tool.Verdict.Text(3)
		if got != test {
			t.Errorf("at %d:\n got %+v\nwant %+v", test.at, got, test)
		}
		// What was said while seated keeps counting.
		if other := must[*projections.Tool](t)(s.Tool(t.Context(), "ferrule")); other.Verdict.Label != events.LabelShip {
			t.Errorf("at %d: ferrule: %+v", test.at, other.Verdict)
		}
	}
}
