package intake

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"shiplog/events"
)

// parked are the parts that wait for a tool or a reviewer, in the order they
// came.
type parked struct {
	list  []*part
	bytes int
	keys  map[string]int // how many there are of a key

	tried uint64    // the position they were last decided at
	next  time.Time // not to be decided again before
}

func (k *parked) add(list ...*part) {
	if k.keys == nil {
		k.keys = map[string]int{}
	}
	for _, p := range list {
		k.list = append(k.list, p)
		k.bytes += p.item.Bytes
		k.keys[p.item.Key]++
	}
}

// first is the first of a key, nil when none waits.
func (k *parked) first(key string) *part {
	if key == "" || k.keys[key] == 0 {
		return nil
	}
	i := slices.IndexFunc(k.list, func(p *part) bool { return p.item.Key == key })
	return k.list[i]
}

// takeOldest takes the one that has waited for longest.
func (k *parked) takeOldest() *part {
	p := k.list[0]
	k.list = k.list[1:]
	k.drop(p)
	return p
}

func (k *parked) drop(p *part) {
	k.bytes -= p.item.Bytes
	if k.keys[p.item.Key]--; k.keys[p.item.Key] == 0 {
		delete(k.keys, p.item.Key)
	}
}

func (k *parked) takeAll() []*part {
	list := k.list
	*k = parked{tried: k.tried, next: k.next}
	return list
}

// park has a part wait. When too many do, the wait of the oldest is over.
func (b *inbox) park(ctx context.Context, p *part, ps events.Problems) {
	if p.waits.IsZero() {
		p.waits = time.Now()
	}
	p.problems = ps
	b.parked.add(p)
	for len(b.parked.list) > b.opts.Parked || b.parked.bytes > b.opts.ParkedBytes {
		b.reject(ctx, []*part{b.parked.takeOldest()})
	}
}

// revisit decides again what waits, when something was recorded since or a wait
// is over. It takes at most a small part of the time.
func (b *inbox) revisit(ctx context.Context) {
	k := &b.parked
	now := time.Now()
	if len(k.list) == 0 || now.Before(k.next) {
		return
	}
	for _, p := range k.list {
		p.letter.touch(now)
	}
	k.next = now.Add(revisitEvery)
	position := b.in.Position()
	over := now.Sub(k.list[0].waits) >= b.opts.Wait
	if position == k.tried && !over {
		return
	}
	k.tried = position
	b.settle(ctx, k.takeAll())
	k.next = time.Now().Add(max(revisitEvery, 20*time.Since(now)))
}

// backoff waits longer each time, so that nothing runs hot while the intake
// takes nothing.
type backoff struct{ last time.Duration }

const (
	backoffFirst = 50 * time.Millisecond
	backoffLast  = 5 * time.Second
)

// sleep waits before parts are tried again, and keeps their letters from being
// sent again. It reports false when the context ended.
func (w *backoff) sleep(ctx context.Context, b *inbox, list []*part, why string) bool {
	if w.last == 0 && ctx.Err() == nil {
		b.opts.Log.Warn("the inbox waits", slog.String("reason", why))
	}
	w.last = min(max(2*w.last, backoffFirst), backoffLast)
	now := time.Now()
	for _, p := range slices.Concat(list, b.parked.list) {
		p.letter.touch(now)
	}
	select {
	case <-time.After(w.last):
		return true
	case <-ctx.Done():
		return false
	}
}
