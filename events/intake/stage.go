package intake

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"

	"shiplog/events/ledger"
	"shiplog/events/tracing"
)

// stage begins the stage of a commit, and notes what its events belong to before
// anybody can see them. It is nil where nothing is traced.
func (w *writer) stage(ctx context.Context, g *group) *tracing.Stage {
	if len(g.traced) == 0 {
		return nil
	}
	causes := make([]trace.SpanContext, len(g.traced))
	for i, t := range g.traced {
		causes[i] = t.cause
	}
	attributes := append(tracing.Sent(ledger.Stream), tracing.Events.Int(len(g.messages)),
		tracing.First.Int64(int64(g.base.Seq+1)), tracing.Last.Int64(int64(g.layer.Head().Seq)))
	s := w.opts.Tracer.Begin(ctx, tracing.Commit, tracing.Producer, time.Now(), tracing.Distinct(causes), attributes...)
	for _, t := range g.traced {
		w.opts.Tracer.Committing(t.seq, t.leaf, s.Of(t.cause))
	}
	return s
}
