package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// underWay is how many requests a client has under way that does not wait.
const underWay = 16

// A requester sends reviews as NATS requests, each while it has fewer than
// [underWay] without an answer: as a pipeline does that has more to send.
type requester struct {
	conn    *nats.Conn
	inbox   string
	answers chan *nats.Msg
	waiting int
}

func newRequester(address string) (sender, error) {
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

func (c *requester) close() { c.conn.Close() }

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
			return fmt.Errorf("answered %.300s", m.Data)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(time.Minute):
		return errors.New("no answer within a minute")
	}
}
