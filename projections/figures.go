package projections

import (
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Register adds the metrics of the read model's file and of those who read it.
// They are looked up when asked.
func (m *Model) Register(reg prometheus.Registerer) {
	f := promauto.With(reg)
	gauge := func(name, help string, labels prometheus.Labels, value func(*store) int) {
		f.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(value(m.inUse())) })
	}
	gauge("shiplog_sqlite_database_bytes", "Size of the read model's file.", nil, func(s *store) int { return sizeOf(s.path) })
	gauge("shiplog_sqlite_wal_bytes", "Size of the read model's write-ahead log.", nil, func(s *store) int { return sizeOf(s.path + "-wal") })
	const name, help = "shiplog_sqlite_readers", "Connections that read the read model, by whether they are in use."
	gauge(name, help, prometheus.Labels{"state": "busy"}, func(s *store) int { return cap(s.room) - len(s.room) - len(s.free) })
	gauge(name, help, prometheus.Labels{"state": "idle"}, func(s *store) int { return len(s.free) })
}

// sizeOf is the size of a file, 0 where there is none.
func sizeOf(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return int(info.Size())
}
