package ops

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"shiplog/events/ledger"
)

// StreamWatch keeps JetStream's own figures near the truth: no scrape asks NATS.
type StreamWatch struct {
	ledger *ledger.Ledger

	bytes, limit, messages, led, lag *prometheus.GaugeVec
	copies                           *prometheus.GaugeVec

	pending, ackPending, redelivered, waiting prometheus.Gauge
}

// streamsEvery is how often JetStream is asked.
const streamsEvery = 5 * time.Second

// NewStreamWatch registers the metrics and asks nothing before Run.
func NewStreamWatch(reg prometheus.Registerer, l *ledger.Ledger) *StreamWatch {
	f := promauto.With(reg)
	ofStream := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return f.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, append([]string{"stream"}, labels...))
	}
	consumers := prometheus.Labels{"stream": ledger.InboxStream, "consumer": ledger.InboxConsumer}
	ofConsumer := func(name, help string) prometheus.Gauge {
		return f.NewGauge(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: consumers})
	}
	f.NewCounterFunc(prometheus.CounterOpts{
		Name: "shiplog_nats_reconnects_total",
		Help: "Times that the connection to NATS was lost and came back.",
	}, func() float64 { return float64(l.Conn().Stats().Reconnects) })
	w := &StreamWatch{
		ledger:   l,
		bytes:    ofStream("shiplog_stream_bytes", "Size of a stream, as of a few seconds ago."),
		limit:    ofStream("shiplog_stream_max_bytes", "Size at which a stream takes no more, or drops the oldest."),
		messages: ofStream("shiplog_stream_messages", "Messages in a stream, as of a few seconds ago."),
		led:      ofStream("shiplog_stream_has_leader", "1 while a stream has a leader and answers, else 0."),
		copies:   ofStream("shiplog_stream_replicas", "Copies of a stream by state: current, lagging or offline.", "state"),
		lag:      ofStream("shiplog_stream_replica_lag", "Operations that the slowest copy of a stream is behind its leader."),

		pending:     ofConsumer("shiplog_consumer_pending", "Messages of the inbox not handed to an intake yet."),
		ackPending:  ofConsumer("shiplog_consumer_ack_pending", "Messages of the inbox handed to an intake and not acknowledged yet."),
		redelivered: ofConsumer("shiplog_consumer_redelivered", "Messages of the inbox handed out more than once and not acknowledged yet."),
		waiting:     ofConsumer("shiplog_consumer_waiting", "Requests for messages of the inbox that wait for some."),
	}
	for _, name := range ledger.StreamNames() {
		w.note(ledger.Figures{Stream: name})
	}
	return w
}

// Run asks until the context ends.
func (w *StreamWatch) Run(ctx context.Context) error {
	tick := time.NewTicker(streamsEvery)
	defer tick.Stop()
	for {
		w.look(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (w *StreamWatch) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, streamsEvery)
	defer cancel()
	for _, name := range ledger.StreamNames() {
		f, err := w.ledger.Figures(ctx, name)
		if err != nil {
			w.led.WithLabelValues(name).Set(0) // the rest stays what it was last known to be
			continue
		}
		w.note(f)
	}
	if c, err := w.ledger.InboxFigures(ctx); err == nil {
		w.pending.Set(float64(c.Pending))
		w.ackPending.Set(float64(c.AckPending))
		w.redelivered.Set(float64(c.Redelivered))
		w.waiting.Set(float64(c.Waiting))
	}
}

func (w *StreamWatch) note(f ledger.Figures) {
	w.bytes.WithLabelValues(f.Stream).Set(float64(f.Bytes))
	w.limit.WithLabelValues(f.Stream).Set(float64(f.MaxBytes))
	w.messages.WithLabelValues(f.Stream).Set(float64(f.Messages))
	w.led.WithLabelValues(f.Stream).Set(truth(f.Led))
	w.lag.WithLabelValues(f.Stream).Set(float64(f.Lag))
	for state, n := range map[string]int{"current": f.Current, "lagging": f.Lagging, "offline": f.Offline} {
		w.copies.WithLabelValues(f.Stream, state).Set(float64(n))
	}
}
