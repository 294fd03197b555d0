package decisions_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/events/decisions"
)

// seat folds the seating of reviewers with numbers from one to another.
func seat(t *testing.T, s *decisions.Store, from, to int) {
	t.Helper()
	layer := decide.New(s)
	for i := from; i <= to; i++ {
		e := &events.Event{
			Seq: uint64(i), ID: fmt.Sprint(i), Source: "/test",
			Data: &events.ReviewerSeated{Reviewer: fmt.Sprintf("reviewer-%d", i), Name: "Reviewer"},
		}
		if err := layer.Evolve(e); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, s, layer)
}

func view(t *testing.T, s *decisions.Store) *decisions.View {
	t.Helper()
	v, err := s.View()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func closeViews(t *testing.T, views ...*decisions.View) {
	t.Helper()
	for _, v := range views {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestViewStandsStill(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a"))
	defer closed(t, s)
	empty := view(t, s)
	seat(t, s, 1, 10)
	early := view(t, s)
	seat(t, s, 11, 20)
	late := view(t, s)
	defer closeViews(t, empty, early, late)
	for i, v := range []*decisions.View{empty, early, late} {
		if got := v.Head().Seq; got != uint64(10*i) {
			t.Errorf("view %d is at %d", i, got)
		}
	}
	for _, tt := range []struct {
		have, want *decisions.View
		says       string
	}{
		{late, late, ""},
		{early, late, "its head is not what the ledger makes of it"},
		{empty, late, "it lacks its head"},
		{late, empty, "it has its head, which the ledger does not"},
	} {
		if _, got, err := tt.have.Differences(tt.want); err != nil || got != tt.says {
			t.Errorf("difference %q (%v), want %q", got, err, tt.says)
		}
	}
}

// TestLayersDoNotShow folds the same events cut into layers in other ways.
func TestLayersDoNotShow(t *testing.T) {
	a, b := open(t, filepath.Join(t.TempDir(), "a")), open(t, filepath.Join(t.TempDir(), "b"))
	defer closed(t, a)
	defer closed(t, b)
	seat(t, a, 1, 30)
	for i := range 10 {
		seat(t, b, 3*i+1, 3*i+3)
	}
	v, w := view(t, a), view(t, b)
	defer closeViews(t, v, w)
	if n, got, err := v.Differences(w); err != nil || n != 0 || got != "" {
		t.Errorf("difference %q (%v), want none", got, err)
	}
}

// TestViewOutlivesItsGeneration has a fresh store adopted while somebody looks at
// the old one.
func TestViewOutlivesItsGeneration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	s := open(t, dir)
	defer closed(t, s)
	seat(t, s, 1, 10)
	v := view(t, s)
	fresh, err := s.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	seat(t, fresh, 1, 12)
	if err := s.Adopt(fresh); err != nil {
		t.Fatal(err)
	}
	w := view(t, s)
	if v.Head().Seq != 10 || w.Head().Seq != 12 {
		t.Errorf("views at %d and %d, want 10 and 12", v.Head().Seq, w.Head().Seq)
	}
	if _, _, err := v.Differences(w); err != nil {
		t.Error(err)
	}
	closeViews(t, v, w)
	if _, err := os.Stat(filepath.Join(dir, "state-1")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old generation is still there: %v", err)
	}
	seat(t, s, 13, 14)
}
