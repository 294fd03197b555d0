package kept

import (
	"container/list"
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/singleflight"
)

// A Cache holds values within a bound of bytes. It is safe for use by many
// goroutines.
type Cache[K, V comparable] struct {
	limit   int64
	flights singleflight.Group

	mu    sync.Mutex
	size  int64
	order list.List // of *slot[K, V], newest use first
	slots map[K]*list.Element
}

type slot[K, V comparable] struct {
	key   K
	value V
	size  int64
}

// slotSize is about what a slot takes beside its value.
const slotSize = 256

// NewCache returns a cache of at most so many bytes.
func NewCache[K, V comparable](limit int64) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, slots: map[K]*list.Element{}}
}

// Get returns the value of a key, which is used by that.
func (c *Cache[K, V]) Get(k K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.slots[k]
	if at == nil {
		return v, false
	}
	c.order.MoveToFront(at)
	return at.Value.(*slot[K, V]).value, true
}

// Put keeps a value of a size in bytes in place of the one before.
func (c *Cache[K, V]) Put(k K, v V, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.slots[k]; at != nil {
		c.drop(at)
	}
	if size += slotSize; size > c.limit {
		return
	}
	c.slots[k] = c.order.PushFront(&slot[K, V]{k, v, size})
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
	at := c.slots[k]
	if at == nil || at.Value.(*slot[K, V]).value != v {
		return
	}
	at.Value.(*slot[K, V]).size += by
	c.size += by
	c.shrink()
}

// Size is how many bytes the values take, at most the bound.
func (c *Cache[K, V]) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
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

// shrink lets go of values until the rest fits.
func (c *Cache[K, V]) shrink() {
	for c.size > c.limit {
		c.drop(c.order.Back())
	}
}

func (c *Cache[K, V]) drop(at *list.Element) {
	s := c.order.Remove(at).(*slot[K, V])
	delete(c.slots, s.key)
	c.size -= s.size
}
