package events

import (
	"bytes"
	"sync"
)

// The bounds of a [Memo]: of what is kept as stored, and of how many.
const (
	memoBytes  = 4 << 20
	memoEvents = 8192
)

// A Memo keeps the events this process is recording, so that whoever reads them
// back from the ledger need not decode them again. It is asked by sequence and
// answers only for the very bytes that were kept: what it says is what [Decode]
// would say, leaf included. So nothing is taken for stored that was not read.
//
// It is bounded, forgets the oldest first and whatever was read, and is safe for
// use by several goroutines. The zero value is ready.
type Memo struct {
	mu    sync.Mutex
	first uint64 // sequence of kept[0]
	kept  []memory
	bytes int
}

type memory struct {
	raw   []byte
	event *Event
}

// Keep keeps an event and its stored form, neither of which may change any more.
// Those kept before it stay only if it follows them.
//
// Only reviews and matchups are kept: they come in masses, and of no other type
// it matters which members were sent, which a decoded event tells of all.
func (m *Memo) Keep(e *Event, raw []byte) {
	kept := memory{raw, e}
	switch e.Data.(type) {
	case *ReviewSubmitted, *ReviewRevised, *ReviewWithdrawn, *MatchupOpened:
	default:
		kept = memory{} // a gap
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) == 0 || e.Seq != m.first+uint64(len(m.kept)) {
		m.forget(len(m.kept))
		m.first = e.Seq
	}
	m.kept = append(m.kept, kept)
	m.bytes += len(kept.raw)
	for m.bytes > memoBytes || len(m.kept) > memoEvents {
		m.forget(1)
	}
}

// Decode is as [Decode]. The event is shared: it may not be changed.
func (m *Memo) Decode(seq uint64, stored []byte) (*Event, error) {
	if e := m.take(seq, stored); e != nil {
		return e, nil
	}
	return Decode(seq, stored)
}

// take finds an event and forgets it with all before it: a ledger is read in
// order.
func (m *Memo) take(seq uint64, stored []byte) *Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq < m.first || seq-m.first >= uint64(len(m.kept)) {
		return nil
	}
	found := m.kept[seq-m.first]
	m.forget(int(seq-m.first) + 1)
	if found.event == nil || !bytes.Equal(found.raw, stored) {
		return nil
	}
	return found.event
}

// forget drops the oldest n.
func (m *Memo) forget(n int) {
	for i, old := range m.kept[:n] {
		m.bytes -= len(old.raw)
		m.kept[i] = memory{}
	}
	m.kept = m.kept[n:]
	m.first += uint64(n)
}
