package intake_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// A clock that is set to what a test says.
type settable struct {
	mu  sync.Mutex
	now time.Time
}

func (c *settable) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *settable) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// TestClockSteps sets the clock of a node back and forth, and records by another
// whose clock is behind: in the ledger time stands still until it is reached again,
// and never goes back.
func TestClockSteps(t *testing.T) {
	l := ledgertest.New(t)
	clock := &settable{now: time.Now()}
	dir := t.TempDir()
	first, stop := intaketest.Start(t, l, dir, intake.Options{Now: clock.Now, Shared: true})
	slow := &settable{}
	other := intaketest.Open(t, l, intake.Options{Now: slow.Now, Shared: true})
	noon := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)

	record := func(in *intake.Intake, id string, want time.Time) {
		t.Helper()
		receipts := intaketest.Accept(t, in, intaketest.Review(id, "tool-"+id, "ann", "ship", "Said in "+id+"."))
		for _, e := range eventsOf(t, l, receipts[0]) {
			if !e.RecordedTime.Equal(want) {
				t.Errorf("%s: event %d is recorded at %s, want %s", id, e.Seq, e.RecordedTime, want)
			}
			if e.Time != e.RecordedTime.Format(events.TimeFormat) {
				t.Errorf("%s: event %d, which says no time, has %s", id, e.Seq, e.Time)
			}
		}
	}
	for i, step := range []struct {
		name        string
		clock, want time.Time
	}{
		{"as it was", noon, noon},
		{"forward", noon.Add(time.Hour), noon.Add(time.Hour)},
		{"back", noon.Add(-24 * time.Hour), noon.Add(time.Hour)},
		{"not yet there again", noon.Add(time.Hour - time.Millisecond), noon.Add(time.Hour)},
		{"there again", noon.Add(time.Hour + time.Millisecond), noon.Add(time.Hour + time.Millisecond)},
		{"before 1970", time.Unix(-5, 0), noon.Add(time.Hour + time.Millisecond)},
	} {
		clock.set(step.clock)
		slow.set(step.clock.Add(-time.Minute))
		record(first, fmt.Sprintf("here-%d", i), step.want)
		record(other, fmt.Sprintf("there-%d", i), step.want)
	}
	last := noon.Add(time.Hour + time.Millisecond)
	stop()
	again, stop := intaketest.Start(t, l, dir, intake.Options{Now: clock.Now, Shared: true})
	record(again, "started-anew", last)
	stop()

	// Of what is last not even the time can be read.
	head, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), head, []ledger.Message{{Subject: events.SubjectPrefix + "skipped", Data: []byte("no event")}}); err != nil {
		t.Fatal(err)
	}
	again = intaketest.Open(t, l, intake.Options{Now: clock.Now, Shared: true})
	at, err := again.Skip(t.Context(), head+1, "it says nothing")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := l.Get(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := events.Decode(at, raw); err != nil || !e.RecordedTime.Equal(last) {
		t.Errorf("a skip is recorded at %s, want %s (%v)", e.RecordedTime, last, err)
	}
}

// eventsOf are the events that a submission became.
func eventsOf(t *testing.T, l *ledger.Ledger, r intake.Receipt) []*events.Event {
	t.Helper()
	return slices.DeleteFunc(intaketest.Events(t, l), func(e *events.Event) bool { return e.Seq != r.Seq && e.Cause != r.Seq })
}
