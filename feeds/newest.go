package feeds

import (
	"context"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// newestItems tells how old the feeds are, when asked: a gauge set while
// serving would stand still while nobody reads.
type newestItems struct{ handler *Handler }

// scrapeTimeout bounds what a scrape waits for.
const scrapeTimeout = 5 * time.Second

func newestDesc() *prometheus.Desc {
	return prometheus.NewDesc("shiplog_feed_last_item_timestamp_seconds",
		"Recording time of the last event that changed an item of the feeds of this kind, 0 while they are empty.",
		[]string{"feed"}, nil)
}

// Describe implements prometheus.Collector.
func (n newestItems) Describe(ch chan<- *prometheus.Desc) { ch <- newestDesc() }

// Collect implements prometheus.Collector. The narrowed feeds hold the items of
// the three wide ones, so theirs are never newer.
func (n newestItems) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	times := map[Kind]time.Time{}
	var newest time.Time
	for _, kind := range []Kind{Matchups, Verdicts, Reviews} {
		if e, err := n.handler.current(ctx, netip.Prefix{}, Key{Kind: kind}); err == nil {
			times[kind] = e.newest
			newest = later(newest, e.newest)
		}
	}
	times[Tool], times[Category], times[Reviewer] = newest, newest, times[Reviews]
	desc := newestDesc()
	for _, kind := range Kinds() {
		seconds := 0.0
		if t := times[kind]; !t.IsZero() {
			seconds = float64(t.UnixMilli()) / 1000
		}
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, seconds, string(kind))
	}
}
