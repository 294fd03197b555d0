package feeds

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"

	"shiplog/events/tracing"
)

// trace makes a span of a build: in the trace of the request that had it made,
// and in those of the events whose items the feed shows for the first time.
func (h *Handler) trace(ctx context.Context, b *builder, begun time.Time, err error) {
	t := h.options.Tracer
	if t == nil {
		return
	}
	var causes []trace.SpanContext
	for i := range b.items {
		if seq := b.items[i].Seq; seq > b.counted.built {
			causes = append(causes, t.Applied(seq))
		}
	}
	t.Begin(ctx, tracing.Feed+" "+string(b.key.Kind), tracing.Internal, begun, tracing.Distinct(causes),
		tracing.FeedPath.String(b.key.path())).End(err)
}
