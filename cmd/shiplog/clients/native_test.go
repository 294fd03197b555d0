//go:build clients

package clients_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// nativeBoard is the dashboard that a Prometheus answers only where it scrapes
// native histograms.
const nativeBoard = "shiplog-native"

// A Prometheus that scrapes native histograms answers the dashboard that reads
// them.
func TestClientPrometheusReadsNativeHistograms(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) // takes every span
	defer collector.Close()
	n := start(t, t.TempDir(), "--demo", "--otlp-endpoint", collector.URL)
	settle(t, n)
	prom := startPrometheusWith(t, n, t.TempDir(), "--enable-feature=native-histograms")
	prom.wait(t, `count_over_time(up{job="shiplog"}[1m]) >= 2`)
	use(t, n)
	prom.wait(t, `histogram_count(rate(shiplog_commit_duration_seconds[1m])) > 0`)
	seen := 0
	for _, f := range dashboardFiles(t) {
		if f.UID != nativeBoard {
			continue
		}
		for _, p := range f.Panels {
			for _, q := range p.Targets {
				seen++
				if prom.queryRange(t, f.UID+", "+p.Title, q.Expr) == 0 {
					t.Errorf("%s: no data for %s", p.Title, q.Expr)
				}
			}
		}
	}
	if seen == 0 {
		t.Errorf("there is no dashboard %s", nativeBoard)
	}
}
