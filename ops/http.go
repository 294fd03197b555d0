package ops

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"shiplog/events/instrument"
	"shiplog/events/tracing"
)

// HTTPMetrics counts requests by the pattern of the mux that served them, never
// by path: paths are endless.
type HTTPMetrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	counted  map[string]*[len(countedMethods)]counted // by route
	o        HTTPOptions
}

// counted are the series of one route and method, looked up once: a request is
// to cost no more than it must.
type counted struct {
	requests [len(countedCodes)]prometheus.Counter
	duration prometheus.Observer
}

// HTTPOptions are what [NewHTTPMetrics] is made of.
type HTTPOptions struct {
	// Routes are the patterns that are counted by name, without a method.
	Routes []string
	// Tracer makes a span of each request; nil makes none.
	Tracer *tracing.Tracer
	// Log takes a line for each request, at debug level; nil takes none.
	Log *slog.Logger
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
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f := promauto.With(reg)
	m := &HTTPMetrics{
		requests: f.NewCounterVec(prometheus.CounterOpts{
			Name: "shiplog_http_requests_total",
			Help: "Requests answered, by the pattern of the route, method and class of status code.",
		}, []string{"route", "method", "code"}),
		duration: f.NewHistogramVec(instrument.Histogram("shiplog_http_request_duration_seconds",
			"Time to answer a request.", prometheus.ExponentialBuckets(0.0002, 2.5, 11)), []string{"route", "method"}),
		counted: map[string]*[len(countedMethods)]counted{},
		o:       o,
	}
	for _, route := range append([]string{otherRoute}, o.Routes...) {
		var methods [len(countedMethods)]counted
		for i, method := range countedMethods {
			methods[i].duration = m.duration.WithLabelValues(route, method)
			for j, code := range countedCodes {
				methods[i].requests[j] = m.requests.WithLabelValues(route, method, code)
			}
		}
		m.counted[route] = &methods
	}
	return m
}

// Wrap counts what a mux answers, and makes a span and a line of the log of each
// request. What was sent is in neither.
func (m *HTTPMetrics) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &statusRecorder{ResponseWriter: w}
		var span *requestSpan
		if m.o.Tracer != nil {
			r, span = m.begin(r)
		}
		next.ServeHTTP(rec, r)
		took := time.Since(start)
		route, series := m.series(r)
		method := methodLabel(r.Method)
		series.requests[rec.class()].Inc()
		instrument.Observe(series.duration, took.Seconds(), span.end(route, method, rec.code()))
		if m.o.Log.Enabled(r.Context(), slog.LevelDebug) {
			m.o.Log.LogAttrs(r.Context(), slog.LevelDebug, "answered", slog.String("route", route),
				slog.String("method", method), slog.Int("status", rec.code()), slog.Duration("took", took))
		}
	})
}

// series are those of a request, with its route: the pattern that matched, as the
// mux left it in the request.
func (m *HTTPMetrics) series(r *http.Request) (route string, of *counted) {
	route = r.Pattern
	if _, path, found := strings.Cut(route, " "); found {
		route = path
	}
	methods := m.counted[route]
	if methods == nil {
		route, methods = otherRoute, m.counted[otherRoute]
	}
	return route, &methods[methodPlace(r.Method)]
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

func methodLabel(method string) string { return countedMethods[methodPlace(method)] }

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

// class is the place of the status among countedCodes.
func (s *statusRecorder) class() int { return min(max(s.code()/100, 1), len(countedCodes)) - 1 }
