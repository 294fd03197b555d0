package projections

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/events/tracing"
)

// A stage is the part of traces in which a batch is applied. Nil is one of no
// trace: a replay is in none.
type stage struct {
	tracer *tracing.Tracer
	shared *tracing.Stage
	causes []trace.SpanContext // by event of the batch
}

// stage begins the stage of a batch that holds events of a trace.
func (r *Runner) stage(ctx context.Context, batch []*events.Event) *stage {
	causes := r.o.Tracer.Committed(batch)
	if causes == nil {
		return nil
	}
	shared := r.o.Tracer.Begin(ctx, tracing.Project+" "+r.p.Name(), tracing.Consumer, r.began, tracing.Distinct(causes),
		append(tracing.Received(ledger.Stream), tracing.Events.Int(len(batch)),
			tracing.First.Int64(int64(batch[0].Seq)), tracing.Last.Int64(int64(batch[len(batch)-1].Seq)))...)
	return &stage{r.o.Tracer, shared, causes}
}

// of is the span that an event of the batch was applied in.
func (s *stage) of(i int) trace.SpanContext {
	if s == nil || !s.causes[i].IsValid() {
		return trace.SpanContext{}
	}
	return s.shared.Of(s.causes[i])
}

// context is the span that all of the batch share.
func (s *stage) context() trace.SpanContext {
	if s == nil {
		return trace.SpanContext{}
	}
	return s.shared.Context()
}

func (s *stage) end(err error) {
	if s != nil {
		s.shared.End(err)
	}
}

// visible notes that readers see the events now.
func (s *stage) visible(batch []*events.Event) {
	if s == nil {
		return
	}
	for i, e := range batch {
		if span := s.of(i); span.IsValid() {
			s.tracer.Visible(e.Seq, span)
		}
	}
}
