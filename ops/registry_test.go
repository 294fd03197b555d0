package ops_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"shiplog/ops"
)

// OpenMetrics tells the unit of each metric whose name ends in one, and of no
// other.
func TestOpenMetricsTellsUnits(t *testing.T) {
	reg := ops.NewRegistry(ops.Build{Version: "test"})
	reg.MustRegister(
		prometheus.NewCounter(prometheus.CounterOpts{Name: "shiplog_sent_bytes_total", Help: "Sent."}),
		prometheus.NewHistogram(prometheus.HistogramOpts{Name: "shiplog_took_seconds", Help: "Took."}),
		prometheus.NewGauge(prometheus.GaugeOpts{Name: "shiplog_waiting", Help: "Waiting."}),
	)
	server := httptest.NewServer((&ops.Admin{Registry: reg}).Handler())
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n# UNIT shiplog_sent_bytes bytes\n", "\n# UNIT shiplog_took_seconds seconds\n",
		"\n# UNIT process_resident_memory_bytes bytes\n", "\n# UNIT go_gc_gogc_percent percent\n",
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("there is no %q", strings.TrimSpace(want))
		}
	}
	if strings.Contains(string(body), "# UNIT shiplog_waiting") {
		t.Error("a number of things has a unit")
	}
}
