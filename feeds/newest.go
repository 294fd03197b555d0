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

// How often [Handler.Run] looks for newer items: for the first every second, then as
// often as takes it a two-hundredth of the time, within bounds.
const (
	firstEvery  = time.Second
	newestEvery = 4 * time.Second
	newestLate  = 8 * time.Second
	newestShare = 200
)

// Run keeps the metric of the newest items near the truth until the context
// ends: they are in feeds that may have to be built, for which no scrape is to
// wait.
func (h *Handler) Run(ctx context.Context) error {
	for {
		began := time.Now()
		times := h.lookForNewest(ctx)
		h.newest.Store(times)
		wait := firstEvery
		if times.any() {
			wait = min(max(newestEvery, newestShare*time.Since(began)), newestLate)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
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
