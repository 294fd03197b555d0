package web

import (
	"container/list"
	"strconv"
	"sync"
	"sync/atomic"
)

// A state is what tells whether a page may have changed: the position, and the
// database it was read from, since a rebuild may read other things out of the
// same events.
type state struct {
	seq   uint64
	store string
}

// A key is an address in its one spelling. Its parts stay apart, as the path of a
// request may hold any character.
type key struct{ path, query, at string }

func (k key) String() string { return k.path + "?" + k.query + " at " + k.at }

// An entry is a page as drawn at a position. It stays good while nothing it
// shows changes, which is told by moving asOf forward.
type entry struct {
	key      key
	store    string
	built    uint64
	past     bool // it shows the past, which does not change
	watch    []watched
	document *document

	asOf atomic.Pointer[position]
}

// A position is a sequence with the value of its header.
type position struct {
	seq    uint64
	header []string
}

func newPosition(seq uint64) *position {
	return &position{seq: seq, header: one(strconv.FormatUint(seq, 10))}
}

// holds reports whether the entry is what would be drawn now.
func (e *entry) holds(now state) bool {
	return e.store == now.store && (e.past || e.asOf.Load().seq >= now.seq)
}

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

// entryOverhead is about what an entry takes beside its bytes.
const entryOverhead = 1 << 10

func (e *entry) size() int64 {
	return e.document.size() + int64(len(e.watch)*watchedSize+2*(len(e.key.path)+len(e.key.query))+entryOverhead)
}

// A cache holds pages within a bound of bytes. Those not asked for longest leave
// first.
type cache struct {
	limit int64

	mu      sync.Mutex
	size    int64
	order   *list.List // of *entry, newest use first
	entries map[key]*list.Element
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, order: list.New(), entries: map[key]*list.Element{}}
}

// get returns the entry of a key, or nil.
func (c *cache) get(k key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.entries[k]
	if at == nil {
		return nil
	}
	c.order.MoveToFront(at)
	return at.Value.(*entry)
}

// put takes an entry in place of the one before.
func (c *cache) put(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.entries[e.key]; at != nil {
		c.drop(at)
	}
	if e.size() > c.limit {
		return
	}
	c.entries[e.key] = c.order.PushFront(e)
	c.size += e.size()
	for c.size > c.limit {
		c.drop(c.order.Back())
	}
}

func (c *cache) drop(at *list.Element) {
	e := c.order.Remove(at).(*entry)
	delete(c.entries, e.key)
	c.size -= e.size()
}
