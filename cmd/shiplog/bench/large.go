package bench

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"shiplog/cmd/shiplog/process"
	"shiplog/events"
)

// smallReviews is how many reviews the ledger has that a large one is held to.
const smallReviews = 10_000

// measureLarge loads many reviews and compares the node with one that has few,
// both running, by turns: what it records and what it shows should cost the
// same. Both are started again before: a node that holds many reviews has not
// recorded them all in the last minute, of which NATS keeps much in memory.
func (r *run) measureLarge(ctx context.Context) error {
	small, _, err := r.load(ctx, "small", smallReviews)
	if err != nil {
		return err
	}
	defer small.end()
	large, rate, err := r.load(ctx, "large", r.Large)
	if err != nil {
		return err
	}
	defer large.end()
	r.add(Figure{
		Name: fmt.Sprintf("loading %d reviews", r.Large), Value: rate, Unit: "reviews/s", Memory: large.PeakMemory(),
	})
	if err := r.measureRestart(ctx, large); err != nil {
		return err
	}
	if err := small.Stop(); err != nil {
		return err
	}
	if small.Node, err = process.Start(ctx, r.Program, filepath.Join(r.dir, "small"), mostBytes...); err != nil {
		return err
	}
	for _, n := range []*node{large, small} {
		if err := n.rested(ctx); err != nil {
			return err
		}
	}
	if err := r.compareSizes(ctx, large, small); err != nil {
		return err
	}
	return r.measureScrape(ctx, large, r.Large, r.Large)
}

// measureRestart stops a node and starts it again: pages are there before the
// ledger is open, and what is sent is taken after it is.
func (r *run) measureRestart(ctx context.Context, n *node) error {
	if err := n.Stop(); err != nil {
		return err
	}
	began := time.Now()
	again, err := process.Show(ctx, r.Program, filepath.Join(r.dir, "large"), mostBytes...)
	if err != nil {
		return err
	}
	n.Node = again
	if _, _, err := n.get(ctx, "/tools/tool-1"); err != nil {
		return err
	}
	r.add(Figure{Name: "restart until a page is served", Value: time.Since(began).Seconds(), Unit: "s", Memory: n.PeakMemory()})
	if err := n.Serving(); err != nil {
		return err
	}
	r.add(Figure{Name: "restart until events are taken", Value: time.Since(began).Seconds(), Unit: "s", Memory: n.PeakMemory()})
	return nil
}

// load starts a node and loads reviews; the pair comes first, so that its page
// is the same on any node.
func (r *run) load(ctx context.Context, name string, reviews int) (n *node, rate float64, err error) {
	if n, err = start(ctx, r.Program, filepath.Join(r.dir, name)); err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			n.end()
		}
	}()
	if _, err := n.post(ctx, events.MediaBatch, pair()); err != nil {
		return nil, 0, err
	}
	if err := setUp(ctx, n); err != nil {
		return nil, 0, err
	}
	began := time.Now()
	last, err := postBatches(ctx, n, (*writer).review, 0, reviews)
	if err != nil {
		return nil, 0, err
	}
	rate = float64(reviews) / time.Since(began).Seconds()
	return n, rate, n.settle(ctx, last)
}

// compareSizes measures both nodes by turns.
func (r *run) compareSizes(ctx context.Context, large, small *node) error {
	head, _, err := small.position(ctx)
	if err != nil {
		return err
	}
	drawn := func(n *node) rate {
		var requests [][]byte
		for at := range head / 2 { // of a position that nobody asked for yet the page has to be drawn
			path := fmt.Sprintf("/compare/pair-tool-0-vs-pair-tool-1?at=%d", head-at)
			requests = append(requests, get(n.Base, path, ""))
		}
		return loadEach(n.Base, requests, http.StatusOK)
	}
	var sentLarge, sentSmall int
	for _, c := range []struct {
		name, unit, note string
		large, small     rate
	}{
		{
			"comparison page, drawn", "requests/s", "the same page on both, as of another position each time, so that none is kept",
			drawn(large), drawn(small),
		},
		{
			"ingest, batches of 1,000", "reviews/s", "revisions on both, so that neither opens matchups",
			sendBatches(large, (*writer).again, &sentLarge), sendBatches(small, (*writer).again, &sentSmall),
		},
	} {
		large.ForgetPeak()
		ours, base, err := r.byTurns(ctx, c.large, c.small)
		if err != nil {
			return err
		}
		f := Figure{Name: c.name, Value: ours, Unit: c.unit, Memory: large.PeakMemory(), Note: c.note}
		r.add(f.against(fmt.Sprintf("at %d reviews", smallReviews), base, 0.9))
	}
	return nil
}
