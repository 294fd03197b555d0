package intake_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger/ledgertest"
	"shiplog/events/tracing"
)

// A batch links to every submission in it; it is part of the first one's trace,
// and each of the others has a part of its own that leads to it.
func TestBatchLinksToItsSubmissions(t *testing.T) {
	seen := tracetest.NewSpanRecorder()
	tracer := tracing.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(seen)))
	in := intaketest.Open(t, ledgertest.New(t), intake.Options{Tracer: tracer})
	var items []intake.Item
	var submissions []trace.SpanContext
	for i, raw := range many(150) { // more than are committed one by one
		item := intaketest.Items(raw)[0]
		if i < 3 {
			ctx, span := tracer.Start(context.Background(), "submission", tracing.Server)
			item.Span = tracing.Of(ctx)
			submissions = append(submissions, item.Span)
			defer span.End()
		}
		items = append(items, item)
	}
	receipts, err := in.Submit(t.Context(), items, false)
	if err != nil || slices.ContainsFunc(receipts, func(r intake.Receipt) bool { return !r.OK() }) {
		t.Fatal(receipts[0], err)
	}
	until(t, "the commits are over", func() bool { return len(seen.Ended()) == len(submissions) })

	var batch trace.SpanContext
	for _, span := range seen.Ended() {
		if links := span.Links(); len(links) == len(submissions) {
			batch = span.SpanContext()
			for i, link := range links {
				if !link.SpanContext.Equal(submissions[i]) {
					t.Errorf("link %d leads to %v", i, link.SpanContext)
				}
			}
		}
	}
	parents := map[trace.SpanID]bool{}
	for _, span := range seen.Ended() {
		if span.Name() != tracing.Commit {
			t.Errorf("span %s", span.Name())
		}
		parents[span.Parent().SpanID()] = true
		if span.SpanContext().SpanID() == batch.SpanID() {
			if diff := cmp.Diff(submissions[0].TraceID(), batch.TraceID()); diff != "" {
				t.Error("the batch is not in the first submission's trace", diff)
			}
			continue
		}
		if links := span.Links(); len(links) != 1 || !links[0].SpanContext.Equal(batch) {
			t.Errorf("a part leads to %v, want the batch", links)
		}
	}
	for _, s := range submissions {
		if !parents[s.SpanID()] {
			t.Errorf("submission %v has no commit", s.SpanID())
		}
	}
}

func many(n int) (list [][]byte) {
	for i := range n {
		list = append(list, tool("tool-"+string(rune('a'+i/26))+string(rune('a'+i%26))))
	}
	return list
}
