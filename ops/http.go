package ops

import (
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
	known    map[string]bool
	tracer   *tracing.Tracer
}

// otherRoute stands for requests that no pattern matched.
const otherRoute = "other"

var (
	countedMethods = []string{"GET", "HEAD", "POST", "other"}
	countedCodes   = []string{"1xx", "2xx", "3xx", "4xx", "5xx"}
)

// NewHTTPMetrics registers the metrics with every label set that the routes,
// patterns without a method, can have. A nil tracer makes no spans.
func NewHTTPMetrics(reg prometheus.Registerer, routes []string, tracer *tracing.Tracer) *HTTPMetrics {
	f := promauto.With(reg)
	m := &HTTPMetrics{
		requests: f.NewCounterVec(prometheus.CounterOpts{
			Name: "shiplog_http_requests_total",
			Help: "Requests answered, by the pattern of the route, method and class of status code.",
		}, []string{"route", "method", "code"}),
		duration: f.NewHistogramVec(instrument.Histogram("shiplog_http_request_duration_seconds",
			"Time to answer a request.", prometheus.ExponentialBuckets(0.0002, 2.5, 11)), []string{"route", "method"}),
		known:  map[string]bool{otherRoute: true},
		tracer: tracer,
	}
	for _, route := range routes {
		m.known[route] = true
	}
	for route := range m.known {
		for _, method := range countedMethods {
			m.duration.WithLabelValues(route, method)
			for _, code := range countedCodes {
				m.requests.WithLabelValues(route, method, code)
			}
		}
	}
	return m
}

// Wrap counts what a mux answers, and makes a span of each request.
func (m *HTTPMetrics) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &statusRecorder{ResponseWriter: w}
		var span *requestSpan
		if m.tracer != nil {
			r, span = m.begin(r)
		}
		next.ServeHTTP(rec, r)
		route, method := m.route(r), methodLabel(r.Method)
		m.requests.WithLabelValues(route, method, rec.class()).Inc()
		instrument.Observe(m.duration.WithLabelValues(route, method), time.Since(start).Seconds(), span.end(route, method, rec.code()))
	})
}

// route is the pattern that matched, as the mux left it in the request.
func (m *HTTPMetrics) route(r *http.Request) string {
	route := r.Pattern
	if _, path, found := strings.Cut(route, " "); found {
		route = path
	}
	if !m.known[route] {
		return otherRoute
	}
	return route
}

func methodLabel(method string) string {
	switch method {
	case "GET", "HEAD", "POST":
		return method
	}
	return "other"
}

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

func (s *statusRecorder) class() string { return countedCodes[min(max(s.code()/100, 1), 5)-1] }
