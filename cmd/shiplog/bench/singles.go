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
	request := func(context.Context) (sender, error) { return newRequester(n.NATS) }
	for _, c := range []struct {
		name    string
		send    rate
		batches int // as many as are under way at most
		floor   float64
	}{
		{"32 clients, one a request", r.posters(n, 32), 32, 2},
		{"256 clients, one a request", r.posters(n, 256), 256, 3},
		{"32 NATS clients, 16 requests under way each", r.senders(32, request), 512, 0},
	} {
		n.ForgetPeak()
		ours, single, err := r.byTurns(ctx, c.send, raw.batches(1))
		if err != nil {
			return err
		}
		small, err := raw.batches(c.batches)(ctx, r.Duration/turns)
		if err != nil {
			return err
		}
		r.add(Figure{
			Name: c.name, Value: ours, Unit: "events/s", Memory: n.PeakMemory(),
			Note: fmt.Sprintf("raw atomic batches of %d are %.1f of single publishes", c.batches, small/single),
		}.against("single synced publishes", single, c.floor))
	}
	return nil
}

// A sender is a client that sends one review a request.
type sender interface {
	send(ctx context.Context, number int) error
	finish(ctx context.Context) error // waits for what is under way
	close()
}

// senders has clients send reviews, each on a connection of its own.
func (r *run) senders(clients int, open func(context.Context) (sender, error)) rate {
	return func(ctx context.Context, d time.Duration) (float64, error) {
		var next, count atomic.Int64
		next.Store(int64(r.recorded))
		began := time.Now()
		g, ctx := errgroup.WithContext(ctx)
		for range clients {
			g.Go(func() error {
				c, err := open(ctx)
				if err != nil {
					return err
				}
				defer c.close()
				for time.Since(began) < d && ctx.Err() == nil {
					if err := c.send(ctx, int(next.Add(1))-1); err != nil {
						return fmt.Errorf("send a review: %w", err)
					}
					count.Add(1)
				}
				return c.finish(ctx)
			})
		}
		err := g.Wait()
		r.recorded = int(next.Load())
		return float64(count.Load()) / time.Since(began).Seconds(), err
	}
}

// posters send over HTTP, each when it has the receipt of the one before.
func (r *run) posters(n *node, clients int) rate {
	return r.senders(clients, func(ctx context.Context) (sender, error) { return newPoster(ctx, n.Base) })
}

// A poster is one of [run.posters].
type poster struct {
	*client
	base string
}

func newPoster(ctx context.Context, base string) (sender, error) {
	c, err := dial(ctx, base)
	if err != nil {
		return nil, err
	}
	return poster{c, base}, nil
}

func (p poster) send(_ context.Context, number int) error {
	return p.ask(postReview(p.base, number), http.StatusCreated)
}

func (p poster) finish(context.Context) error { return nil }

func (p poster) close() { _ = p.Close() } // nothing is under way

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
