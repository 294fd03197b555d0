package projections_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

type placed struct {
	Kind projections.ItemKind
	Seq  uint64
}

// shown are the items of a feed, found by way of its window, in the order in
// which they appeared.
func shown(t *testing.T, s *projections.Snapshot, f projections.FeedFilter) (list []placed) {
	t.Helper()
	items := feed(t, s, f, allKinds...)
	for _, item := range items.Matchups {
		list = append(list, placed{projections.ItemMatchup, item.Seq})
	}
	for _, item := range items.Verdicts {
		list = append(list, placed{projections.ItemVerdict, item.Seq})
	}
	for _, item := range items.Reviews {
		list = append(list, placed{projections.ItemReview, item.Seq})
	}
	slices.SortFunc(list, inHistory)
	return list
}

func inHistory(a, b placed) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Kind, b.Kind))
}

var allKinds = []projections.ItemKind{projections.ItemMatchup, projections.ItemVerdict, projections.ItemReview}

// feed are the items of some kinds that a feed shows.
func feed(t *testing.T, s *projections.Snapshot, f projections.FeedFilter, kinds ...projections.ItemKind) projections.Items {
	t.Helper()
	refs := must[[]projections.ItemRef](t)(s.FeedWindow(t.Context(), projections.HistoryFilter{FeedFilter: f, Kinds: kinds}))
	return must[projections.Items](t)(s.Items(t.Context(), refs))
}

func placesOf(refs []projections.ItemRef) (list []placed) {
	for _, ref := range refs {
		list = append(list, placed{ref.Kind, ref.Seq})
	}
	return list
}

// TestHistory checks at each event that the history of a feed is what its
// window shows while that holds allKinds, and that it only grows at its end.
func TestHistory(t *testing.T) {
	l := panel(t)
	m := kit.Model(t, l)
	head, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, filter := range []projections.FeedFilter{{}, {Tool: "ferrule"}, {Tool: "grommet"}, {Reviewer: "ann"}, {Reviewer: "ben"}, {Category: "knots"}} {
		f := projections.HistoryFilter{FeedFilter: filter, Kinds: allKinds}
		var before []placed
		for seq := uint64(8); seq <= head; seq++ {
			s, err := m.At(t.Context(), seq)
			if err != nil {
				t.Fatal(err)
			}
			refs, err := s.History(t.Context(), f, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			got := placesOf(refs)
			if diff := gocmp.Diff(shown(t, s, filter), got); diff != "" {
				t.Fatalf("%+v at %d (-feed +history):\n%s", filter, seq, diff)
			}
			if !slices.Equal(before, got[:len(before)]) {
				t.Fatalf("%+v at %d: the history has changed", filter, seq)
			}
			before = got
			counted(t, s, f, got)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func counted(t *testing.T, s *projections.Snapshot, f projections.HistoryFilter, want []placed) {
	t.Helper()
	for _, after := range []uint64{0, 1, 12, s.Seq()} {
		n, err := s.CountHistory(t.Context(), f, after)
		if err != nil {
			t.Fatal(err)
		}
		later := slices.DeleteFunc(slices.Clone(want), func(p placed) bool { return p.Seq <= after })
		if n != len(later) {
			t.Errorf("%+v at %d: %d items after %d, want %d", f, s.Seq(), n, after, len(later))
		}
	}
	latest, err := s.LatestHistory(t.Context(), f, 3)
	if err != nil {
		t.Fatal(err)
	}
	newest := slices.Clone(want[max(0, len(want)-3):])
	slices.Reverse(newest)
	if diff := gocmp.Diff(newest, placesOf(latest)); diff != "" {
		t.Errorf("%+v at %d, newest (-want +got):\n%s", f, s.Seq(), diff)
	}
}

// TestFeedWindowOfAllKinds checks that the items of a feed of all kinds are the
// newest of its history together, also where the window ends within an event.
func TestFeedWindowOfAllKinds(t *testing.T) {
	l := kit.Given(t, kit.Seat("ann"), kit.Seat("ben"), kit.Seat("cid"))
	name := func(i int) string { return fmt.Sprint("tool", i) }
	for i := range 60 {
		l.Append(kit.Tool(name(i), "c"))
		for _, who := range []string{"ann", "ben", "cid"} {
			l.Append(kit.Review(name(i), who, events.Ship))
		}
		if i%3 > 0 {
			l.Append(kit.Match(name(i), name(i-1)))
		}
	}
	m := kit.Model(t, l)
	head, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cutWithin := false
	for seq := head - 8; seq <= head; seq++ {
		s := at(t, m, seq)
		f := projections.HistoryFilter{FeedFilter: projections.FeedFilter{Category: "c"}, Kinds: allKinds}
		want := placesOf(must[[]projections.ItemRef](t)(s.History(t.Context(), f, 0, 1000)))
		slices.SortFunc(want, func(a, b placed) int { return cmp.Or(cmp.Compare(b.Seq, a.Seq), cmp.Compare(b.Kind, a.Kind)) })
		cutWithin = cutWithin || want[199].Seq == want[200].Seq
		want = want[:200]
		slices.SortFunc(want, inHistory)
		if diff := gocmp.Diff(want, shown(t, s, f.FeedFilter)); diff != "" {
			t.Fatalf("at %d (-newest +window):\n%s", seq, diff)
		}
	}
	if !cutWithin {
		t.Error("no window ends within an event")
	}
}
