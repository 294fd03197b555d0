package kept

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/singleflight"
)

// A Cache holds values within a bound of bytes. It is safe for use by many
// goroutines.
type Cache[K, V comparable] struct {
	limit   int64
	flights singleflight.Group

	mu    sync.RWMutex
	size  int64
	order list.List // of *slot[K, V], the next to go last
	slots map[K]*slot[K, V]
}

type slot[K, V comparable] struct {
	key   K
	value V
	used  atomic.Bool // since it came, or was last spared
	size  int64
	at    *list.Element
}

// slotSize is about what a slot takes beside its value.
const slotSize = 256

// NewCache returns a cache of at most so many bytes.
func NewCache[K, V comparable](limit int64) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, slots: map[K]*slot[K, V]{}}
}

// Get returns the value of a key, which is used by that. Values are looked up far
// more often than put: the order is left alone until room is needed.
func (c *Cache[K, V]) Get(k K) (v V, ok bool) {
	c.mu.RLock()
	s := c.slots[k]
	c.mu.RUnlock()
	if s == nil {
		return v, false
	}
	if !s.used.Load() {
		s.used.Store(true)
	}
	return s.value, true
}

// Put keeps a value of a size in bytes in place of the one before.
func (c *Cache[K, V]) Put(k K, v V, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.slots[k]; s != nil {
		c.drop(s)
	}
	if size += slotSize; size > c.limit {
		return
	}
	s := &slot[K, V]{key: k, value: v, size: size}
	s.at = c.order.PushFront(s)
	c.slots[k] = s
	c.size += size
	c.shrink()
}

// Grow tells that a value became larger. One that is not kept any more is left
// alone.
func (c *Cache[K, V]) Grow(k K, v V, by int64) {
	if by == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.slots[k]
	if s == nil || s.value != v {
		return
	}
	s.size += by
	c.size += by
	c.shrink()
}

// Size is how many bytes the values take, at most the bound.
func (c *Cache[K, V]) Size() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.size
}

// lookAgain is how often a request that joined an older making starts over. The
// second begins after it came, so a third is never needed.
const lookAgain = 2

// Current returns the kept value where it holds, else what refresh makes, which
// keeps it with [Cache.Put]. Requests that find none wait for one making; one
// that began before the request may miss the newest event, hence a second look.
func (c *Cache[K, V]) Current(ctx context.Context, k K, holds func(V) bool, refresh func(context.Context) (V, error)) (V, error) {
	if v, ok := c.Get(k); ok && holds(v) {
		return v, nil
	}
	var v V
	flight := fmt.Sprintf("%#v", k)
	for range lookAgain {
		// A making does not end with the request that began it: others wait for it.
		made, err, _ := c.flights.Do(flight, func() (any, error) { return refresh(context.WithoutCancel(ctx)) })
		if err != nil {
			return v, err
		}
		if v = made.(V); holds(v) {
			break
		}
	}
	return v, nil
}

// shrink lets go of values until the rest fits, and spares each that was used
// once.
func (c *Cache[K, V]) shrink() {
	for c.size > c.limit {
		s := c.order.Back().Value.(*slot[K, V])
		if s.used.CompareAndSwap(true, false) {
			c.order.MoveToFront(s.at)
			continue
		}
		c.drop(s)
	}
}

func (c *Cache[K, V]) drop(s *slot[K, V]) {
	c.order.Remove(s.at)
	delete(c.slots, s.key)
	c.size -= s.size
}
