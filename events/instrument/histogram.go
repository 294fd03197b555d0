// Package instrument holds what the metrics of all packages have in common.
package instrument

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Histogram is a histogram that is classic and native at once, so that old and
// new Prometheus servers each get their best: the buckets for the one, at most
// 160 of its own growing by a tenth, reset at most once an hour, for the other.
func Histogram(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  160,
		NativeHistogramMinResetDuration: time.Hour,
	}
}
