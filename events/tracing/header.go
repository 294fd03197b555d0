package tracing

import (
	"maps"
	"slices"
	"strings"
)

// Header is a header of HTTP or NATS that carries a trace context: traceparent
// and tracestate (W3C Trace Context). NATS keeps names as they are sent, so they
// are written in lower case, as the recommendation has them, and read in any.
type Header map[string][]string

// Get implements [go.opentelemetry.io/otel/propagation.TextMapCarrier].
func (h Header) Get(name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	for sent, values := range h {
		if len(values) > 0 && strings.EqualFold(sent, name) {
			return values[0]
		}
	}
	return ""
}

// Set implements [go.opentelemetry.io/otel/propagation.TextMapCarrier].
func (h Header) Set(name, value string) { h[name] = []string{value} }

// Keys implements [go.opentelemetry.io/otel/propagation.TextMapCarrier].
func (h Header) Keys() []string { return slices.Sorted(maps.Keys(h)) }
