package bench

import (
	"context"
	"errors"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"shiplog/cmd/shiplog/process"
	"shiplog/events"
)

// The pace of Drive: what a busy installation has, and what a machine that also runs
// what looks at it can give.
const (
	driveSingles = 100 * time.Millisecond
	driveBatches = time.Second
	driveReads   = 20 * time.Millisecond
)

// Drive keeps a running node busy with the load that is measured here, at a steady
// pace, until ctx ends: it registers the synthetic panel, then sends reviews in batches
// and singly, and reads a comparison page and a feed, whole and with validators. It
// returns the first thing that went wrong, nil where ctx ended first. The node must
// hold a matchup already.
func Drive(ctx context.Context, running *process.Node) error {
	r := run{node: &node{Node: running, client: &http.Client{}}}
	pair, err := r.anyMatchup(ctx)
	if err == nil {
		err = setUp(ctx, r.node)
	}
	if err != nil {
		return untilDone(ctx, err)
	}
	const first = 1 << 20 // singly sent reviews are numbered apart from those in batches
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return each(ctx, driveBatches, func(i int) error {
			_, err := r.node.post(ctx, events.MediaBatch, batch((*writer).review, i*batchSize, (i+1)*batchSize))
			return err
		})
	})
	g.Go(func() error {
		return each(ctx, driveSingles, func(i int) error {
			var w writer
			w.review(first + i)
			_, err := r.node.post(ctx, events.MediaEvent, w.b)
			return err
		})
	})
	for _, path := range []string{pair, "/feeds/matchups.atom"} {
		g.Go(func() error {
			etag := ""
			return each(ctx, driveReads, func(int) (err error) {
				etag, err = r.node.revalidate(ctx, path, etag)
				return err
			})
		})
	}
	return g.Wait()
}

// each calls something at a pace until ctx ends or it fails.
func each(ctx context.Context, pace time.Duration, call func(int) error) error {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for i := 0; ; i++ {
		if err := call(i); err != nil {
			return untilDone(ctx, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// untilDone is nil for an error that comes of the end of ctx.
func untilDone(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// revalidate reads a path, whole unless it is as it was, and returns its validator; it
// forgets every other one, so that half of what is asked for is sent whole.
func (n *node) revalidate(ctx context.Context, path, etag string) (string, error) {
	if etag == "" {
		_, header, err := n.get(ctx, path)
		return header.Get("ETag"), err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.Base+path, http.NoBody)
	if err != nil {
		return "", err
	}
	req.Header.Set("If-None-Match", etag)
	resp, err := n.client.Do(req)
	if err != nil {
		return "", err
	}
	return "", resp.Body.Close()
}
