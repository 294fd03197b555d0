package bench

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"shiplog/events"
)

// measureSingles records one review a request, from some clients and from many.
func (r *run) measureSingles(ctx context.Context) error {
	raw, err := r.raw(ctx)
	if err != nil {
		return err
	}
	n, err := r.filled(ctx)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		clients int
		floor   float64
	}{{32, 2}, {256, 3}} {
		n.ForgetPeak()
		ours, single, err := r.byTurns(ctx, r.singles(n, c.clients), raw.batches(1))
		if err != nil {
			return err
		}
		small, err := raw.batches(c.clients)(ctx, r.Duration/turns)
		if err != nil {
			return err
		}
		r.add(Figure{
			Name: fmt.Sprintf("%d clients, one a request", c.clients), Value: ours, Unit: "events/s", Memory: n.PeakMemory(),
			Note: fmt.Sprintf("raw atomic batches of %d are %.1f of single publishes", c.clients, small/single),
		}.against("single synced publishes", single, c.floor))
	}
	return nil
}

// singles has clients send one review a request, each when it has the receipt of
// the one before.
func (r *run) singles(n *node, clients int) rate {
	return func(ctx context.Context, d time.Duration) (float64, error) {
		var next, count atomic.Int64
		next.Store(int64(r.recorded))
		began := time.Now()
		g, ctx := errgroup.WithContext(ctx)
		for range clients {
			g.Go(func() error {
				c, err := dial(ctx, n.Base)
				if err != nil {
					return err
				}
				defer c.Close()
				for time.Since(began) < d && ctx.Err() == nil {
					if err := c.ask(postReview(n.Base, int(next.Add(1))-1), http.StatusCreated); err != nil {
						return fmt.Errorf("send a review: %w", err)
					}
					count.Add(1)
				}
				return nil
			})
		}
		err := g.Wait()
		r.recorded = int(next.Load())
		return float64(count.Load()) / time.Since(began).Seconds(), err
	}
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
