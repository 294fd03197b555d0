package bench

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"shiplog/events"
)

// postBatches sends events from..to-1 in batches from two clients, so that one
// is read while the other is committed.
func postBatches(ctx context.Context, n *node, event func(*writer, int), from, to int) (last uint64, err error) {
	var next, highest atomic.Int64
	next.Store(int64(from))
	g, ctx := errgroup.WithContext(ctx)
	for range 2 {
		g.Go(func() error {
			for {
				start := int(next.Add(batchSize)) - batchSize
				if start >= to {
					return nil
				}
				seq, err := n.post(ctx, events.MediaBatch, batch(event, start, min(start+batchSize, to)))
				if err != nil {
					return err
				}
				for {
					old := highest.Load()
					if int64(seq) <= old || highest.CompareAndSwap(old, int64(seq)) {
						break
					}
				}
			}
		})
	}
	err = g.Wait()
	return uint64(highest.Load()), err
}

// setUp registers the synthetic panel.
func setUp(ctx context.Context, n *node) error {
	if _, err := postBatches(ctx, n, (*writer).reviewer, 0, reviewers); err != nil {
		return err
	}
	last, err := postBatches(ctx, n, (*writer).tool, 0, tools)
	if err != nil {
		return err
	}
	return n.settle(ctx, last)
}

// measureIngest records reviews in batches of 1,000 over HTTP, through the whole
// path, and watches how far the read model trails.
func (r *run) measureIngest(ctx context.Context) error {
	n, err := start(ctx, r.Program, filepath.Join(r.dir, "node"))
	if err != nil {
		return err
	}
	r.node = n
	if err := setUp(ctx, n); err != nil {
		return err
	}
	before, _, err := n.position(ctx)
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	lag := make(chan uint64, 1)
	go func() { lag <- watchLag(watching, n) }()
	began := time.Now()
	last, err := postBatches(ctx, n, (*writer).review, 0, r.Events)
	took := time.Since(began)
	stop()
	most := <-lag
	if err != nil {
		return err
	}
	r.recorded = r.Events
	r.add(Figure{
		Name: "ingest, batches of 1,000", Value: float64(last-before) / took.Seconds(), Unit: "events/s",
		Note: fmt.Sprintf("%d reviews and %d matchups; pages at most %d events behind; peak memory %.0f MiB",
			r.Events, last-before-uint64(r.Events), most, n.PeakMemory()/(1<<20)),
	}.against("raw atomic batches", r.rawBatches, 0.2))
	return n.settle(ctx, last)
}

// watchLag is the most that the read model was behind.
func watchLag(ctx context.Context, n *node) (most uint64) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return most
		case <-tick.C:
			if position, head, err := n.position(ctx); err == nil {
				most = max(most, head-position)
			}
		}
	}
}

// singleClients is how many clients send one review a request.
const singleClients = 32

// measureSingle records one review a request from many clients.
func (r *run) measureSingle(ctx context.Context) error {
	var next, count atomic.Int64
	next.Store(int64(r.recorded))
	timed, stop := context.WithTimeout(ctx, r.Duration)
	defer stop()
	began := time.Now()
	g, gctx := errgroup.WithContext(ctx)
	for range singleClients {
		g.Go(func() error {
			c, err := dial(gctx, r.node.Base)
			if err != nil {
				return err
			}
			defer c.Close()
			for timed.Err() == nil {
				if err := c.ask(postReview(r.node.Base, int(next.Add(1))-1), http.StatusCreated); err != nil {
					return fmt.Errorf("send a review: %w", err)
				}
				count.Add(1)
			}
			return nil
		})
	}
	err := g.Wait()
	r.recorded = int(next.Load())
	r.add(Figure{
		Name: fmt.Sprintf("ingest, %d clients, one a request", singleClients), Value: float64(count.Load()) / time.Since(began).Seconds(), Unit: "events/s",
		Note: fmt.Sprintf("raw atomic batches of %d are %.1f of single publishes", singleClients, r.rawSmall/r.rawSingles),
	}.against("single synced publishes", r.rawSingles, 2))
	return err
}

// postReview is a whole request that sends one review.
func postReview(base string, number int) []byte {
	var event writer
	event.review(number)
	var w writer
	w.text("POST /api/v1/events HTTP/1.1\r\nHost: " + strings.TrimPrefix(base, "http://") +
		"\r\nContent-Type: " + events.MediaEvent + "\r\nContent-Length: ")
	w.int(len(event.b))
	w.text("\r\n\r\n")
	return append(w.b, event.b...)
}
