package intake

import (
	"context"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events"
)

// A mailbox holds messages of the inbox between the one that receives them and
// the one that has them recorded, at most one batch.
type mailbox struct {
	mu    sync.Mutex
	list  []jetstream.Msg
	bytes int
	more  chan struct{} // something is there
	room  chan struct{} // something was taken
}

func newMailbox() *mailbox {
	return &mailbox{more: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// put waits for room; it reports false when the context ended first.
func (b *mailbox) put(ctx context.Context, m jetstream.Msg) bool {
	for !b.tryPut(m) {
		select {
		case <-b.room:
		case <-ctx.Done():
			return false
		}
	}
	wake(b.more)
	return true
}

func (b *mailbox) tryPut(m jetstream.Msg) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.list) >= events.MaxBatch || len(b.list) > 0 && b.bytes+len(m.Data()) > events.MaxRequest {
		return false
	}
	b.list = append(b.list, m)
	b.bytes += len(m.Data())
	return true
}

// take takes everything.
func (b *mailbox) take() []jetstream.Msg {
	b.mu.Lock()
	list := b.list
	b.list, b.bytes = nil, 0
	b.mu.Unlock()
	wake(b.room)
	return list
}

// wake leaves a note for whoever waits, once.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
