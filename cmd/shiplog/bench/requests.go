package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"
)

// underWay is how many requests a client has under way that does not wait.
const underWay = 16

// requests has NATS clients send one review a request, each while it has fewer
// than [underWay] without an answer: as a pipeline does that has more to send.
func (r *run) requests(n *node, clients int) rate {
	return func(ctx context.Context, d time.Duration) (float64, error) {
		var next, count atomic.Int64
		next.Store(int64(r.recorded))
		began := time.Now()
		g, ctx := errgroup.WithContext(ctx)
		for range clients {
			g.Go(func() error {
				c, err := newRequester(n.NATS)
				if err != nil {
					return err
				}
				defer c.conn.Close()
				for time.Since(began) < d && ctx.Err() == nil {
					if err := c.send(ctx, int(next.Add(1))-1); err != nil {
						return err
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

// A requester is a NATS client that knows how many answers it waits for.
type requester struct {
	conn    *nats.Conn
	inbox   string
	answers chan *nats.Msg
	waiting int
}

func newRequester(address string) (*requester, error) {
	conn, err := nats.Connect(address)
	if err != nil {
		return nil, err
	}
	c := &requester{conn: conn, inbox: conn.NewInbox(), answers: make(chan *nats.Msg, underWay)}
	if _, err := conn.ChanSubscribe(c.inbox, c.answers); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// send sends a review, once there is room for it.
func (c *requester) send(ctx context.Context, number int) error {
	if c.waiting == underWay {
		if err := c.answer(ctx); err != nil {
			return err
		}
	}
	var event writer
	event.review(number)
	c.waiting++
	return c.conn.PublishRequest("shiplog.submit.local", c.inbox, event.b)
}

// finish waits for what is under way.
func (c *requester) finish(ctx context.Context) error {
	for c.waiting > 0 {
		if err := c.answer(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *requester) answer(ctx context.Context) error {
	if err := c.conn.Flush(); err != nil {
		return err
	}
	select {
	case m := <-c.answers:
		c.waiting--
		if !bytes.Contains(m.Data, []byte(`"status":"accepted"`)) {
			return fmt.Errorf("request a review: %.300s", m.Data)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(time.Minute):
		return errors.New("request a review: no answer within a minute")
	}
}
