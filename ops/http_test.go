package ops_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"shiplog/ops"
)

// However many addresses and methods are asked for, the metrics know only the
// routes of the mux.
func TestHTTPMetricsAreBounded(t *testing.T) {
	reg := ops.NewRegistry(ops.Build{Version: "test"})
	mux := http.NewServeMux()
	mux.HandleFunc("/tools/{tool}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	mux.HandleFunc("GET /events", func(http.ResponseWriter, *http.Request) {})
	server := httptest.NewServer(ops.NewHTTPMetrics(reg, ops.HTTPOptions{Routes: []string{"/tools/{tool}", "/events"}}).Wrap(mux))
	defer server.Close()

	before := series(t, reg)
	for i := range 50 {
		for _, method := range []string{"GET", "BREW", fmt.Sprintf("M%d", i)} {
			for _, path := range []string{"/tools/t", "/nowhere/", "/events"} {
				ask(t, method, fmt.Sprintf("%s%s%d", server.URL, path, i))
			}
		}
	}
	ask(t, http.MethodGet, server.URL+"/events")
	after := series(t, reg)
	if len(after) != len(before) {
		t.Errorf("%d series became %d", len(before), len(after))
	}
	for name, want := range map[string]float64{
		`shiplog_http_requests_total{code=4xx,method=GET,route=/tools/{tool}}`:   50,
		`shiplog_http_requests_total{code=4xx,method=other,route=/tools/{tool}}`: 100,
		`shiplog_http_requests_total{code=4xx,method=other,route=other}`:         200,
		`shiplog_http_requests_total{code=2xx,method=GET,route=/events}`:         1,
	} {
		if got := after[name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

func ask(t *testing.T, method, url string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

// series are the counters of a registry by name and labels.
func series(t *testing.T, reg interface {
	Gather() ([]*dto.MetricFamily, error)
},
) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			if strings.HasPrefix(f.GetName(), "shiplog_http") {
				values[fmt.Sprintf("%s{%s}", f.GetName(), strings.Join(labels, ","))] = m.GetCounter().GetValue()
			}
		}
	}
	return values
}
