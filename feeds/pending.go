package feeds

import "sync"

// pendingMost bounds the narrowed feeds that wait to be told of. The three wide
// ones always find a place.
const pendingMost = 1024

// pending are feeds a hub is to be told of, each once, the one that waits
// longest first.
type pending struct {
	wake chan struct{} // holds a token while something may wait

	mu      sync.Mutex
	keys    []Key
	waiting map[Key]bool
}

func newPending() *pending {
	return &pending{wake: make(chan struct{}, 1), waiting: map[Key]bool{}}
}

// add reports whether there was room.
func (p *pending) add(key Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting[key] {
		return true
	}
	if len(p.keys) >= pendingMost && !wide(key.Kind) {
		return false
	}
	p.waiting[key] = true
	p.keys = append(p.keys, key)
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return true
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
	return key, true
}

func (p *pending) len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.keys)
}
