package ops

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// nodeMetrics tells at each scrape what /readyz and the disk would say then.
type nodeMetrics struct {
	health  *Health
	disk    DiskWatch
	ready   *prometheus.Desc
	check   *prometheus.Desc
	free    *prometheus.Desc
	total   *prometheus.Desc
	minFree *prometheus.Desc
}

// RegisterNode adds the metrics of a node's readiness and of its disk.
func RegisterNode(reg prometheus.Registerer, h *Health, disk DiskWatch) error {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return reg.Register(&nodeMetrics{
		health: h, disk: disk,
		ready:   desc("shiplog_ready", "1 while /readyz answers 200, else 0."),
		check:   desc("shiplog_check_ok", "1 while a check of /readyz is well, else 0.", "check"),
		free:    desc("shiplog_disk_free_bytes", "Space that is free on the disk of the data directory."),
		total:   desc("shiplog_disk_size_bytes", "Size of the disk of the data directory."),
		minFree: desc("shiplog_disk_min_free_bytes", "Free space below which nothing is recorded."),
	})
}

// Describe is part of [prometheus.Collector].
func (n *nodeMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{n.ready, n.check, n.free, n.total, n.minFree} {
		ch <- d
	}
}

// Collect is part of [prometheus.Collector]. The checks look at what is in
// memory and at the disk; none of them asks the network.
func (n *nodeMetrics) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	ready, findings := n.health.Ready(context.Background())
	gauge(n.ready, truth(ready))
	for _, f := range findings {
		if f.Name != findingStart && f.Name != findingShutdown { // no checks: what they tell is in the metric before
			gauge(n.check, truth(f.OK), f.Name)
		}
	}
	gauge(n.minFree, float64(n.disk.MinFree))
	if space, err := Disk(n.disk.Dir); err == nil {
		gauge(n.free, float64(space.Free))
		gauge(n.total, float64(space.Total))
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
