package intake

import (
	"crypto/rand"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/events/ledger"
)

// maxBatchBytes bounds the messages of one atomic batch.
const maxBatchBytes = 8 << 20

// A group is a run of submissions decided on one layer, to be committed
// together.
type group struct {
	base  decide.Head // what it was decided against
	layer *decide.State
	now   time.Time

	entries  []entry
	receipts []Receipt
	messages []ledger.Message
	events   []*events.Event // of the messages
	bytes    int
	room     []byte // for the messages
	full     bool   // something did not fit
	traced   []traced
	lent     bool // to a dry run, which lies on the layer
}

// A traced is an event of a group whose submission is in a trace.
type traced struct {
	seq   uint64
	leaf  events.Hash
	cause trace.SpanContext
}

func newGroup(base decide.Base, now time.Time) *group {
	return groupOn(decide.New(base), now)
}

// groupOn decides on an empty layer.
func groupOn(layer *decide.State, now time.Time) *group {
	return &group{base: layer.Head(), layer: layer, now: now}
}

// add decides one submission and adds its events. It reports false, and leaves
// the group as it was, when the events do not fit in any more: those of one
// submission are never split.
func (g *group) add(e entry) (fits bool, err error) {
	if e.request.dry {
		return true, g.dryRun(e)
	}
	if held, ok := e.request.held[e.item().Key]; ok {
		g.keep(e, held.receipt.as(e.item().Submission))
		return true, nil
	}
	d, err := decide.Decide(g.layer, e.item().Submission, g.now)
	if err != nil {
		return false, err
	}
	more := len(g.messages)+len(d.Events) > events.MaxBatch || g.bytes+e.item().Bytes+len(d.Events)*512 > maxBatchBytes
	if more && len(g.messages) > 0 {
		g.full = true
		return false, nil
	}
	if err := g.take(e.item().Submission, d); err != nil {
		return false, err
	}
	if cause := e.item().Span; cause.IsSampled() {
		for _, ev := range d.Events {
			g.traced = append(g.traced, traced{ev.Seq, ev.Leaf, cause})
		}
	}
	g.answer(e, d)
	return true, nil
}

// take folds the events of a decision into the layer and writes them down.
func (g *group) take(sub *events.Submission, d decide.Decision) error {
	if len(d.Events) == 0 {
		return nil
	}
	main := g.layer.Head().Seq + 1 + uint64(d.Main)
	for i, e := range d.Events {
		if i == d.Main {
			g.seal(e, sub.Input)
		} else {
			e.Cause = main
			g.seal(e, events.InputOf(e.Data, e.Time))
		}
		raw := g.write(e, 640+len(sub.Input))
		if err := g.layer.Evolve(e); err != nil {
			return err
		}
		g.messages = append(g.messages, ledger.Message{Subject: e.LedgerSubject(), Data: raw, Joined: i > 0})
		g.events = append(g.events, e)
		g.bytes += len(raw)
	}
	return nil
}

// seal gives an event its place: sequence, time of recording, salt and hashes.
// Time never goes back in the ledger, whatever the clock does.
func (g *group) seal(e *events.Event, input []byte) {
	head := g.layer.Head()
	e.Seq = head.Seq + 1
	e.RecordedTime = time.UnixMilli(max(g.now.UnixMilli(), head.Recorded)).UTC()
	if e.Time == "" {
		e.Time = e.RecordedTime.Format(events.TimeFormat)
	}
	_, _ = rand.Read(e.Salt[:]) // never fails
	e.InputHash = events.InputHash(e.Salt, input)
	e.PrevLeaf = head.Leaf
}

// roomBytes is how much room for messages is taken at once.
const roomBytes = 64 << 10

// write writes an event down, one behind the other: a slice of its own for each
// would take more than it needs.
func (g *group) write(e *events.Event, size int) []byte {
	if cap(g.room)-len(g.room) < size {
		g.room = make([]byte, 0, max(size, min(roomBytes, 2*cap(g.room))))
	}
	from := len(g.room)
	raw := e.AppendCanonical(g.room[from:from:cap(g.room)])
	if from+len(raw) <= cap(g.room) {
		g.room = g.room[:from+len(raw)]
	}
	return slices.Clip(raw)
}

// remember keeps the events for who reads them back.
func (g *group) remember(m *events.Memo) {
	if m == nil {
		return
	}
	for i, e := range g.events {
		m.Keep(e, g.messages[i].Data)
	}
}

// answer keeps the receipt until the group is committed.
func (g *group) answer(e entry, d decide.Decision) {
	sub := e.item().Submission
	r := Receipt{Status: string(d.Status), ID: sub.ID, Source: sub.Source, Seq: d.Seq, Type: d.Type, Problems: d.Problems}
	for i, ev := range d.Events {
		if i == d.Main {
			r.Seq, r.Type = ev.Seq, ev.Type()
			continue
		}
		r.Also = append(r.Also, Also{Seq: ev.Seq, Type: ev.Type()})
	}
	r.Recorded = d.Recorded && !e.request.dry
	if d.Waits() {
		e.request.hold(e.index, r)
	}
	g.keep(e, r)
}

func (g *group) keep(e entry, r Receipt) {
	g.entries = append(g.entries, e)
	g.receipts = append(g.receipts, r)
}

// dryRun decides on a layer that is thrown away, but kept for the rest of the
// request: a review may lean on a registration before it.
func (g *group) dryRun(e entry) error {
	if e.request.layer == nil {
		e.request.layer = decide.New(g.layer)
		g.lent = true
	}
	scratch := group{layer: e.request.layer, now: g.now}
	d, err := decide.Decide(scratch.layer, e.item().Submission, g.now)
	if err != nil {
		return err
	}
	if err := scratch.take(e.item().Submission, d); err != nil {
		return err
	}
	for _, ev := range d.Events {
		ev.Seq = 0 // it has none
	}
	g.answer(e, d)
	return nil
}

// forget takes back what a group that is discarded has left in its requests.
func (g *group) forget() {
	for _, e := range g.entries {
		e.request.layer = nil
		if held, ok := e.request.held[e.item().Key]; ok && held.by == e.index {
			delete(e.request.held, e.item().Key)
		}
	}
}
