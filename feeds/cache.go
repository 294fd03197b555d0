package feeds

import (
	"container/list"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// An entry is one feed as built at a position, with its documents as they are
// asked for. It stays valid while nothing it shows changes, which is told by
// moving asOf forward.
type entry struct {
	key     Key
	built   uint64 // the position it was built at
	updated time.Time
	newest  time.Time // of its items; zero for none
	render  func(Format) ([]byte, error)
	link    func(Format) []string // the header of that name; nil for none
	watch   []watched
	kept    map[uint64]keptItem
	weight  int64
	total   int  // items the feed has ever had
	fixed   bool // it never changes

	asOf atomic.Pointer[position]

	mu        sync.Mutex
	documents map[Format]*document
}

// A position is a sequence with the value of its header.
type position struct {
	seq    uint64
	header []string
}

func newPosition(seq uint64) *position {
	return &position{seq: seq, header: one(decimal(seq))}
}

// valid reports whether the entry speaks as of seq or later.
func (e *entry) valid(seq uint64) bool { return e.fixed || e.asOf.Load().seq >= seq }

// reach moves the entry's position forward, never back.
func (e *entry) reach(seq uint64) {
	next := newPosition(seq)
	for {
		now := e.asOf.Load()
		if now.seq >= seq || e.asOf.CompareAndSwap(now, next) {
			return
		}
	}
}

// document is the entry in one format; grown is how much larger it made the
// entry.
func (e *entry) document(format Format) (d *document, grown int64, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if d := e.documents[format]; d != nil {
		return d, 0, nil
	}
	body, err := e.render(format)
	if err != nil {
		return nil, 0, fmt.Errorf("feed %v: %w", e.key, err)
	}
	d = newDocument(body, contentType(format), e.updated)
	if e.link != nil {
		d.link = e.link(format)
	}
	if e.documents == nil {
		e.documents = make(map[Format]*document, len(Formats()))
	}
	e.documents[format] = d
	return d, d.size(), nil
}

// A cache holds entries within a bound of bytes. Those not asked for longest
// leave first.
type cache struct {
	limit int64

	mu      sync.Mutex
	size    int64
	order   *list.List // of *slot, newest use first
	entries map[Key]*list.Element
}

type slot struct {
	entry *entry
	size  int64
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, order: list.New(), entries: map[Key]*list.Element{}}
}

// get returns the entry of a key, or nil.
func (c *cache) get(key Key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.entries[key]
	if at == nil {
		return nil
	}
	c.order.MoveToFront(at)
	return at.Value.(*slot).entry
}

// put takes an entry in place of the one before.
func (c *cache) put(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.entries[e.key]; at != nil {
		c.drop(at)
	}
	c.entries[e.key] = c.order.PushFront(&slot{entry: e, size: e.weight})
	c.size += e.weight
	c.shrink()
}

// grow tells that an entry became larger.
func (c *cache) grow(e *entry, by int64) {
	if by == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.entries[e.key]
	if at == nil || at.Value.(*slot).entry != e {
		return
	}
	at.Value.(*slot).size += by
	c.size += by
	c.shrink()
}

// shrink lets go of entries until the rest fits. The newest one stays: it is
// being answered with.
func (c *cache) shrink() {
	for c.size > c.limit && c.order.Len() > 1 {
		c.drop(c.order.Back())
	}
}

func (c *cache) drop(at *list.Element) {
	s := c.order.Remove(at).(*slot)
	delete(c.entries, s.entry.key)
	c.size -= s.size
}
