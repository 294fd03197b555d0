package feeds

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"shiplog/projections"
	"shiplog/projections/kept"
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
// how often for the first. A look that takes long is followed by a rest that many
// times as long, up to a minute: events that come all the time do not have it take
// more than a hundredth of theirs.
const (
	newestEvery = 4 * time.Second
	firstEvery  = time.Second
	newestRest  = 100
	mostRest    = time.Minute
)

// Run keeps the metric of the newest items near the truth until the context
// ends: what changed an item last has to be looked for, for which no scrape is to
// wait.
func (h *Handler) Run(ctx context.Context) error {
	for looked := (kept.State{}); ; {
		wait := newestEvery
		if now := kept.Now(h.options.Model); now != looked {
			begun := time.Now()
			if times, err := h.lookForNewest(ctx); err == nil {
				h.newest.Store(times)
				looked = now
			}
			wait = max(wait, min(newestRest*time.Since(begun), mostRest))
		}
		if !h.newest.Load().any() {
			wait = firstEvery
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

// lookForNewest looks at what the three wide feeds show. The narrowed ones hold the
// items of those, so theirs are never newer.
func (h *Handler) lookForNewest(ctx context.Context) (_ *newestTimes, err error) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	s, err := h.options.Model.At(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	times := newestTimes{}
	var newest time.Time
	for _, kind := range []Kind{Matchups, Verdicts, Reviews} {
		t, err := h.lastChange(ctx, s, kind)
		if err != nil {
			return nil, err
		}
		times[kind] = t
		newest = later(newest, t)
	}
	times[Tool], times[Category], times[Reviewer] = newest, newest, times[Reviews]
	return &times, nil
}

// lastChange is when an item in the window of a feed changed last. The items are
// not made for that: to write them down takes ten times as long.
func (h *Handler) lastChange(ctx context.Context, s *projections.Snapshot, kind Kind) (last time.Time, err error) {
	refs, err := s.FeedWindow(ctx, Key{Kind: kind}.history())
	if err != nil {
		return last, err
	}
	items, err := s.Items(ctx, refs)
	if err != nil {
		return last, err
	}
	for i := range items.Verdicts {
		last = later(last, items.Verdicts[i].Updated)
	}
	for i := range items.Reviews {
		last = later(last, items.Reviews[i].Updated)
	}
	matchups, err := h.lastOfMatchups(ctx, s, items.Matchups)
	return later(last, matchups), err
}

// lastOfMatchups is when one of some matchups changed last. Texts are read only of
// those that something happened to since the last change that can be told without.
func (h *Handler) lastOfMatchups(ctx context.Context, s *projections.Snapshot, list []projections.MatchupItem) (time.Time, error) {
	var shown projections.Stamp
	for i := range list {
		shown = shown.Later(list[i].Matchup.Shown)
	}
	last, err := lastOfTools(ctx, s, list)
	if err != nil {
		return time.Time{}, err
	}
	panel, err := kept.LastSeat(ctx, s)
	if err != nil {
		return time.Time{}, err
	}
	var seqs []uint64
	for i := range list {
		if v := &list[i].Matchup; max(panel, last[v.Left.Slug], last[v.Right.Slug]) > shown.Seq {
			seqs = append(seqs, list[i].Seq)
		}
	}
	quoted, err := h.lastQuoted(ctx, s, seqs)
	return later(shown.Time, quoted), err
}

// lastQuoted is when the quotations of one of some matchups changed last.
func (h *Handler) lastQuoted(ctx context.Context, s *projections.Snapshot, seqs []uint64) (last time.Time, err error) {
	composer := h.builder(s, Key{Kind: Matchups}).Composer
	for some := range slices.Chunk(seqs, cardsAtOnce) {
		cards, err := s.Scorecards(ctx, some)
		if err != nil {
			return last, err
		}
		for _, card := range cards {
			since, err := composer.quotedSince(card, quotedRows(card))
			if err != nil {
				return last, err
			}
			last = later(last, since)
		}
	}
	return last, nil
}

// Collect implements prometheus.Collector. Where nobody runs the handler it
// looks by itself.
func (n newestItems) Collect(ch chan<- prometheus.Metric) {
	times := n.handler.newest.Load()
	if times == nil {
		var err error
		if times, err = n.handler.lookForNewest(context.Background()); err != nil {
			times = &newestTimes{}
		}
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
