package intake_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// newer has a version of an event's type that nobody knows yet.
func newer(raw []byte) []byte {
	return bytes.Replace(raw, []byte(".v1\""), []byte(".v9\""), 1)
}

// TestSkip mends a stopped decision state without a restart, from the head of
// the ledger, and every fold from then on passes over the event.
func TestSkip(t *testing.T) {
	for name, edit := range map[string]func([]byte) []byte{
		"a newer type":   newer,
		"data not known": func(raw []byte) []byte { return bytes.Replace(raw, []byte(`"tool":"a"`), []byte(`"stars":5`), 1) },
		"no event at all": func([]byte) []byte {
			return []byte("this is no event")
		},
	} {
		t.Run(name, func(t *testing.T) {
			in, l := intaketest.New(t)
			intaketest.Accept(t, in, tool("a"))
			s := newScribe(t, l)
			s.write(t, retired("a"), edit)
			until(t, "it stops", func() bool { return intaketest.Submit(t, in, tool("b"))[0].Status == intake.StatusError })
			stop, ok := errors.AsType[*intake.StopError](in.Err())
			if !ok || stop.Seq != 3 || !strings.Contains(stop.Error(), "shiplog skip 3") {
				t.Fatalf("stopped by %v", in.Err())
			}
			at, err := in.Skip(t.Context(), 3, "It is of a version to come.")
			if err != nil || at != 4 || in.Err() != nil || in.Position() != 4 {
				t.Fatalf("recorded as %d, %v; position %d, %v", at, err, in.Position(), in.Err())
			}
			if at, err := in.Skip(t.Context(), 3, "Again."); at != 0 || err != nil {
				t.Errorf("recorded again as %d, %v", at, err)
			}
			intaketest.Accept(t, in, tool("b"))
			fresh := intaketest.Open(t, l, intake.Options{})
			if r := intaketest.Submit(t, fresh, tool("b"))[0]; r.Status != intake.StatusDuplicate {
				t.Errorf("receipt of a fresh node: %+v", r)
			}
			if _, err := in.Rebuild(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if r := intaketest.Submit(t, in, tool("b"), tool("c")); r[0].Status != intake.StatusDuplicate || !r[1].Recorded {
				t.Errorf("receipts after a rebuild: %+v", r)
			}
			raw, err := l.Get(t.Context(), 4)
			if err != nil {
				t.Fatal(err)
			}
			e, err := events.Decode(4, raw)
			if err != nil || e.Source != "/shiplog/operator" || e.Publisher != "shiplog" || e.Type() != "shiplog.event.skipped.v1" {
				t.Errorf("recorded %s, %v", raw, err)
			}
		})
	}
}

func TestSkipRefuses(t *testing.T) {
	in, l := intaketest.New(t)
	for _, test := range []struct {
		seq    uint64
		reason string
		says   string
	}{
		{0, "why", "event 1 opens"},
		{1, "why", "event 1 opens"},
		{2, " \t", "say why"},
		{2, strings.Repeat("why ", 500), "1024 bytes"},
		{99, "why", "no such message"},
	} {
		if at, err := in.Skip(t.Context(), test.seq, test.reason); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("skip %d: %d, %v; want %q", test.seq, at, err, test.says)
		}
	}
	if head, err := l.Head(t.Context()); head != 1 || err != nil {
		t.Errorf("the ledger ends with %d, %v", head, err)
	}
}

// TestSkipOfWhatWasApplied folds anew beside the state in use when the ledger
// says to ignore an event that this node could apply.
func TestSkipOfWhatWasApplied(t *testing.T) {
	l := ledgertest.New(t)
	in := intaketest.Open(t, l, intake.Options{Shared: true})
	intaketest.Accept(t, in, tool("a"), tool("b")) // events 2 and 3
	s := newScribe(t, l)
	s.write(t, &events.EventSkipped{Seq: 2, Reason: "Another node cannot apply it."}, asIs)
	until(t, "the first is not known any more", func() bool {
		r := intaketest.Submit(t, in, tool("a"), tool("b"))
		return r[0].Status == intake.StatusAccepted && r[1].Status == intake.StatusDuplicate
	})
	until(t, "nothing is stopped", func() bool { return in.Err() == nil })
}

// TestSkipWaitsForRoom does so only once the disk has room for it, and says that
// it waits.
func TestSkipWaitsForRoom(t *testing.T) {
	l := ledgertest.New(t)
	var room atomic.Bool
	in := intaketest.Open(t, l, intake.Options{Shared: true, RoomToRefold: func() error {
		if room.Load() {
			return nil
		}
		return errors.New("the disk is 97 % full")
	}})
	intaketest.Accept(t, in, tool("a"), tool("b")) // events 2 and 3
	s := newScribe(t, l)
	s.write(t, &events.EventSkipped{Seq: 2, Reason: "Another node cannot apply it."}, asIs)
	until(t, "it says what it waits for", func() bool {
		r := intaketest.Submit(t, in, tool("a"))[0]
		return r.Status == intake.StatusError && in.Err() != nil && strings.Contains(in.Err().Error(), "no room yet: the disk is 97 % full")
	})
	if _, under := in.Rebuilding(); under {
		t.Error("something was begun")
	}
	room.Store(true)
	until(t, "the first is not known any more", func() bool {
		r := intaketest.Submit(t, in, tool("a"), tool("b"))
		return r[0].Status == intake.StatusAccepted && r[1].Status == intake.StatusDuplicate
	})
}

// TestRebuild folds anew while submissions are decided, one at a time.
func TestRebuild(t *testing.T) {
	in, _ := intaketest.New(t)
	for i := range 50 {
		intaketest.Accept(t, in, tool("a"+strings.Repeat("a", i)))
	}
	done := make(chan error, 2)
	for range 2 {
		go func() {
			found, err := in.Rebuild(t.Context(), nil)
			if err == nil && (found.Seq != 51 || found.Different != 0) {
				t.Errorf("compared: %+v", found)
			}
			done <- err
		}()
	}
	var refused int
	for range 2 {
		switch err := <-done; {
		case errors.Is(err, intake.ErrRebuilding):
			refused++
		case err != nil:
			t.Fatal(err)
		}
	}
	if refused > 1 {
		t.Error("no rebuild was done")
	}
	if _, under := in.Rebuilding(); under {
		t.Error("a rebuild is said to be under way")
	}
	for i := range 50 {
		if r := intaketest.Submit(t, in, tool("a"+strings.Repeat("a", i)))[0]; r.Status != intake.StatusDuplicate {
			t.Fatalf("receipt %+v", r)
		}
	}
	intaketest.Accept(t, in, tool("b"))
}

// What a ledger that has lost its end would make takes nothing's place.
func TestRebuildOfAShorterLedger(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "decisions")
	in, stop := intaketest.Start(t, ledgertest.New(t), dir, intake.Options{})
	intaketest.Accept(t, in, tool("a"), tool("b"))
	stop()
	in, _ = intaketest.Start(t, ledgertest.New(t), dir, intake.Options{})
	_, err := in.Rebuild(t.Context(), nil)
	var gap *ledger.GapError
	if !errors.As(err, &gap) || *gap != (ledger.GapError{Want: 3, Got: 1}) || in.Position() != 3 {
		t.Errorf("rebuilt: %v, at event %d", err, in.Position())
	}
}

// TestUnsoundLedger gives no receipt for what the server has acknowledged, or
// shows, while it is known not to stay.
func TestUnsoundLedger(t *testing.T) {
	var gone error
	ask := func() error { return gone }
	l := ledgertest.New(t)
	in := intaketest.Open(t, l, intake.Options{Intact: ask, Fault: ask})
	intaketest.Accept(t, in, tool("a"))
	gone = errors.New("the folder was taken away")
	for _, r := range intaketest.Submit(t, in, tool("a"), tool("b")) {
		if r.Status != intake.StatusError || r.Recorded || r.Seq != 0 {
			t.Errorf("receipt %+v", r)
		}
	}
	if r := intaketest.Submit(t, in, tool("a"))[0]; r.Status != intake.StatusError {
		t.Errorf("receipt of a duplicate %+v", r)
	}
}

// TestNoRoom records nothing while the disk is to take no more, and goes on when
// it may.
func TestNoRoom(t *testing.T) {
	var full atomic.Bool
	l := ledgertest.New(t)
	in := intaketest.Open(t, l, intake.Options{Room: func() error {
		if full.Load() {
			return errors.New("no room")
		}
		return nil
	}})
	intaketest.Accept(t, in, tool("a"))
	full.Store(true)
	if r := intaketest.Submit(t, in, tool("a"), tool("b")); r[0].Status == intake.StatusAccepted || r[1].Status != intake.StatusError {
		t.Errorf("receipts %+v", r)
	}
	if head, err := l.Head(t.Context()); head != 2 || err != nil {
		t.Errorf("the ledger ends with %d, %v", head, err)
	}
	full.Store(false)
	intaketest.Accept(t, in, tool("b"))
}

// TestRebuildTakesWhatIsShared hands events over that were read for others as
// well; what is no good is read from the ledger.
func TestRebuildTakesWhatIsShared(t *testing.T) {
	in, l := intaketest.New(t)
	for i := range 9 {
		intaketest.Accept(t, in, tool(fmt.Sprint("tool-", i)))
	}
	var all []audit.Decoded
	err := audit.Scan(t.Context(), l.Read, 1, 10, func(list []audit.Decoded) error {
		all = append(all, list...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	bad := slices.Clone(all)
	bad[6] = audit.Decoded{Seq: 7, Err: io.ErrUnexpectedEOF}
	for name, list := range map[string][]audit.Decoded{"all": all, "some": all[:5], "none": nil, "one that cannot be read": bad, "not the first": all[1:]} {
		shared := make(chan []audit.Decoded, 1)
		shared <- list
		close(shared)
		found, err := in.Rebuild(t.Context(), shared)
		if err != nil || found.Seq != 10 || found.Different != 0 || in.Position() != 10 {
			t.Errorf("%s: compared %+v at %d (%v)", name, found, in.Position(), err)
		}
	}
}
