package instrument

import (
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// Observe observes a value, with the trace it was measured in as exemplar where
// that is sent: a graph of slow requests then leads to one of them.
func Observe(o prometheus.Observer, value float64, in trace.SpanContext) {
	if in.IsSampled() {
		if e, ok := o.(prometheus.ExemplarObserver); ok {
			e.ObserveWithExemplar(value, prometheus.Labels{"trace_id": in.TraceID().String(), "span_id": in.SpanID().String()})
			return
		}
	}
	o.Observe(value)
}
