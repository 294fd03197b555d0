package tracing

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// A Stage is a piece of work done for several submissions at once. Nil is one
// that is not traced.
type Stage struct {
	shared trace.Span
	of     map[trace.SpanID]trace.Span // by what caused it
}

// maxLinks is how many links a span has at most, unless told otherwise
// (OTEL_SPAN_LINK_COUNT_LIMIT of the OpenTelemetry specification).
const maxLinks = 128

// Begin begins a stage of work for what caused it, each once, at a time that may
// be past. Where the context has a span the stage is part of that, else of its
// first cause. It is nil where there is neither.
func (t *Tracer) Begin(ctx context.Context, name string, kind trace.SpanKind, at time.Time, causes []trace.SpanContext, attributes ...attribute.KeyValue) *Stage {
	if t == nil || len(causes) == 0 && !Of(ctx).IsValid() {
		return nil
	}
	own := Of(ctx).IsValid()
	options := []trace.SpanStartOption{trace.WithSpanKind(kind), trace.WithTimestamp(at), trace.WithAttributes(attributes...)}
	parent := ctx
	if !own {
		parent = trace.ContextWithSpanContext(ctx, causes[0])
	}
	s := &Stage{of: make(map[trace.SpanID]trace.Span, len(causes))}
	_, s.shared = t.tracer.Start(parent, name, slices.Concat(options, []trace.SpanStartOption{trace.WithLinks(links(causes)...)})...)
	back := slices.Concat(options, []trace.SpanStartOption{trace.WithLinks(trace.Link{SpanContext: s.shared.SpanContext()})})
	for i, cause := range causes {
		if i == 0 && !own {
			s.of[cause.SpanID()] = s.shared
			continue
		}
		_, s.of[cause.SpanID()] = t.tracer.Start(trace.ContextWithSpanContext(ctx, cause), name, back...)
	}
	return s
}

func links(causes []trace.SpanContext) []trace.Link {
	list := make([]trace.Link, min(len(causes), maxLinks))
	for i := range list {
		list[i].SpanContext = causes[i]
	}
	return list
}

// Of is the span of the stage that belongs to a cause.
func (s *Stage) Of(cause trace.SpanContext) trace.SpanContext {
	if s == nil {
		return trace.SpanContext{}
	}
	if span := s.of[cause.SpanID()]; span != nil {
		return sampled(span.SpanContext())
	}
	return trace.SpanContext{}
}

// Context is the shared span.
func (s *Stage) Context() trace.SpanContext {
	if s == nil {
		return trace.SpanContext{}
	}
	return sampled(s.shared.SpanContext())
}

// End ends the stage; an error is why it came to nothing.
func (s *Stage) End(err error, attributes ...attribute.KeyValue) {
	if s == nil {
		return
	}
	end := func(span trace.Span) {
		span.SetAttributes(attributes...)
		Fail(span, err)
		span.End()
	}
	end(s.shared)
	for _, span := range s.of {
		if span != s.shared {
			end(span)
		}
	}
}

// Distinct are spans without those that are not sent, each once, in order.
func Distinct(list []trace.SpanContext) []trace.SpanContext {
	var out []trace.SpanContext
	seen := map[trace.SpanID]bool{}
	for _, sc := range list {
		if sc.IsSampled() && !seen[sc.SpanID()] {
			seen[sc.SpanID()] = true
			out = append(out, sc)
		}
	}
	return out
}
