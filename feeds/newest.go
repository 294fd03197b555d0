package feeds

import (
	"context"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// newestItems tells how old the feeds are, whether anybody reads them or not.
type newestItems struct{ handler *Handler }

// scrapeTimeout bounds a look for the newest items.
const scrapeTimeout = 5 * time.Second

func newestDesc() *prometheus.Desc {
	return prometheus.NewDesc("shiplog_feed_last_item_timestamp_seconds",
		"Recording time of the last event that changed an item of the feeds of this kind, 0 while they are empty.",
		[]string{"feed"}, nil)
}

// Describe implements prometheus.Collector.
func (n newestItems) Describe(ch chan<- *prometheus.Desc) { ch <- newestDesc() }

// newestEvery is how often [Handler.Run] looks for newer items, and firstEvery
// how often for the first.
const (
	newestEvery = 4 * time.Second
	firstEvery  = time.Second
)

// Run keeps the metric of the newest items near the truth until the context
// ends: they are in feeds that may have to be built, for which no scrape is to
// wait.
func (h *Handler) Run(ctx context.Context) error {
	tick := time.NewTicker(firstEvery)
	defer tick.Stop()
	for looked := (time.Time{}); ; {
		if !h.newest.Load().any() || time.Since(looked) >= newestEvery {
			h.newest.Store(h.lookForNewest(ctx))
			looked = time.Now()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// newestTimes are when the newest items of each kind of feed were recorded.
type newestTimes map[Kind]time.Time

// any tells whether there is an item at all.
func (t *newestTimes) any() bool {
	if t == nil {
		return false
	}
	for _, newest := range *t {
		if !newest.IsZero() {
			return true
		}
	}
	return false
}

// lookForNewest reads the three wide feeds. The narrowed ones hold the items of
// those, so theirs are never newer.
func (h *Handler) lookForNewest(ctx context.Context) *newestTimes {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	times := newestTimes{}
	var newest time.Time
	for _, kind := range []Kind{Matchups, Verdicts, Reviews} {
		if e, err := h.current(ctx, netip.Prefix{}, Key{Kind: kind}); err == nil {
			times[kind] = e.newest
			newest = later(newest, e.newest)
		}
	}
	times[Tool], times[Category], times[Reviewer] = newest, newest, times[Reviews]
	return &times
}

// Collect implements prometheus.Collector. Where nobody runs the handler it
// looks by itself.
func (n newestItems) Collect(ch chan<- prometheus.Metric) {
	times := n.handler.newest.Load()
	if times == nil {
		times = n.handler.lookForNewest(context.Background())
	}
	desc := newestDesc()
	for _, kind := range Kinds() {
		seconds := 0.0
		if t := (*times)[kind]; !t.IsZero() {
			seconds = float64(t.UnixMilli()) / 1000
		}
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, seconds, string(kind))
	}
}
