package projections

import (
	"context"

	"shiplog/events"
)

// chunk is a run of decoded events. If err is set it is about the event that
// follows them, which is bad (and nil if nothing of it could be read).
type chunk struct {
	events []*events.Event
	size   int // bytes of them as stored
	bad    *events.Event
	badSeq uint64
	err    error
}

// pipe reads and decodes ahead of what is applied: one goroutine follows the
// ledger, one decodes. Both are bounded by the channels between them.
type pipe struct {
	chunks  chan chunk
	read    func(seq uint64, stored []byte) (*events.Event, error)
	err     error // why chunks was closed
	stopped chan struct{}
}

func (r *Runner) openPipe(ctx context.Context, from uint64) *pipe {
	p := &pipe{chunks: make(chan chunk, 2), read: r.o.Decode, stopped: make(chan struct{})}
	raw := make(chan []Entry, 2)
	failed := make(chan error, 1)
	go func() {
		defer close(raw)
		failed <- r.o.Follow(ctx, from, func(batch []Entry) error {
			if len(batch) > 0 {
				r.heard(batch[len(batch)-1].Seq)
			}
			select {
			case raw <- append([]Entry(nil), batch...):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	go func() {
		defer close(p.stopped)
		defer close(p.chunks)
		for batch := range raw {
			if !p.decode(ctx, batch) {
				break
			}
		}
		for range raw { // until Follow has returned
		}
		p.err = <-failed
	}()
	return p
}

// decode hands over the events of a batch. An event that is no good ends its
// chunk, and the next begins behind it.
func (p *pipe) decode(ctx context.Context, batch []Entry) bool {
	c := chunk{events: make([]*events.Event, 0, len(batch))}
	send := func() bool {
		select {
		case p.chunks <- c:
			c = chunk{}
			return true
		case <-ctx.Done():
			return false
		}
	}
	for _, entry := range batch {
		e, err := p.read(entry.Seq, entry.Raw)
		if err == nil {
			c.events = append(c.events, e)
			c.size += len(entry.Raw)
			continue
		}
		c.bad, c.badSeq, c.err = e, entry.Seq, err
		if !send() {
			return false
		}
	}
	return len(c.events) == 0 || send()
}

// wait returns when both goroutines have ended. The context must have.
func (p *pipe) wait() { <-p.stopped }
