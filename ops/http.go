package ops

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events/instrument"
	"shiplog/events/tracing"
)

// HTTPMetrics counts requests by the pattern of the mux that served them, never
// by path: paths are endless.
type HTTPMetrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	tallies  map[string]*[len(countedMethods)]tally // by route
	began    time.Time
	o        HTTPOptions
}

// HTTPOptions are what [NewHTTPMetrics] is made of.
type HTTPOptions struct {
	// Routes are the patterns that are counted by name, without a method.
	Routes []string
	// Tracer makes a span of each request; nil makes none.
	Tracer *tracing.Tracer
	// Log takes a line for each request, at debug level; nil takes none.
	Log *Log
}

// otherRoute stands for requests that no pattern matched.
const otherRoute = "other"

var (
	countedMethods = [...]string{"GET", "HEAD", "POST", "other"}
	countedCodes   = [...]string{"1xx", "2xx", "3xx", "4xx", "5xx"}
)

// NewHTTPMetrics registers the metrics with every label set that the routes can
// have.
func NewHTTPMetrics(reg prometheus.Registerer, o HTTPOptions) *HTTPMetrics {
	m := &HTTPMetrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "shiplog_http_requests_total",
			Help: "Requests answered, by the pattern of the route, method and class of status code; 4xx holds those whose client did not wait for the answer (499).",
		}, []string{"route", "method", "code"}),
		duration: prometheus.NewHistogramVec(instrument.Histogram("shiplog_http_request_duration_seconds",
			"Time to answer a request.", []float64{.0002, .0005, .002, .005, .02, .05, .1, .25, .5, 1, 2.5, 10}), []string{"route", "method"}),
		tallies: map[string]*[len(countedMethods)]tally{},
		began:   time.Now(),
		o:       o,
	}
	for _, route := range append([]string{otherRoute}, o.Routes...) {
		var methods [len(countedMethods)]tally
		for i, method := range countedMethods {
			methods[i].duration = m.duration.WithLabelValues(route, method)
			for j, code := range countedCodes {
				methods[i].requests[j] = m.requests.WithLabelValues(route, method, code)
			}
		}
		m.tallies[route] = &methods
	}
	reg.MustRegister(m)
	return m
}

// Describe implements [prometheus.Collector].
func (m *HTTPMetrics) Describe(to chan<- *prometheus.Desc) {
	m.requests.Describe(to)
	m.duration.Describe(to)
}

// Collect implements [prometheus.Collector].
func (m *HTTPMetrics) Collect(to chan<- prometheus.Metric) {
	for _, methods := range m.tallies {
		for i := range methods {
			methods[i].flush()
		}
	}
	m.requests.Collect(to)
	m.duration.Collect(to)
}

// Wrap counts what a mux answers, and makes a span and a line of the log of each
// request. What was sent is in neither.
func (m *HTTPMetrics) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Since(m.began) // which reads one clock, where [time.Now] reads two
		rec := recorders.Get().(*statusRecorder)
		rec.ResponseWriter = w
		var span *requestSpan
		if m.o.Tracer != nil {
			r, span = m.begin(r)
		}
		next.ServeHTTP(rec, r)
		m.count(r, rec.code(), time.Since(m.began)-start, span)
		*rec = statusRecorder{}
		recorders.Put(rec)
	})
}

// count counts an answer. It is apart from what serves the request, whose stack
// is so the smaller.
func (m *HTTPMetrics) count(r *http.Request, status int, took time.Duration, span *requestSpan) {
	route, method, of := m.tally(r)
	if o := (observed{took, classPlace(status)}); span == nil {
		of.note(o)
	} else {
		of.tell(o, span.end(route, method, status))
	}
	if m.o.Log != nil && m.o.Log.Level.Level() <= slog.LevelDebug { // the logger itself would ask three more
		m.o.Log.LogAttrs(r.Context(), slog.LevelDebug, "answered", slog.String("route", route),
			slog.String("method", method), slog.Int("status", status), slog.Duration("took", took))
	}
}

// tally is that of a request, with its route and method: the route is the pattern
// that matched, as the mux left it in the request.
func (m *HTTPMetrics) tally(r *http.Request) (route, method string, of *tally) {
	route = r.Pattern
	if _, path, found := strings.Cut(route, " "); found {
		route = path
	}
	methods := m.tallies[route]
	if methods == nil {
		route, methods = otherRoute, m.tallies[otherRoute]
	}
	i := methodPlace(r.Method)
	return route, countedMethods[i], &methods[i]
}

// methodPlace is the place of a method among countedMethods.
func methodPlace(method string) int {
	for i, known := range countedMethods {
		if method == known {
			return i
		}
	}
	return len(countedMethods) - 1
}

// classPlace is the place of a status among countedCodes.
func classPlace(status int) int { return min(max(status/100, 1), len(countedCodes)) - 1 }

func methodLabel(method string) string { return countedMethods[methodPlace(method)] }

// recorders are those that no request has.
var recorders = sync.Pool{New: func() any { return new(statusRecorder) }}

// statusRecorder remembers the status code.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (s *statusRecorder) WriteHeader(code int) {
	if s.status == 0 {
		s.status = code
	}
	s.ResponseWriter.WriteHeader(code)
}

func (s *statusRecorder) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	return s.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (s *statusRecorder) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// code is the status of an answer; one that nothing was written to is 200.
func (s *statusRecorder) code() int {
	if s.status == 0 {
		return http.StatusOK
	}
	return s.status
}
