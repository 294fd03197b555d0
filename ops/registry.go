package ops

import (
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Build says which program runs.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
}

// NewRegistry is a registry with the collectors that every program has: Go,
// process and build.
func NewRegistry(b Build) *prometheus.Registry {
	reg := prometheus.NewRegistry()
	reg.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "shiplog_build_info",
		Help: "A constant 1, labelled with what was built.",
	}, []string{"version", "revision", "goversion"})
	info.WithLabelValues(b.Version, b.Revision, runtime.Version()).Set(1)
	reg.MustRegister(info)
	return reg
}

// metricsHandler serves a registry, also as OpenMetrics; scrapes that overlap
// share one gathering.
func metricsHandler(reg *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{
		Registry:          reg,
		EnableOpenMetrics: true,
		CoalesceGather:    true,
		Timeout:           10 * time.Second,
	})
}
