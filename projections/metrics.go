package projections

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"shiplog/events"
	"shiplog/events/instrument"
)

// Metrics are the metrics of all projections of a process. Counters of events
// skip the replay at the start: they count what was recorded after the process
// had caught up for the first time, so that a restart is no burst.
type Metrics struct {
	applied  *prometheus.CounterVec   // events applied, by projection
	latency  *prometheus.HistogramVec // from recorded to visible, by projection
	batch    *prometheus.HistogramVec // events a transaction, by projection, replay too
	took     *prometheus.HistogramVec // how long a transaction took, by projection, replay too
	events   *prometheus.CounterVec   // events of the ledger, by type
	gaps     prometheus.Counter       // times that events were missing
	matchups prometheus.Counter       // matchups opened
	verdicts prometheus.Counter       // changes of labels

	position, lagEvents, lagSeconds, state, heartbeat *prometheus.Desc

	mu      sync.Mutex
	watched map[string]Watched
	counted map[string]uint64 // up to where a projection of another package is counted, once it has caught up
}

// Watched is what the gauges of a projection are read from; a [Runner] is one.
type Watched interface {
	Status() Status
	Lag(ctx context.Context) (events uint64, age time.Duration)
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	with := promauto.With(reg)
	counter := func(name, help string) prometheus.Counter {
		return with.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	gauge := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"projection"}, labels...), nil)
	}
	m := &Metrics{
		applied: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "shiplog_projection_events_total",
			Help: "Events applied by a projection since it first caught up.",
		}, []string{"projection"}),
		latency: with.NewHistogramVec(instrument.Histogram("shiplog_projection_latency_seconds",
			"Time from the recording of an event until readers see it, live events only.",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}), []string{"projection"}),
		batch: with.NewHistogramVec(instrument.Histogram("shiplog_projection_batch_size",
			"Events applied in one transaction, replay included.",
			prometheus.ExponentialBuckets(1, 4, 8)), []string{"projection"}),
		took: with.NewHistogramVec(instrument.Histogram("shiplog_projection_apply_duration_seconds",
			"Time that one transaction of a projection took, replay included.",
			[]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 30}), []string{"projection"}),
		events: with.NewCounterVec(prometheus.CounterOpts{
			Name: "shiplog_ledger_events_total",
			Help: "Events recorded in the ledger since this process first caught up, by type.",
		}, []string{"type"}),
		gaps:     counter("shiplog_ledger_gaps_total", "Times that events were found missing from the ledger."),
		matchups: counter("shiplog_matchups_opened_total", "Matchups opened since this process first caught up."),
		verdicts: counter("shiplog_verdict_changes_total", "Changes of a tool's verdict since this process first caught up."),

		position:   gauge("shiplog_projection_position", "Sequence of the last event applied."),
		lagEvents:  gauge("shiplog_projection_lag_events", "Events recorded but not applied."),
		lagSeconds: gauge("shiplog_projection_lag_seconds", "Age of the oldest event not applied; 0 when caught up."),
		state:      gauge("shiplog_projection_state", "1 for the state the projection is in, 0 for the others.", "state"),
		heartbeat:  gauge("shiplog_projection_heartbeat_timestamp_seconds", "When the projection was last seen working or waiting."),
		watched:    make(map[string]Watched),
		counted:    make(map[string]uint64),
	}
	for _, t := range events.Types() {
		m.events.WithLabelValues(t.Name)
	}
	reg.MustRegister(m)
	return m
}

// Watch adds a projection that another package runs: its gauges, and the events
// that it applies, which are told by its position. How long it takes that package
// measures.
func (m *Metrics) Watch(name string, w Watched) {
	m.applied.WithLabelValues(name)
	m.mu.Lock()
	m.watched[name] = w
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
	defer cancel()
	behind, _ := w.Lag(ctx)
	m.follow(name, w.Status(), behind)
}

// follow counts how far a projection of another package has come since it first
// was caught up. One that begins anew comes by the same events again: they are
// counted once.
func (m *Metrics) follow(name string, status Status, behind uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, live := m.counted[name]
	switch {
	case live && status.Position > from:
		m.applied.WithLabelValues(name).Add(float64(status.Position - from))
		m.counted[name] = status.Position
	case !live && behind == 0:
		m.counted[name] = status.Position
	}
}

func (m *Metrics) watch(r *Runner) {
	name := r.p.Name()
	m.applied.WithLabelValues(name)
	m.latency.WithLabelValues(name)
	m.batch.WithLabelValues(name)
	m.took.WithLabelValues(name)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watched[name] = r
}

// live counts a batch of live events, with the traces they are in as exemplars.
func (m *Metrics) live(name string, batch []*events.Event, now time.Time, in *stage) {
	m.applied.WithLabelValues(name).Add(float64(len(batch)))
	latency := m.latency.WithLabelValues(name)
	for i, e := range batch {
		instrument.Observe(latency, max(0, now.Sub(e.RecordedTime).Seconds()), in.of(i))
	}
}

// verdictCounter is a projection that counts changes of verdicts.
type verdictCounter interface {
	VerdictChanges() uint64
}

// count counts a batch that was applied.
func (r *Runner) count(batch []*events.Event, now time.Time, in *stage) {
	m, status := r.o.Metrics, r.Status()
	m.batch.WithLabelValues(status.Name).Observe(float64(len(batch)))
	instrument.Observe(m.took.WithLabelValues(status.Name), time.Since(r.began).Seconds(), in.context())
	if status.LiveSince.IsZero() || batch[0].Seq <= status.LiveFrom {
		return
	}
	m.live(status.Name, batch, now, in)
	if !r.o.CountsLedger {
		return
	}
	for _, e := range batch {
		if e.Data == nil {
			continue
		}
		m.events.WithLabelValues(e.Type()).Inc()
		if _, ok := e.Data.(*events.MatchupOpened); ok {
			m.matchups.Inc()
		}
	}
	if c, ok := r.p.(verdictCounter); ok {
		n := c.VerdictChanges()
		m.verdicts.Add(float64(n - min(n, r.verdicts)))
		r.verdicts = n
	}
}

// Describe is part of [prometheus.Collector].
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.position, m.lagEvents, m.lagSeconds, m.state, m.heartbeat} {
		ch <- d
	}
	m.applied.Describe(ch)
}

// lagTimeout bounds how long a scrape waits for the ledger.
const lagTimeout = time.Second

// Collect is part of [prometheus.Collector].
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	m.mu.Lock()
	watched := maps.Clone(m.watched)
	m.mu.Unlock()
	for name, w := range watched {
		m.collect(ch, name, w)
	}
	m.applied.Collect(ch) // after the positions that it follows
}

func (m *Metrics) collect(ch chan<- prometheus.Metric, name string, w Watched) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, append([]string{name}, labels...)...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
	defer cancel()
	behind, age := w.Lag(ctx)
	status := w.Status()
	if _, ours := w.(*Runner); !ours {
		m.follow(name, status, behind)
	}
	gauge(m.position, float64(status.Position))
	gauge(m.lagEvents, float64(behind))
	gauge(m.lagSeconds, age.Seconds())
	gauge(m.heartbeat, float64(status.Heartbeat.UnixMilli())/1000)
	for _, state := range States() {
		value := 0.0
		if state == status.State {
			value = 1
		}
		gauge(m.state, value, string(state))
	}
}
