package verify_test

import (
	"bytes"
	"errors"
	"testing"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/events/decide"
	"shiplog/events/ledger"
	"shiplog/ops/verify"
)

// record appends an event behind the last, its stored bytes bent as told.
func (n *node) record(t *testing.T, p events.Payload, bend func([]byte) []byte) {
	t.Helper()
	head := n.head(t)
	before, err := n.ledger.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last, err := events.Decode(before.Seq, before.Raw)
	if last == nil {
		t.Fatal(err)
	}
	e := &events.Event{
		Seq: head + 1, ID: "late", Source: "/test/late", Time: "2026-03-02T09:00:00.000Z", Publisher: "local",
		RecordedTime: last.RecordedTime, PrevLeaf: last.Leaf, Data: p,
	}
	raw := bend(e.AppendCanonical(nil))
	if _, err := n.ledger.Append(t.Context(), head, []ledger.Message{{Subject: e.LedgerSubject(), Data: raw}}); err != nil {
		t.Fatal(err)
	}
}

func same(raw []byte) []byte { return raw }

// TestSkipped verifies a ledger with an event of a type that nobody knows, first
// with a node that has stopped before it, then with one that has passed it over
// as a later event says.
func TestSkipped(t *testing.T) {
	n := openNode(t, t.TempDir())
	n.fill(t, 10)
	stopped := n.head(t)
	n.record(t, &events.ToolRegistered{Tool: "later", Name: "Later"}, func(raw []byte) []byte {
		return bytes.Replace(raw, []byte("shiplog.tool.registered.v1"), []byte("shiplog.tool.celebrated.v1"), 1)
	})
	r, err := verify.Run(t.Context(), n.options())
	if err != nil || r.Head != stopped+1 || r.Model != stopped || r.Decided != stopped {
		t.Fatalf("report %+v (%v), want it compared at %d", r, err, stopped)
	}
	n.record(t, &events.EventSkipped{Seq: int64(stopped + 1), Reason: "of a version that was taken back"}, same)
	n.passOver(t, stopped+1)
	n.apply(t, stopped+2, func(e *events.Event) *events.Event { return e })
	r, err = verify.Run(t.Context(), n.options())
	if err != nil || r.Model != stopped+2 || r.Decided != stopped+2 {
		t.Fatalf("report %+v (%v), want it compared at %d", r, err, stopped+2)
	}
}

// passOver has model and decision state move past an event.
func (n *node) passOver(t *testing.T, seq uint64) {
	t.Helper()
	err := audit.Scan(t.Context(), n.ledger.Read, seq, seq, func(list []audit.Decoded) error {
		layer := decide.New(n.decisions)
		layer.Pass(list[0].Event)
		return errors.Join(n.decisions.Commit(layer), n.model.Apply(t.Context(), []*events.Event{list[0].Event}))
	})
	if err != nil {
		t.Fatal(err)
	}
}
