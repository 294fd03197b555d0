package ops

import (
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
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

// units are the ends of names that are units (OpenMetrics 1.0, section "Units and
// Base Units").
var units = []string{"seconds", "bytes", "ratio", "percent"}

// measured gathers metrics with the unit that each name ends in, so that those who
// read OpenMetrics or the binary form are told it in a place of its own.
func measured(from prometheus.Gatherer) prometheus.GathererFunc {
	return func() ([]*dto.MetricFamily, error) {
		families, err := from.Gather()
		for _, f := range families {
			name := strings.TrimSuffix(f.GetName(), "_total")
			for _, unit := range units {
				if f.Unit == nil && strings.HasSuffix(name, "_"+unit) {
					f.Unit = &unit
				}
			}
		}
		return families, err
	}
}

// metricsHandler serves a registry, also as OpenMetrics; scrapes that overlap
// share one gathering.
func metricsHandler(reg *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(measured(reg), promhttp.HandlerOpts{
		Registry:          reg,
		EnableOpenMetrics: true,
		CoalesceGather:    true,
		Timeout:           10 * time.Second,
	})
}
