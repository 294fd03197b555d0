package feeds

import (
	"context"
	"sync"
)

// pendingMost is how many feeds wait to be told of before more are looked for: what
// changed meanwhile is not forgotten, the read model has it.
const pendingMost = 1024

// pending are feeds a hub is to be told of, each once, the one that waits
// longest first.
type pending struct {
	wake chan struct{} // holds a token while something may wait
	room chan struct{} // and this one while there may be room again

	mu      sync.Mutex
	keys    []Key
	waiting map[Key]bool
}

func newPending() *pending {
	return &pending{wake: make(chan struct{}, 1), room: make(chan struct{}, 1), waiting: map[Key]bool{}}
}

// add has a feed wait, unless it does.
func (p *pending) add(key Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting[key] {
		return
	}
	p.waiting[key] = true
	p.keys = append(p.keys, key)
	leave(p.wake)
}

// next is the feed that waits longest. What changes it from now on makes it
// wait anew.
func (p *pending) next() (key Key, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.keys) == 0 {
		return Key{}, false
	}
	key, p.keys = p.keys[0], p.keys[1:]
	delete(p.waiting, key)
	leave(p.room)
	return key, true
}

// hasRoom returns once there is room for another feed, or with the context's error.
// One asks at a time.
func (p *pending) hasRoom(ctx context.Context) error {
	for p.len() >= pendingMost {
		select {
		case <-p.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (p *pending) len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.keys)
}

// leave leaves a token, if there is none.
func leave(tokens chan struct{}) {
	select {
	case tokens <- struct{}{}:
	default:
	}
}
