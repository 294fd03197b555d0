package bench

import (
	"context"
	"fmt"
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

// sendBatches has two clients send batches from number next on, which goes on
// from turn to turn.
func sendBatches(n *node, event func(*writer, int), next *int) rate {
	return func(ctx context.Context, d time.Duration) (float64, error) {
		began, first := time.Now(), *next
		for time.Since(began) < d {
			from := *next
			*next += 4 * batchSize
			if _, err := postBatches(ctx, n, event, from, *next); err != nil {
				return 0, err
			}
		}
		return float64(*next-first) / time.Since(began).Seconds(), nil
	}
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
// path, and watches how far the read model trails. The raw batches come half
// before it and half after.
func (r *run) measureIngest(ctx context.Context) error {
	raw, err := r.raw(ctx)
	if err != nil {
		return err
	}
	n, err := r.set(ctx)
	if err != nil {
		return err
	}
	bare := raw.batches(batchSize)
	first, err := bare(ctx, r.Duration/2)
	if err != nil {
		return err
	}
	f, err := r.ingest(ctx, n)
	if err != nil {
		return err
	}
	second, err := bare(ctx, r.Duration/2)
	r.add(f.against("raw atomic batches", (first+second)/2, 0.35))
	return err
}

// ingest records Options.Events reviews.
func (r *run) ingest(ctx context.Context, n *node) (f Figure, err error) {
	before, _, err := n.position(ctx)
	if err != nil {
		return f, err
	}
	n.ForgetPeak()
	watching, stop := context.WithCancel(ctx)
	lag := make(chan uint64, 1)
	go func() { lag <- watchLag(watching, n) }()
	began := time.Now()
	last, err := postBatches(ctx, n, (*writer).review, r.recorded, r.recorded+r.Events)
	took := time.Since(began)
	stop()
	most := <-lag
	if err != nil {
		return f, err
	}
	r.recorded += r.Events
	return Figure{
		Name: "batches of 1,000", Value: float64(last-before) / took.Seconds(), Unit: "events/s", Memory: n.PeakMemory(),
		Note: fmt.Sprintf("%d reviews and %d matchups; pages at most %d events behind", r.Events, last-before-uint64(r.Events), most),
	}, n.settle(ctx, last)
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
