package feeds

import (
	"context"
	"slices"
	"sync"
	"time"
)

// pendingMost is how many notices wait before more changes are looked for: that is
// 1,024 feeds. What changed meanwhile is not forgotten, the read model has it.
const pendingMost = 1024 * 3

// A topic is what a hub is told of: a feed in one format.
type topic struct {
	key    Key
	format Format
}

// A notice is that a topic changed.
type notice struct {
	topic
	behind uint64        // the event behind which it changed
	since  time.Time     // when it was told in vain first
	pause  time.Duration // until it is told again; zero until it was told in vain
	due    time.Time
}

// pending are notices a hub is to be given, one of a topic.
type pending struct {
	wake chan struct{} // holds a token while something new may wait
	room chan struct{} // and this one while there may be room again

	mu      sync.Mutex
	fresh   []*notice // the one that waits longest first
	failed  []*notice // each with a time of its own
	waiting map[topic]bool
}

func newPending() *pending {
	return &pending{wake: make(chan struct{}, 1), room: make(chan struct{}, 1), waiting: map[topic]bool{}}
}

// add has a topic wait that changed behind an event, unless it does.
func (p *pending) add(t topic, behind uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting[t] {
		return
	}
	p.waiting[t] = true
	p.fresh = append(p.fresh, &notice{topic: t, behind: behind})
	leave(p.wake)
}

// retry has a notice wait that was told in vain, and what came of its topic since
// with it.
func (p *pending) retry(n *notice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting[n.topic] {
		p.fresh = slices.DeleteFunc(p.fresh, func(other *notice) bool { return other.topic == n.topic })
	}
	p.waiting[n.topic] = true
	p.failed = append(p.failed, n)
}

// next takes the notice that waits longest of those never told, so that no failing
// topic holds up another, or else one that is due again. Nil is none: due is when
// there will be one, zero for not before another is added. What changes its topic
// from now on makes it wait anew.
func (p *pending) next(now time.Time) (n *notice, due time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(p.fresh) > 0:
		n, p.fresh = p.fresh[0], p.fresh[1:]
	case len(p.failed) > 0:
		first := slices.MinFunc(p.failed, func(a, b *notice) int { return a.due.Compare(b.due) })
		if first.due.After(now) {
			return nil, first.due
		}
		n = first
		p.failed = slices.DeleteFunc(p.failed, func(other *notice) bool { return other == n })
	default:
		return nil, time.Time{}
	}
	delete(p.waiting, n.topic)
	leave(p.room)
	return n, time.Time{}
}

// told is the event up to which nothing waits, at most one.
func (p *pending) told(most uint64) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range [][]*notice{p.fresh, p.failed} {
		for _, n := range list {
			most = min(most, n.behind)
		}
	}
	return most
}

// failing is how many topics wait to be told again.
func (p *pending) failing() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.failed)
}

// hasRoom returns once there is room for another notice, or with the context's error.
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
	return len(p.fresh) + len(p.failed)
}

// leave leaves a token, if there is none.
func leave(tokens chan struct{}) {
	select {
	case tokens <- struct{}{}:
	default:
	}
}
