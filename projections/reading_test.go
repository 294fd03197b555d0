package projections_test

import (
	"sync"
	"testing"

	"shiplog/events"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// Every snapshot is of one position, whatever is applied meanwhile.
func TestSnapshotsWhileApplying(t *testing.T) {
	l := kit.Given(t, kit.Seat("ann"), kit.Seat("ben"), kit.Seat("cid"), kit.Tool("a", "c"))
	for i := range 150 {
		verdict := events.Ship
		if i%2 == 1 {
			verdict = events.Skip
		}
		for _, reviewer := range []string{"ann", "ben", "cid"} {
			if i == 0 {
				l.Append(kit.Review("a", reviewer, verdict))
			} else {
				l.Append(kit.Revise("a", reviewer, verdict, int64(i)+1, 1))
			}
		}
	}
	head, _ := l.Head(t.Context())
	list := l.Events(t, 1, head)
	want := make(map[uint64]events.Tally)
	n := newNaive()
	for _, e := range list {
		n.apply(e.Seq, e.Data)
		want[e.Seq] = n.tally("a")
	}
	m, done := open(t, projections.Options{Readers: 3})
	defer done()
	if err := m.Apply(t.Context(), list[:5]); err != nil {
		t.Fatal(err)
	}
	applied := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for more := true; more; {
				select {
				case <-applied:
					more = false // once more, of the end
				default:
				}
				s, err := m.At(t.Context(), 0)
				if err != nil {
					t.Error(err)
					return
				}
				tool, err := s.Tool(t.Context(), "a")
				if err != nil || tool.Verdict.Tally != want[s.Seq()] {
					t.Errorf("at %d: %v, %+v; want %+v", s.Seq(), err, tool, want[s.Seq()])
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := 5; i < len(list); i++ {
		if err := m.Apply(t.Context(), list[i:i+1]); err != nil {
			t.Error(err)
		}
	}
	close(applied)
	readers.Wait()
}
