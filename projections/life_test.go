package projections_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// null is a registration that clears members.
func null(tb testing.TB, tool, name string, members ...string) events.Payload {
	tb.Helper()
	data := fmt.Sprintf(`"tool":%q,"name":%q`, tool, name)
	for _, m := range members {
		data += fmt.Sprintf(`,%q:null`, m)
	}
	sub, ps := events.Parse(fmt.Appendf(nil, `{"specversion":"1.0","id":"1","source":"/t","type":"shiplog.tool.registered.v1","data":{%s}}`, data))
	if len(ps) > 0 {
		tb.Fatal(ps)
	}
	return sub.Data
}

func TestToolFacts(t *testing.T) {
	l := kit.Given(t)                                                                                                                                                                               // 1
	l.Append(&events.ToolRegistered{Tool: "ferrule", Name: "Ferrule", Category: "knots", Tagline: "holds", Homepage: "https://ferrule.example", Pricing: "paid", Aliases: []string{"fer", "rule"}}) // 2
	l.Append(&events.ToolRegistered{Tool: "ferrule", Name: "Ferrule 2", Aliases: []string{"fer", "ferrule-two"}})                                                                                   // 3
	l.Append(null(t, "ferrule", "Ferrule 2", "tagline", "category", "aliases"))                                                                                                                     // 4
	l.Append(&events.ToolRetired{Tool: "ferrule", Reason: "no more"})                                                                                                                               // 5
	l.Append(&events.ToolRegistered{Tool: "ferrule", Name: "Ferrule 2"})                                                                                                                            // 6
	m := kit.Model(t, l)
	tests := []struct {
		at                      uint64
		name, tagline, category string
		aliases                 []string
		named                   uint64
		retired                 bool
		listed                  int
	}{
		{2, "Ferrule", "holds", "knots", []string{"fer", "rule"}, 2, false, 1},
		{3, "Ferrule 2", "holds", "knots", []string{"fer", "ferrule-two"}, 3, false, 1},
		{4, "Ferrule 2", "", "", nil, 3, false, 1},
		{5, "Ferrule 2", "", "", nil, 3, true, 0},
		{6, "Ferrule 2", "", "", nil, 3, false, 1},
	}
	for _, test := range tests {
		s := at(t, m, test.at)
		tool := must[*projections.Tool](t)(s.Tool(t.Context(), "ferrule"))
		_, total, err := s.Tools(t.Context(), projections.ToolFilter{})
		if err != nil {
			t.Fatal(err)
		}
		got := []any{tool.Name, tool.Tagline, tool.Category, tool.Aliases, tool.Named.Seq, tool.Retired != nil, total, tool.Facts, tool.Registered, tool.Pricing}
		want := []any{test.name, test.tagline, test.category, test.aliases, test.named, test.retired, test.listed, stamp(test.at), stamp(2), "paid"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at %d (-want +got):\n%s", test.at, diff)
		}
	}
	s := at(t, m, 3)
	if tool := must[*projections.Tool](t)(s.Tool(t.Context(), "ferrule-two")); tool.Slug != "ferrule" {
		t.Errorf("the alias means %q", tool.Slug)
	}
	if _, err := s.Tool(t.Context(), "rule"); !errors.Is(err, projections.ErrNotFound) {
		t.Errorf("the alias given up: %v", err)
	}
}

func TestMerge(t *testing.T) {
	l := panel(t)
	l.Append(&events.ToolMerged{Tool: "grommet", Into: "ferrule", Reason: "the same thing"}) // 21
	l.Append(&events.ToolUnmerged{Tool: "grommet", Into: "ferrule"})                         // 22
	m := kit.Model(t, l)
	s := at(t, m, 21)
	from := must[[]projections.MergedFrom](t)(s.MergedFrom(t.Context(), "ferrule"))
	if len(from) != 1 || from[0].Tool.Slug != "grommet" || len(from[0].Reviews) != 3 || from[0].Tool.Merged.Into.Name != "Ferrule" {
		t.Errorf("merged from: %+v", from)
	}
	tools, total, err := s.Tools(t.Context(), projections.ToolFilter{Category: "knots"})
	if err != nil || total != 2 || tools[0].Slug != "ferrule" || tools[1].Slug != "thimble" {
		t.Errorf("listed: %v %d %v", err, total, tools)
	}
	if _, err := s.Matchup(t.Context(), "ferrule", "grommet"); err != nil {
		t.Errorf("the comparison stays: %v", err)
	}
	if last := must[projections.Stamp](t)(s.LastChange(t.Context(), projections.ScopeTool, "ferrule")); last.Seq != 21 {
		t.Errorf("the target changed last at %d, want 21", last.Seq)
	}
	s = at(t, m, 22)
	if from := must[[]projections.MergedFrom](t)(s.MergedFrom(t.Context(), "ferrule")); len(from) != 0 {
		t.Errorf("merged from: %+v", from)
	}
	if last := must[projections.Stamp](t)(s.LastChange(t.Context(), projections.ScopeTool, "ferrule")); last.Seq != 22 {
		t.Errorf("the target changed last at %d, want 22", last.Seq)
	}
}

func TestSeats(t *testing.T) {
	l := panel(t)
	l.Append(&events.ReviewerUnseated{Reviewer: "ann", Reason: "moved on"})                            // 21
	l.Append(&events.ReviewerSeated{Reviewer: "cid", Name: "Cid the Second", Kind: "ai", Order: 1})    // 22
	l.Append(&events.ReviewerSeated{Reviewer: "ann", Name: "Ann", Order: 2, Motto: "Back", Lens: "x"}) // 23
	m := kit.Model(t, l)
	order := func(seq uint64) (list []string) {
		for _, v := range must[[]projections.Reviewer](t)(at(t, m, seq).Reviewers(t.Context())) {
			name := v.Name + " " + v.Kind
			if v.Former != nil {
				name += " former"
			}
			list = append(list, name)
		}
		return list
	}
	want := [][]string{
		{"Ann human", "Ben human", "Cid human", "Dee human"},
		{"Ann human former", "Ben human", "Cid human", "Dee human"},
		{"Cid the Second ai", "Ann human former", "Ben human", "Dee human"},
		{"Cid the Second ai", "Ann human", "Ben human", "Dee human"},
	}
	if diff := cmp.Diff(want, [][]string{order(20), order(21), order(22), order(23)}); diff != "" {
		t.Errorf("panel (-want +got):\n%s", diff)
	}
	tool := must[*projections.Tool](t)(at(t, m, 21).Tool(t.Context(), "grommet"))
	if tool.Verdict.Ships != 2 {
		t.Errorf("what a former reviewer said keeps counting: %+v", tool.Verdict)
	}
	reviews := must[[]projections.Review](t)(at(t, m, 22).ToolReviews(t.Context(), "grommet"))
	if reviews[0].Reviewer.Name != "Cid the Second" || reviews[0].Changed().Seq != 22 || !reviews[1].Reviewer.Former {
		t.Errorf("reviews: %+v", reviews)
	}
}

func TestCategoryOfMatchups(t *testing.T) {
	l := panel(t)
	l.Append(kit.Tool("grommet", "rings")) // 21
	l.Append(kit.Tool("ferrule", "rings")) // 22
	m := kit.Model(t, l)
	for _, test := range []struct {
		at           uint64
		knots, rings int
	}{{20, 1, 0}, {21, 0, 0}, {22, 0, 1}} {
		s := at(t, m, test.at)
		count := func(category string) int {
			_, total, err := s.Matchups(t.Context(), projections.MatchupFilter{Category: category})
			if err != nil {
				t.Fatal(err)
			}
			return total
		}
		if knots, rings := count("knots"), count("rings"); knots != test.knots || rings != test.rings {
			t.Errorf("at %d: %d of knots, %d of rings; want %d, %d", test.at, knots, rings, test.knots, test.rings)
		}
	}
}

func TestReplies(t *testing.T) {
	l := panel(t)
	l.Append(&events.ReplyPublished{Tool: "ferrule", Body: "thanks", Author: "The makers"}) // 21
	l.Append(&events.ReplyPublished{Tool: "ferrule", Body: "more"})                         // 22
	l.Append(&events.ReplyPublished{Tool: "ferrule", Body: "thank you", Replaces: 21})      // 23
	m := kit.Model(t, l)
	bodies := func(seq uint64) (list []string) {
		for _, r := range must[[]projections.Reply](t)(at(t, m, seq).Replies(t.Context(), "ferrule")) {
			list = append(list, r.Body)
		}
		return list
	}
	if diff := cmp.Diff([][]string{{"more", "thanks"}, {"thank you", "more"}}, [][]string{bodies(22), bodies(23)}); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func TestSearch(t *testing.T) {
	l := panel(t)
	l.Append(&events.ToolRegistered{Tool: "oese", Name: "Öse für Segel", Aliases: []string{"eyelet"}})
	m := kit.Model(t, l)
	s := at(t, m, 0)
	tests := []struct {
		q                          string
		tools, reviewers, matchups []string
	}{
		{"FERR", []string{"ferrule"}, nil, []string{"ferrule grommet"}},
		{"ose", []string{"oese"}, nil, nil},
		{"Für", []string{"oese"}, nil, nil},
		{"segel ose", []string{"oese"}, nil, nil},
		{"eyelet", []string{"oese"}, nil, nil},
		{"ferrule vs grommet", nil, nil, []string{"ferrule grommet"}},
		{"ann", nil, []string{"ann"}, nil},
		{"nothing of the kind", nil, nil, nil},
		{"  ", nil, nil, nil},
	}
	for _, test := range tests {
		found := must[*projections.Found](t)(s.Search(t.Context(), test.q, 10))
		got := test
		got.tools, got.reviewers, got.matchups = nil, nil, nil
		for _, tool := range found.Tools {
			got.tools = append(got.tools, tool.Slug)
		}
		for _, v := range found.Reviewers {
			got.reviewers = append(got.reviewers, v.Slug)
		}
		for _, match := range found.Matchups {
			got.matchups = append(got.matchups, match.Left.Slug+" "+match.Right.Slug)
		}
		if diff := cmp.Diff(fmt.Sprint(test), fmt.Sprint(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.q, diff)
		}
	}
}

func TestFeedWindow(t *testing.T) {
	day := 24 * time.Hour
	tests := []struct {
		name    string
		reviews int
		apart   time.Duration
		want    int
	}{
		{"few", 7, 30 * day, 7},
		{"the newest fifty", 80, day, 50},
		{"all of fourteen days", 80, 6 * time.Hour, 57},
		{"at most two hundred", 230, time.Minute, 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := kit.Given(t, kit.Seat("ann"))
			l.Clock = func(seq uint64) time.Time { return kit.Time(1).Add(time.Duration(seq) * test.apart) }
			for i := range test.reviews {
				l.Append(kit.Tool(fmt.Sprint("tool", i), "c"))
			}
			first := uint64(0)
			for i := range test.reviews {
				seq := l.Append(kit.Review(fmt.Sprint("tool", i), "ann", events.Ship))
				if i == 0 {
					first = seq
				}
			}
			s := at(t, kit.Model(t, l), 0)
			for _, f := range []projections.FeedFilter{{}, {Reviewer: "ann"}, {Category: "c"}} {
				items := feed(t, s, f, projections.ItemReview).Reviews
				if len(items) != test.want || items[0].Seq != first+uint64(test.reviews)-1 {
					t.Errorf("%+v: %d items, want %d", f, len(items), test.want)
				}
			}
		})
	}
}

func TestFeedOrderOfWhatWasWrittenEarlier(t *testing.T) {
	l := kit.Given(t, kit.Seat("ann"), kit.Tool("a", ""), kit.Tool("b", ""), kit.Tool("c", ""))
	l.Append(kit.Review("a", "ann", events.Ship))
	l.Written = "2019-01-01T00:00:00Z"
	l.Append(kit.Review("b", "ann", events.Ship))
	l.Written = "2999-01-01T00:00:00Z" // ahead of its recording
	l.Append(kit.Review("c", "ann", events.Ship))
	items := feed(t, at(t, kit.Model(t, l), 0), projections.FeedFilter{}, projections.ItemReview).Reviews
	var got []string
	for _, item := range items {
		got = append(got, item.Review.Tool.Slug+" "+item.Published.Format(time.RFC3339))
	}
	want := []string{"c 2026-03-02T09:00:07Z", "a 2026-03-02T09:00:05Z", "b 2019-01-01T00:00:00Z"}
	want[0] = "c " + kit.Time(8).Format(time.RFC3339)
	want[1] = "a " + kit.Time(6).Format(time.RFC3339)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

func TestPages(t *testing.T) {
	l := kit.Given(t, kit.Seat("ann"))
	for i := range 12 {
		l.Append(kit.Tool(fmt.Sprintf("tool%02d", i), "c"))
	}
	for i := range 11 {
		l.Append(kit.Match(fmt.Sprintf("tool%02d", i), fmt.Sprintf("tool%02d", i+1)))
	}
	s := at(t, kit.Model(t, l), 0)
	byOffset, total, err := s.Tools(t.Context(), projections.ToolFilter{Offset: 5, Limit: 2})
	if err != nil || total != 12 {
		t.Fatal(err, total)
	}
	byCursor, _, err := s.Tools(t.Context(), projections.ToolFilter{After: "tool04", Limit: 2})
	if diff := cmp.Diff(byOffset, byCursor); err != nil || diff != "" || byOffset[0].Slug != "tool05" {
		t.Errorf("%v, tools (-by offset +by cursor):\n%s", err, diff)
	}
	first, total, err := s.Matchups(t.Context(), projections.MatchupFilter{Limit: 4})
	if err != nil || total != 11 || len(first) != 4 {
		t.Fatal(err, total, len(first))
	}
	next, _, err := s.Matchups(t.Context(), projections.MatchupFilter{Limit: 4, Before: first[3].Event.Seq})
	if err != nil || next[0].Event.Seq != first[3].Event.Seq-1 {
		t.Error(err, next[0].Event, first[3].Event)
	}
	_, total, err = s.Matchups(t.Context(), projections.MatchupFilter{Tool: "tool05"})
	if err != nil || total != 2 {
		t.Error(err, total)
	}
}
