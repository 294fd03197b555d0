package projectionstest

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/projections"
)

// Start is when event 1 of a [Ledger] is recorded; each event after it is a
// second later.
var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Time is when the event at seq is recorded, unless [Ledger.Clock] is set.
func Time(seq uint64) time.Time { return start.Add(time.Duration(seq-1) * time.Second) }

// Ledger is a ledger in memory.
type Ledger struct {
	// Publisher is who sends the events that follow; "local" when empty.
	Publisher string
	// Clock tells when the event at seq is recorded; nil means [Time].
	Clock func(seq uint64) time.Time
	// Written is the time the events that follow say; empty means the time of
	// recording.
	Written string
	// Source is where they come from; "/test" when empty.
	Source string

	mu      sync.Mutex
	grown   chan struct{} // closed when an entry is appended
	entries []ledger.Entry
	leaf    events.Hash
}

// Given is a ledger that begins with ledger.opened and holds the payloads.
func Given(tb testing.TB, payloads ...events.Payload) *Ledger {
	tb.Helper()
	l := new(Ledger)
	l.Append(&events.LedgerOpened{
		Ledger:    "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
		Authority: "panel.example",
		Title:     "The Panel",
	})
	l.Append(payloads...)
	return l
}

// Append records payloads and returns the sequence of the last.
func (l *Ledger) Append(payloads ...events.Payload) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range payloads {
		l.store(l.event(p))
	}
	return uint64(len(l.entries))
}

// AppendRaw records bytes as they are, as if a newer version had.
func (l *Ledger) AppendRaw(raw []byte, leaf events.Hash) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaf = leaf
	l.entries = append(l.entries, ledger.Entry{Seq: uint64(len(l.entries)) + 1, Raw: raw})
	l.wake()
	return uint64(len(l.entries))
}

// Leaf is the leaf of the last event.
func (l *Ledger) Leaf() events.Hash {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leaf
}

func (l *Ledger) event(p events.Payload) *events.Event {
	seq := uint64(len(l.entries)) + 1
	recorded := Time(seq)
	if l.Clock != nil {
		recorded = l.Clock(seq)
	}
	e := &events.Event{
		Seq: seq, ID: fmt.Sprintf("e%d", seq), Source: l.Source, Time: l.Written, RecordedTime: recorded,
		Publisher: l.Publisher, PrevLeaf: l.leaf, Data: p,
	}
	if e.Source == "" {
		e.Source = "/test"
	}
	if e.Time == "" {
		e.Time = recorded.Format(events.TimeFormat)
	}
	if e.Publisher == "" {
		e.Publisher = "local"
	}
	binary.BigEndian.PutUint64(e.Salt[:], seq)
	return e
}

func (l *Ledger) store(e *events.Event) {
	raw := e.AppendCanonical(nil)
	l.leaf = e.Leaf
	l.entries = append(l.entries, ledger.Entry{Seq: e.Seq, Raw: raw})
	l.wake()
}

func (l *Ledger) wake() {
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
}

// Head is the sequence of the last event.
func (l *Ledger) Head(context.Context) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.entries)), nil
}

// Get is one event as stored.
func (l *Ledger) Get(_ context.Context, seq uint64) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if seq == 0 || seq > uint64(len(l.entries)) {
		return nil, fmt.Errorf("event %d: %w", seq, ledger.ErrNotFound)
	}
	return l.entries[seq-1].Raw, nil
}

// Follow is the ledger's own, see [ledger.Ledger.Follow].
func (l *Ledger) Follow(ctx context.Context, from uint64, fn func([]projections.Entry) error) error {
	for next := from - 1; ; {
		l.mu.Lock()
		batch := l.entries[next:]
		if len(batch) == 0 && l.grown == nil {
			l.grown = make(chan struct{})
		}
		grown := l.grown
		l.mu.Unlock()
		if len(batch) == 0 {
			select {
			case <-grown:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		batch = batch[:min(len(batch), 1000)]
		if err := fn(batch); err != nil {
			return err
		}
		next += uint64(len(batch))
	}
}

// Events are the events from one sequence to another, both included, decoded.
func (l *Ledger) Events(tb testing.TB, from, to uint64) []*events.Event {
	tb.Helper()
	var list []*events.Event
	for seq := from; seq <= to; seq++ {
		raw, err := l.Get(tb.Context(), seq)
		if err != nil {
			tb.Fatal(err)
		}
		e, err := events.Decode(seq, raw)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// Drop takes the last event back, as if it had never been recorded.
func (l *Ledger) Drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.entries[len(l.entries)-1]
	l.entries = l.entries[:len(l.entries)-1]
	if e, err := events.Decode(last.Seq, last.Raw); err == nil {
		l.leaf = e.PrevLeaf
	}
}
