package tracing_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"shiplog/events"
	"shiplog/events/tracing"
)

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// Names of headers are written in lower case, which NATS keeps, and read in any.
func TestHeader(t *testing.T) {
	tracer, _ := recorded()
	for _, name := range []string{"traceparent", "Traceparent", "TRACEPARENT"} {
		ctx, span := tracer.Receive(t.Context(), tracing.Header{name: {traceparent}}, "receive", tracing.Server)
		if got := span.SpanContext().TraceID().String(); got != traceparent[3:35] {
			t.Errorf("%s: trace %s", name, got)
		}
		header := tracing.Header{}
		tracer.Inject(ctx, header)
		if diff := cmp.Diff([]string{"traceparent"}, header.Keys()); diff != "" {
			t.Errorf("written (-want +got):\n%s", diff)
		}
	}
}

func recorded() (*tracing.Tracer, *tracetest.SpanRecorder) {
	seen := tracetest.NewSpanRecorder()
	return tracing.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(seen))), seen
}

func begun(tracer *tracing.Tracer) trace.SpanContext {
	ctx, _ := tracer.Start(context.Background(), "submission", tracing.Server)
	return tracing.Of(ctx)
}

// Where nothing is traced nothing is made, and every call is harmless.
func TestNothingIsTraced(t *testing.T) {
	var none *tracing.Tracer
	batch := []*events.Event{{Seq: 1}}
	allocated := testing.AllocsPerRun(100, func() {
		ctx, span := none.Start(context.Background(), "any", tracing.Server)
		span.End()
		none.Committing(1, events.Hash{}, trace.SpanContext{})
		none.Begin(ctx, "any", tracing.Internal, time.Time{}, nil).End(nil)
		none.Visible(1, trace.SpanContext{})
		if none.Committed(batch) != nil || none.Applied(1).IsValid() {
			t.Error("a trace of nothing")
		}
	})
	if allocated > 0 {
		t.Errorf("%v allocations", allocated)
	}
}

// The trail knows an event by its leaf, until it is applied, and until many more
// were traced.
func TestTrail(t *testing.T) {
	tracer, _ := recorded()
	span := begun(tracer)
	event := &events.Event{Seq: 7, Leaf: events.Hash{1}}
	known := func(e *events.Event) bool { return tracer.Committed([]*events.Event{e}) != nil }
	tracer.Committing(7, event.Leaf, span)
	if !known(event) {
		t.Error("the event is not known")
	}
	if known(&events.Event{Seq: 7, Leaf: events.Hash{2}}) {
		t.Error("another event is taken for it")
	}
	if tracer.Applied(7).IsValid() {
		t.Error("it is seen before it is applied")
	}
	tracer.Visible(7, span)
	if known(event) || !tracer.Applied(7).Equal(span) {
		t.Error("it was applied, and may be applied again")
	}
	tracer.Committing(7+tracing.TrailLength, event.Leaf, span)
	if tracer.Applied(7).IsValid() {
		t.Error("the trail grows")
	}
}

// What is not sent is not noted.
func TestUnsampled(t *testing.T) {
	tracer := tracing.New(sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample())))
	if sc := begun(tracer); sc.IsValid() {
		t.Errorf("noted %v", sc)
	}
	if s := tracer.Begin(t.Context(), "batch", tracing.Producer, time.Now(), tracing.Distinct([]trace.SpanContext{{}})); s != nil {
		t.Error("a stage of nothing")
	}
}
