package projections_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// panel is a small ledger in which most things have happened.
//
//	 1 opened
//	 2–5 ann, ben, cid, dee seated
//	 6–8 ferrule, grommet, thimble registered in "knots"
//	 9–11 ferrule: ann ship, ben ship, cid skip       → Ship at 11
//	12–14 grommet: ann skip, ben ship, cid skip       → Skip at 14
//	15 ferrule against grommet
//	16 ferrule: dee abstains
//	17 grommet: ann ship                              → Ship
//	18 grommet: ann's ship again, another text
//	19 ferrule: ben withdraws                         → Pending
//	20 rules: quorum 2                                → ferrule Split
func panel(tb testing.TB) *kit.Ledger {
	return kit.Given(tb,
		kit.Seat("ann"), kit.Seat("ben"), kit.Seat("cid"), kit.Seat("dee"),
		kit.Tool("ferrule", "knots"), kit.Tool("grommet", "knots"), kit.Tool("thimble", "knots"),
		kit.Review("ferrule", "ann", events.Ship), kit.Review("ferrule", "ben", events.Ship), kit.Review("ferrule", "cid", events.Skip),
		kit.Review("grommet", "ann", events.Skip), kit.Review("grommet", "ben", events.Ship), kit.Review("grommet", "cid", events.Skip),
		kit.Match("ferrule", "grommet"),
		kit.Review("ferrule", "dee", events.Abstain),
		kit.Revise("grommet", "ann", events.Ship, 2, 12), kit.Revise("grommet", "ann", events.Ship, 3, 17),
		kit.Withdraw("ferrule", "ben"),
		kit.Quorum(2),
	)
}

// at is a snapshot, closed when the test ends.
func at(tb testing.TB, m *projections.Model, seq uint64) *projections.Snapshot {
	tb.Helper()
	s, err := m.At(tb.Context(), seq)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func stamp(seq uint64) projections.Stamp {
	return projections.Stamp{Seq: seq, Time: kit.Time(seq), Published: kit.Time(seq)}
}

func must[T any](tb testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

func TestToolThroughTime(t *testing.T) {
	m := kit.Model(t, panel(t))
	tests := []struct {
		at     uint64
		tool   string
		text   string
		lone   string
		since  uint64
		before events.Label
		judged uint64
	}{
		{8, "ferrule", "Pending, 0 of 3 reviews", "", 0, "", 0},
		{10, "ferrule", "Pending, 2 of 3 reviews", "", 0, "", 10},
		{11, "ferrule", "Ship 2 of 3 (67%)", "Cid", 11, "Pending", 11},
		{16, "ferrule", "Ship 2 of 3 (67%)", "Cid", 11, "Pending", 16},
		{16, "grommet", "Skip 1 of 3 (33%)", "Ben", 14, "Pending", 14},
		{18, "grommet", "Ship 2 of 3 (67%)", "Cid", 17, "Skip", 17},
		{19, "ferrule", "Pending, 2 of 3 reviews", "", 19, "Ship", 19},
		{20, "ferrule", "Split 1 of 2 (50%)", "", 20, "Pending", 20},
		{20, "thimble", "Pending, 0 of 2 reviews", "", 0, "", 20},
		{0, "grommet", "Ship 2 of 3 (67%)", "Cid", 17, "Skip", 17},
	}
	for _, test := range tests {
		s := at(t, m, test.at)
		tool := must[*projections.Tool](t)(s.Tool(t.Context(), test.tool))
		got := test
		got.text, got.since, got.before, got.judged = tool.Verdict.Text(s.Rules().Quorum), tool.Since.Seq, tool.Before, tool.Judged.Seq
		got.lone = ""
		if tool.Lone != nil {
			got.lone = tool.Lone.Name
		}
		if got != test {
			t.Errorf("%s at %d:\n got %v\nwant %v", test.tool, test.at, got, test)
		}
	}
}

func TestAt(t *testing.T) {
	m := kit.Model(t, panel(t))
	if _, err := m.At(t.Context(), 21); !errors.Is(err, projections.ErrBeyondPosition) {
		t.Errorf("beyond: %v", err)
	}
	empty := must[*projections.Model](t)(projections.Open(t.TempDir(), projections.Options{}))
	if _, err := empty.At(t.Context(), 0); !errors.Is(err, projections.ErrBeforeLedger) {
		t.Errorf("empty: %v", err)
	}
	if err := empty.Close(); err != nil {
		t.Error(err)
	}
	if _, err := empty.At(t.Context(), 0); !errors.Is(err, projections.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := m.AtTime(t.Context(), kit.Time(1).Add(-1)); !errors.Is(err, projections.ErrBeforeLedger) {
		t.Errorf("before: %v", err)
	}
	for _, test := range []struct {
		t    time.Time
		want uint64
	}{
		{kit.Time(1), 1},
		{kit.Time(7).Add(-time.Millisecond), 6},
		{kit.Time(7), 7},
		{kit.Time(500), 20},
	} {
		s := must[*projections.Snapshot](t)(m.AtTime(t.Context(), test.t))
		if s.Seq() != test.want {
			t.Errorf("at %s: %d, want %d", test.t, s.Seq(), test.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestMatchup(t *testing.T) {
	m := kit.Model(t, panel(t))
	for _, test := range []struct {
		at              uint64
		label           string
		toLeft, toRight int
		since, changed  uint64
	}{
		{15, "Leans Ferrule", 1, 0, 0, 15},
		{16, "Leans Ferrule", 1, 0, 0, 16},
		{17, "Level", 0, 0, 17, 17},
		{18, "Level", 0, 0, 17, 18}, // the page quotes the new text
		{19, "Not comparable yet", 0, 0, 19, 19},
		{20, "Level", 0, 0, 20, 20},
	} {
		c := must[*projections.Comparison](t)(at(t, m, test.at).Comparison(t.Context(), "grommet", "ferrule"))
		got := test
		got.label, got.toLeft, got.toRight = c.LabelText(), len(c.ToLeft), len(c.ToRight)
		got.since, got.changed = c.Since.Seq, c.Changed.Seq
		if got != test {
			t.Errorf("at %d:\n got %+v\nwant %+v", test.at, got, test)
		}
	}
	if _, err := at(t, m, 14).Matchup(t.Context(), "ferrule", "grommet"); !errors.Is(err, projections.ErrNotFound) {
		t.Errorf("before it was opened: %v", err)
	}
}

func TestScorecard(t *testing.T) {
	m := kit.Model(t, panel(t))
	c := must[*projections.Comparison](t)(at(t, m, 0).Comparison(t.Context(), "ferrule", "grommet"))
	names := func(rows []projections.Row) (list []string) {
		for _, r := range rows {
			list = append(list, r.Reviewer.Slug)
		}
		return list
	}
	got := [][]string{names(c.Common), names(c.One), names(c.Abstained)}
	if diff := cmp.Diff([][]string{{"ann", "cid"}, {"ben"}, {"dee"}}, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	if !c.One[0].Left.Gone() || c.One[0].Right.Verdict != events.Ship {
		t.Errorf("ben: %+v", c.One[0])
	}
}

func TestFeedReviewItems(t *testing.T) {
	m := kit.Model(t, panel(t))
	items := feed(t, at(t, m, 0), projections.FeedFilter{}, projections.ItemReview).Reviews
	var got [][3]uint64 // item, what it shows, when updated
	for _, item := range items {
		got = append(got, [3]uint64{item.Seq, item.Review.Event.Seq, uint64(item.Updated.Sub(kit.Time(1)).Seconds()) + 1})
	}
	want := [][3]uint64{{19, 19, 19}, {17, 18, 18}, {16, 16, 16}, {14, 14, 14}, {13, 13, 13}, {12, 12, 12}, {11, 11, 11}, {10, 10, 10}, {9, 9, 9}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

func TestFeedVerdictsJoinRules(t *testing.T) {
	m := kit.Model(t, panel(t))
	s := at(t, m, 0)
	seqs := func(f projections.FeedFilter) (list []uint64) {
		for _, item := range feed(t, s, f, projections.ItemVerdict).Verdicts {
			list = append(list, item.Seq)
			if (item.Rules == nil) == (item.Change == nil) {
				t.Errorf("%+v: item %d is neither or both", f, item.Seq)
			}
		}
		return list
	}
	got := map[string][]uint64{
		"all":      seqs(projections.FeedFilter{}),
		"tool":     seqs(projections.FeedFilter{Tool: "ferrule"}),
		"category": seqs(projections.FeedFilter{Category: "knots"}),
		"reviewer": seqs(projections.FeedFilter{Reviewer: "ben"}),
	}
	want := map[string][]uint64{"all": {20, 19, 17, 14, 11}, "tool": {20, 19, 11}, "category": {19, 17, 14, 11}, "reviewer": {19}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if rules := s.Rules(); rules.Changed != 1 || rules.Quorum != 2 || rules.Event != stamp(20) {
		t.Errorf("rules: %+v", rules)
	}
}

func TestReviewers(t *testing.T) {
	m := kit.Model(t, panel(t))
	s := at(t, m, 0)
	d := must[*projections.ReviewerDetail](t)(s.ReviewerDetail(t.Context(), "cid"))
	if d.Tally != (events.Tally{Skips: 2}) || d.LoneDissents != 1 || d.Flips != 2 || len(d.Strip) != 2 {
		t.Errorf("cid: %+v", d)
	}
	if diff := cmp.Diff([]string{"ann", "ben"}, []string{d.Agreement[0].With.Slug, d.Agreement[1].With.Slug}); diff != "" {
		t.Error(diff)
	}
	list, total, err := s.ReviewerReviews(t.Context(), "ann", projections.ReviewerFilter{Limit: 1})
	if err != nil || total != 2 || len(list) != 1 || list[0].Event.Seq != 18 || list[0].Revision != 3 || list[0].Panel.Label != events.LabelShip {
		t.Errorf("ann: %v %d %+v", err, total, list)
	}
}

func TestEffects(t *testing.T) {
	m := kit.Model(t, panel(t))
	e := must[*projections.Effects](t)(at(t, m, 17).Effects(t.Context()))
	if len(e.Tools) != 1 || e.Tools[0].Before.Label != events.LabelSkip || e.Tools[0].After.Label != events.LabelShip {
		t.Errorf("tools: %+v", e.Tools)
	}
	if len(e.Matchups) != 1 || e.Matchups[0].Before.Kind != events.Leans || e.Matchups[0].After.Kind != events.Level {
		t.Errorf("matchups: %+v", e.Matchups)
	}
	e = must[*projections.Effects](t)(at(t, m, 20).Effects(t.Context()))
	if len(e.Tools) != 1 || e.Tools[0].Before.Quorum != 3 || len(e.Matchups) != 1 {
		t.Errorf("rules: %+v", e)
	}
}
