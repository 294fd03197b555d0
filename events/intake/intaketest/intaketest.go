// Package intaketest gives tests a running intake over a real ledger.
package intaketest

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/decisions"
	"shiplog/events/intake"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// LedgerID is the UUID of every ledger made here.
const LedgerID = "0198c0de-5eed-7000-8000-000000000001"

// New returns a running intake over a new ledger that has its event 1 and
// nothing else. Both are closed when the test ends.
func New(tb testing.TB) (*intake.Intake, *ledger.Ledger) {
	tb.Helper()
	l := ledgertest.New(tb)
	return Open(tb, l, intake.Options{}), l
}

// Open returns a running intake over a ledger, which gets its event 1 if it has
// none, with a decision state of its own. It is stopped when the test ends.
func Open(tb testing.TB, l *ledger.Ledger, o intake.Options) *intake.Intake {
	tb.Helper()
	in, _ := Start(tb, l, filepath.Join(tb.TempDir(), "decisions"), o)
	return in
}

// Start returns a running intake with its decision state in dir, and what stops
// it: when that returns all is closed. It is called at the end of the test at
// the latest.
func Start(tb testing.TB, l *ledger.Ledger, dir string, o intake.Options) (in *intake.Intake, stop func()) {
	tb.Helper()
	founding := intake.Founding{Ledger: LedgerID, Authority: "example.org", Title: "Test panel"}
	if _, err := intake.Found(tb.Context(), l, founding, time.Now()); err != nil {
		tb.Fatal(err)
	}
	store, err := decisions.Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	in = intake.New(l, store, o)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _ = in.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		<-in.Done()
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	}
	tb.Cleanup(stop)
	return in, stop
}

// Event is the JSON of an event with source /test. The data are what
// [json.Marshal] takes.
func Event(id, typ string, data any) []byte {
	raw, err := json.Marshal(map[string]any{
		"specversion": "1.0", "id": id, "source": "/test", "type": "shiplog." + typ + ".v1", "data": data,
	})
	if err != nil {
		panic(err)
	}
	return raw
}

// Review is the JSON of a first or later review, which registers the tool and
// seats the reviewer as needed.
func Review(id, tool, reviewer, verdict, body string) []byte {
	return Event(id, "review.submitted", map[string]any{
		"tool": tool, "tool_name": tool, "reviewer": reviewer, "reviewer_name": reviewer, "verdict": verdict, "body": body,
	})
}

// Items parses events as the ways in do.
func Items(raw ...[]byte) []intake.Item {
	items := make([]intake.Item, len(raw))
	for i, r := range raw {
		s, ps := events.Parse(r)
		s.Publisher = ledger.LocalPublisher
		items[i] = intake.Item{Submission: s, Problems: ps, Bytes: len(r)}
	}
	return items
}

// Submit submits events and returns their receipts.
func Submit(tb testing.TB, in *intake.Intake, raw ...[]byte) []intake.Receipt {
	tb.Helper()
	receipts, err := in.Submit(tb.Context(), Items(raw...), false)
	if err != nil {
		tb.Fatal(err)
	}
	return receipts
}

// Accept submits events that must all be accepted.
func Accept(tb testing.TB, in *intake.Intake, raw ...[]byte) []intake.Receipt {
	tb.Helper()
	receipts := Submit(tb, in, raw...)
	for i, r := range receipts {
		if r.Status != intake.StatusAccepted {
			tb.Fatalf("event %d: %s: %v\n%s", i, r.Status, r.Problems, raw[i])
		}
	}
	return receipts
}

// Events are all events of a ledger, decoded, their chain checked.
func Events(tb testing.TB, l *ledger.Ledger) []*events.Event {
	tb.Helper()
	head, err := l.Head(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	var list []*events.Event
	var leaf events.Hash
	err = l.Read(tb.Context(), 1, head, func(seq uint64, raw []byte) error {
		e, err := events.Decode(seq, raw)
		if err != nil {
			return err
		}
		if e.PrevLeaf != leaf {
			tb.Fatalf("event %d does not follow event %d", seq, seq-1)
		}
		leaf = e.Leaf
		list = append(list, e)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return list
}
