package ops_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"shiplog/ops"
)

// Whatever was answered before somebody reads the metrics is in them, and nothing
// is in them twice, however many answer and read at once.
func TestHTTPMetricsTellOfEveryAnswer(t *testing.T) {
	const clients, each = 8, 1001 // no multiple of what is held
	reg := ops.NewRegistry(ops.Build{Version: "test"})
	wrapped := ops.NewHTTPMetrics(reg, ops.HTTPOptions{Routes: []string{"/"}}).Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = "/"
		status, _ := strconv.Atoi(r.Header.Get("Want"))
		w.WriteHeader(status)
	}))
	var asked, answered atomic.Int64
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for i := range each {
				r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
				r.Header.Set("Want", []string{"200", "304"}[i%2])
				asked.Add(1)
				wrapped.ServeHTTP(httptest.NewRecorder(), r)
				answered.Add(1)
			}
		})
	}
	for told := int64(0); told < clients*each; {
		least := answered.Load()
		requests, durations := totals(t, reg)
		most := asked.Load()
		if min(requests, durations) < least || max(requests, durations) > most {
			t.Fatalf("%d requests and %d durations are told of, when %d to %d were answered", requests, durations, least, most)
		}
		told = min(requests, durations)
	}
	all.Wait()
	got := series(t, reg)
	for code, want := range map[string]float64{"2xx": clients * (each + 1) / 2, "3xx": clients * (each - 1) / 2} {
		if name := "shiplog_http_requests_total{code=" + code + ",method=GET,route=/}"; got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// totals are how many requests and durations the metrics tell of, each of the
// latter in the classic buckets and in the native ones.
func totals(t *testing.T, reg prometheus.Gatherer) (requests, durations int64) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			switch f.GetName() {
			case "shiplog_http_requests_total":
				requests += int64(m.GetCounter().GetValue())
			case "shiplog_http_request_duration_seconds":
				h := m.GetHistogram()
				durations += int64(h.GetSampleCount())                //nolint:gosec // few
				native, inBucket := int64(h.GetZeroCount()), int64(0) //nolint:gosec // few
				for _, delta := range h.GetPositiveDelta() {
					inBucket += delta
					native += inBucket
				}
				if native != int64(h.GetSampleCount()) { //nolint:gosec // few
					t.Fatalf("%d durations are in native buckets, %d in all", native, h.GetSampleCount())
				}
			}
		}
	}
	return requests, durations
}
