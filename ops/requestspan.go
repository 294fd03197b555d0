package ops

import (
	"context"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"shiplog/events/tracing"
)

// A requestSpan is the span of one HTTP request.
type requestSpan struct {
	ctx  context.Context
	span trace.Span
}

// begin begins a span below the one that the request names. Its route is known
// only when it was served.
func (m *HTTPMetrics) begin(r *http.Request) (*http.Request, *requestSpan) {
	ctx, span := m.o.Tracer.Receive(r.Context(), tracing.Header(r.Header), methodLabel(r.Method), tracing.Server,
		attribute.String("http.request.method", methodLabel(r.Method)), attribute.String("url.path", r.URL.Path),
		attribute.String("url.scheme", "http")) // a proxy speaks HTTPS, where anybody does
	return r.WithContext(ctx), &requestSpan{ctx, span}
}

// end ends the span, named as the semantic conventions for HTTP want it, and
// returns it where it is sent.
func (s *requestSpan) end(route, method string, code int) trace.SpanContext {
	s.span.SetName(method + " " + route)
	s.span.SetAttributes(attribute.String("http.route", route), attribute.Int("http.response.status_code", code))
	if code >= http.StatusInternalServerError {
		s.span.SetAttributes(attribute.String("error.type", strconv.Itoa(code)))
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
	return tracing.Of(s.ctx)
}
