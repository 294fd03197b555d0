package intake_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/decisions"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

func openStore(t *testing.T) *decisions.Store {
	t.Helper()
	store, err := decisions.Open(filepath.Join(t.TempDir(), "decisions"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// A scribe writes to the ledger past the intake, as a newer version or somebody
// who means harm would.
type scribe struct {
	ledger *ledger.Ledger
	head   uint64
	leaf   events.Hash
}

func newScribe(t *testing.T, l *ledger.Ledger) *scribe {
	t.Helper()
	list := intaketest.Events(t, l)
	last := list[len(list)-1]
	return &scribe{l, last.Seq, last.Leaf}
}

// write appends an event, after edit has changed its bytes.
func (s *scribe) write(t *testing.T, p events.Payload, edit func([]byte) []byte) {
	t.Helper()
	e := &events.Event{
		Seq: s.head + 1, ID: fmt.Sprint("scribe-", s.head+1), Source: "/shiplog/scribe", Time: "2026-11-30T09:00:00Z",
		RecordedTime: time.Now().UTC(), Publisher: "shiplog", PrevLeaf: s.leaf, Data: p,
	}
	raw := edit(e.AppendCanonical(nil))
	if _, err := s.ledger.Append(t.Context(), s.head, []ledger.Message{{Subject: e.LedgerSubject(), Data: raw}}); err != nil {
		t.Fatal(err)
	}
	s.head++
	if decoded, _ := events.Decode(s.head, raw); decoded != nil {
		s.leaf = decoded.Leaf
	}
}

func asIs(raw []byte) []byte { return raw }

func retired(slug string) events.Payload {
	p := &events.ToolRetired{Tool: slug}
	events.Mark(p, "tool")
	return p
}

// TestStopsAtAnEventItCannotApply meets an event of a type it does not know,
// stops, and goes on when a later event says to ignore it.
func TestStopsAtAnEventItCannotApply(t *testing.T) {
	in, l := intaketest.New(t)
	intaketest.Accept(t, in, tool("a"))
	s := newScribe(t, l)
	s.write(t, retired("a"), func(raw []byte) []byte {
		return bytes.Replace(raw, []byte("shiplog.tool.retired.v1"), []byte("shiplog.tool.retired.v2"), 1)
	})
	until(t, "it stops", func() bool { return intaketest.Submit(t, in, tool("b"))[0].Status == intake.StatusError })
	r := intaketest.Submit(t, in, tool("b"))[0]
	if !strings.Contains(r.Problems.Error(), "event 3 ") || !strings.Contains(r.Problems.Error(), "shiplog skip 3") || in.Err() == nil {
		t.Errorf("receipt %+v, error %v", r, in.Err())
	}
	skip := &events.EventSkipped{Seq: 3, Reason: "a version of the future"}
	s.write(t, skip, asIs)
	until(t, "it goes on", func() bool { return intaketest.Submit(t, in, tool("b"))[0].OK() })
	until(t, "nothing is stopped", func() bool { return in.Err() == nil })
	// A node that begins anew passes over it too.
	fresh := intaketest.Open(t, l, intake.Options{})
	if r := intaketest.Submit(t, fresh, tool("b"))[0]; r.Status != intake.StatusDuplicate {
		t.Errorf("receipt of a fresh node: %+v", r)
	}
}

// TestStopsAtABrokenChain meets an event that does not follow the one before.
func TestStopsAtABrokenChain(t *testing.T) {
	l := ledgertest.New(t)
	told := make(chan error, 10)
	in := intaketest.Open(t, l, intake.Options{Stopped: func(position uint64, err error) {
		told <- fmt.Errorf("at event %d: %w", position, err)
	}})
	intaketest.Accept(t, in, tool("a"))
	s := newScribe(t, l)
	s.leaf[0] ^= 1
	s.write(t, retired("a"), asIs)
	until(t, "it stops", func() bool { return intaketest.Submit(t, in, tool("b"))[0].Status == intake.StatusError })
	if err := in.Err(); err == nil || !strings.Contains(err.Error(), "event 3 does not follow event 2") {
		t.Errorf("error %v", err)
	}
	if err := <-told; !strings.Contains(err.Error(), "at event 2: event 3 does not follow event 2") {
		t.Errorf("it tells %v", err)
	}
	until(t, "it has looked again", func() bool { return intaketest.Submit(t, in, tool("b"))[0].Status == intake.StatusError })
	if len(told) > 0 {
		t.Errorf("it tells again %v", <-told)
	}
}

// TestStopsAtAnotherLedger starts a state on a ledger it was not made from.
func TestStopsAtAnotherLedger(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "decisions")
	in, stop := intaketest.Start(t, ledgertest.New(t), dir, intake.Options{})
	intaketest.Accept(t, in, tool("a"), tool("b"))
	stop()
	for name, events := range map[string][][]byte{"a shorter one": {tool("a")}, "one as long": {tool("a"), tool("b")}} {
		other := ledgertest.New(t)
		filler, stopFiller := intaketest.Start(t, other, filepath.Join(t.TempDir(), "decisions"), intake.Options{})
		intaketest.Accept(t, filler, events...)
		stopFiller()
		in, stop := intaketest.Start(t, other, dir, intake.Options{})
		if r := intaketest.Submit(t, in, tool("c"))[0]; r.Status != intake.StatusError || in.Err() == nil {
			t.Errorf("%s: receipt %+v, error %v", name, r, in.Err())
		}
		stop()
	}
}
