package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// scope names the instrumentation, as OpenTelemetry wants it.
const scope = "shiplog"

// Tracer makes the spans of a node. Nil makes none. It is safe for use by
// several goroutines.
type Tracer struct {
	tracer trace.Tracer
	format propagation.TraceContext
	trail  trail
}

// New is a tracer whose spans go where the provider sends them.
func New(p trace.TracerProvider) *Tracer {
	return &Tracer{tracer: p.Tracer(scope)}
}

// Start begins a span below the one in the context.
func (t *Tracer) Start(ctx context.Context, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if t == nil {
		return ctx, trace.SpanFromContext(ctx)
	}
	return t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
}

// Receive begins a span below the one that a header names, if it names one.
func (t *Tracer) Receive(ctx context.Context, header Header, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if t == nil {
		return ctx, trace.SpanFromContext(ctx)
	}
	return t.Start(t.format.Extract(ctx, header), name, kind, attributes...)
}

// Inject names the span in the context in a header.
func (t *Tracer) Inject(ctx context.Context, header Header) {
	if t != nil {
		t.format.Inject(ctx, header)
	}
}

// Fail marks a span as failed, where there is an error.
func Fail(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
}

// Excuse keeps the span in a context from being marked as failed: the answer is an
// error by its status, and no fault.
func Excuse(ctx context.Context) { trace.SpanFromContext(ctx).SetStatus(codes.Ok, "") }

// Of is the span in a context that is worth noting: one that is sent. Otherwise
// it is the zero value.
func Of(ctx context.Context) trace.SpanContext { return sampled(trace.SpanContextFromContext(ctx)) }

func sampled(sc trace.SpanContext) trace.SpanContext {
	if !sc.IsSampled() {
		return trace.SpanContext{}
	}
	return sc
}
