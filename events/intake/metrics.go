package intake

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/trace"

	"shiplog/events/instrument"
)

// metrics are those of an intake. Nil measures nothing.
type metrics struct {
	submissions *prometheus.CounterVec
	batchSize   prometheus.Histogram
	duration    prometheus.Histogram
	conflicts   prometheus.Counter
	pending     prometheus.Gauge
	rejected    prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	if reg == nil {
		reg = prometheus.NewRegistry()
	}
	f := promauto.With(reg)
	m := &metrics{
		submissions: f.NewCounterVec(prometheus.CounterOpts{
			Name: "shiplog_submissions_total",
			Help: "Submissions by the way they came in and what became of them.",
		}, []string{"via", "outcome"}),
		batchSize: f.NewHistogram(instrument.Histogram("shiplog_commit_batch_size",
			"Events in one commit to the ledger.", prometheus.ExponentialBuckets(1, 2, 11))),
		duration: f.NewHistogram(instrument.Histogram("shiplog_commit_duration_seconds",
			"Time from publishing a batch to its being stored for good.", prometheus.ExponentialBuckets(0.0001, 2, 16))),
		conflicts: f.NewCounter(prometheus.CounterOpts{
			Name: "shiplog_commit_conflicts_total",
			Help: "Commits that found another node's event at the expected head and were decided again.",
		}),
		pending: f.NewGauge(prometheus.GaugeOpts{
			Name: "shiplog_inbox_pending",
			Help: "Events in the inbox that are not settled yet, as of a few seconds ago.",
		}),
		rejected: f.NewGauge(prometheus.GaugeOpts{
			Name: "shiplog_rejected_events",
			Help: "Events kept in SHIPLOG_REJECTED, as of a few seconds ago.",
		}),
	}
	for _, via := range []string{viaHTTP, viaNATS, viaInbox} {
		for _, outcome := range []string{StatusAccepted, StatusDuplicate, StatusRejected, StatusError} {
			m.submissions.WithLabelValues(via, outcome)
		}
	}
	return m
}

// committed notes a commit of n events, with the trace it is in as exemplar.
func (m *metrics) committed(n int, took time.Duration, in trace.SpanContext) {
	if m == nil {
		return
	}
	instrument.Observe(m.duration, took.Seconds(), in)
	m.batchSize.Observe(float64(n))
}

// conflict counts a commit that came too late.
func (m *metrics) conflict() {
	if m != nil {
		m.conflicts.Inc()
	}
}

// count counts what became of submissions.
func (m *metrics) count(via string, receipts ...Receipt) {
	if m == nil {
		return
	}
	for len(receipts) > 0 {
		status, n := receipts[0].Status, 1
		for n < len(receipts) && receipts[n].Status == status {
			n++
		}
		m.submissions.WithLabelValues(via, status).Add(float64(n))
		receipts = receipts[n:]
	}
}
