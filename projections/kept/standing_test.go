package kept_test

import (
	"testing"

	"shiplog/projections/kept"
)

func TestStanding(t *testing.T) {
	var positions kept.Positions
	var s kept.Standing
	s.Stand("panel-1.db", positions.At(7), false)
	for _, test := range []struct {
		name string
		now  kept.State
		want bool
	}{
		{"as built", kept.State{Seq: 7, Store: "panel-1.db"}, true},
		{"an event later", kept.State{Seq: 8, Store: "panel-1.db"}, false},
		{"after a rebuild", kept.State{Seq: 7, Store: "panel-2.db"}, false},
	} {
		if got := s.Holds(test.now); got != test.want {
			t.Errorf("%s: holds %v, want %v", test.name, got, test.want)
		}
	}
	s.Reach(positions.At(9))
	s.Reach(positions.At(8))
	if at := s.At(); at.Seq != 9 || at.Header[0] != "9" || !s.Holds(kept.State{Seq: 9, Store: "panel-1.db"}) {
		t.Errorf("after reaching 9 and 8 it is at %v", s.At())
	}
	if s.Built != 7 {
		t.Errorf("built at %d, want 7", s.Built)
	}
	var past kept.Standing
	past.Stand("panel-1.db", positions.At(7), true)
	if !past.Holds(kept.State{Seq: 1000, Store: "panel-1.db"}) || past.Holds(kept.State{Seq: 7, Store: "panel-2.db"}) {
		t.Error("the past holds until it is read from another database")
	}
}
