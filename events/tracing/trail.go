package tracing

import (
	"sync"

	"go.opentelemetry.io/otel/trace"

	"shiplog/events"
)

// TrailLength is for how many events, the latest that are traced, it is known
// what they belong to.
const TrailLength = 4096

// trail is where traced events have come to. It is a ring by sequence: a newer
// event takes the place of one that is TrailLength older.
type trail struct {
	mu   sync.Mutex
	ring []mark // made when it is first needed
}

// A mark is how far one event is.
type mark struct {
	seq     uint64
	leaf    events.Hash // which event it is: another node's may get the sequence
	span    trace.SpanContext
	visible bool
}

// Committing notes, before an event is published, the span that its projection
// is to be part of.
func (t *Tracer) Committing(seq uint64, leaf events.Hash, span trace.SpanContext) {
	if t == nil || !span.IsSampled() {
		return
	}
	t.trail.mu.Lock()
	defer t.trail.mu.Unlock()
	if t.trail.ring == nil {
		t.trail.ring = make([]mark, TrailLength)
	}
	t.trail.ring[seq%TrailLength] = mark{seq: seq, leaf: leaf, span: span}
}

// Committed are the spans that events about to be applied were committed in, one
// for each event, nil if none was. Events that were applied before have none.
func (t *Tracer) Committed(batch []*events.Event) []trace.SpanContext {
	if t == nil {
		return nil
	}
	t.trail.mu.Lock()
	defer t.trail.mu.Unlock()
	if t.trail.ring == nil {
		return nil
	}
	var found []trace.SpanContext
	for i, e := range batch {
		if m := &t.trail.ring[e.Seq%TrailLength]; m.seq == e.Seq && m.leaf == e.Leaf && !m.visible {
			if found == nil {
				found = make([]trace.SpanContext, len(batch))
			}
			found[i] = m.span
		}
	}
	return found
}

// Visible notes the span in which an event came to be seen.
func (t *Tracer) Visible(seq uint64, span trace.SpanContext) {
	if t == nil {
		return
	}
	t.trail.mu.Lock()
	defer t.trail.mu.Unlock()
	if t.trail.ring == nil {
		return
	}
	if m := &t.trail.ring[seq%TrailLength]; m.seq == seq {
		m.span, m.visible = span, true
	}
}

// Applied is the span in which an event came to be seen, zero if that is not
// known.
func (t *Tracer) Applied(seq uint64) trace.SpanContext {
	if t == nil {
		return trace.SpanContext{}
	}
	t.trail.mu.Lock()
	defer t.trail.mu.Unlock()
	if t.trail.ring == nil {
		return trace.SpanContext{}
	}
	if m := &t.trail.ring[seq%TrailLength]; m.seq == seq && m.visible {
		return m.span
	}
	return trace.SpanContext{}
}
