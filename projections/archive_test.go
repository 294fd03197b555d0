package projections_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

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
	matchups, err := s.FeedMatchups(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := s.FeedVerdicts(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	reviews, err := s.FeedReviews(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range matchups {
		list = append(list, placed{projections.ItemMatchup, item.Seq})
	}
	for _, item := range verdicts {
		list = append(list, placed{projections.ItemVerdict, item.Seq})
	}
	for _, item := range reviews {
		list = append(list, placed{projections.ItemReview, item.Seq})
	}
	slices.SortFunc(list, func(a, b placed) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Kind, b.Kind)) })
	return list
}

func placesOf(refs []projections.ItemRef) (list []placed) {
	for _, ref := range refs {
		list = append(list, placed{ref.Kind, ref.Seq})
	}
	return list
}

// TestHistory checks at each event that the history of a feed is what its
// window shows while that holds everything, and that it only grows at its end.
func TestHistory(t *testing.T) {
	l := panel(t)
	m := kit.Model(t, l)
	head, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kinds := []projections.ItemKind{projections.ItemMatchup, projections.ItemVerdict, projections.ItemReview}
	for _, filter := range []projections.FeedFilter{{}, {Tool: "ferrule"}, {Tool: "grommet"}, {Reviewer: "ann"}, {Reviewer: "ben"}, {Category: "knots"}} {
		f := projections.HistoryFilter{FeedFilter: filter, Kinds: kinds}
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
