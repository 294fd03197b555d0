package projections_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/logtest"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// A full disk has no room for another model until it says so.
type full struct {
	room  atomic.Bool
	asked atomic.Int64
	log   logtest.Book
}

// options are of a runner on it.
func (f *full) options(l *kit.Ledger) projections.RunnerOptions {
	o := options(l)
	o.Log = slog.New(slog.NewTextHandler(&f.log, nil))
	o.Room = func() error {
		f.asked.Add(1)
		if f.room.Load() {
			return nil
		}
		return errors.New("disk is 97 % full")
	}
	return o
}

// holdsOff waits until a runner has asked for room more than once and says so, and
// holds that it is once in its log, and that nothing is begun in a folder.
func (f *full) holdsOff(t *testing.T, r *runs, dir string, hurry func()) {
	t.Helper()
	says := func() bool {
		_, room := errors.AsType[*projections.RoomError](r.Status().Err)
		return room && strings.Contains(r.Status().Err.Error(), "97 % full")
	}
	for before := f.asked.Load(); f.asked.Load() < before+2 || !says(); {
		hurry()
		select {
		case <-time.After(5 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("it does not ask again")
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "panel-2.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was begun (%v)", err)
	}
	if told := strings.Count(f.log.String(), "97 % full"); told != 1 {
		t.Errorf("it is told %d times:\n%s", told, f.log.String())
	}
}

// TestOutdatedWaitsForRoom reads what an earlier version has left for as long as
// the disk has no room for a new one.
func TestOutdatedWaitsForRoom(t *testing.T) {
	l, f := panel(t), new(full)
	dir := left(t, l, `UPDATE tool_versions SET name = 'as it was' WHERE name = 'Ferrule'`)
	m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	r := run(t, m, f.options(l))
	if err := waitStopped(t, r); err == nil {
		t.Error("it does not say why it stops")
	}
	f.holdsOff(t, r, dir, r.Poke)
	readsOld(t, m, "as it was")
	f.room.Store(true)
	r.Poke()
	waitLive(t, r)
	if name, _ := nameOf(t, m, "ferrule"); name != "Ferrule" {
		t.Errorf("the tool is called %q", name)
	}
}

// TestSkipWaitsForRoom has the ledger ask for a model without an event that was
// applied, while there is no room for one.
func TestSkipWaitsForRoom(t *testing.T) {
	l, f := panel(t), new(full)
	r := run(t, model(t), f.options(l))
	waitFor(t, r, 20)
	head := l.Append(&events.EventSkipped{Seq: 19, Reason: "other nodes cannot apply it"})
	if err := waitStopped(t, r); err == nil {
		t.Error("it does not say why it stops")
	}
	f.holdsOff(t, r, filepath.Dir(r.m.Path()), func() {})
	if _, seq := nameOf(t, r.m, "ferrule"); seq != 20 {
		t.Errorf("readers see event %d, want 20", seq)
	}
	f.room.Store(true)
	waitFor(t, r, head)
}

// TestRebuildDoesNotAskForRoom leaves that to who begins it.
func TestRebuildDoesNotAskForRoom(t *testing.T) {
	l, f := panel(t), new(full)
	r := run(t, model(t), f.options(l))
	waitFor(t, r, 20)
	if _, err := r.Rebuild(context.Background(), nil); err != nil || f.asked.Load() > 0 {
		t.Errorf("%v, asked %d times", err, f.asked.Load())
	}
}
