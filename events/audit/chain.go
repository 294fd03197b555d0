package audit

import (
	"fmt"
	"maps"
	"slices"

	"shiplog/events"
)

// A Fault is something wrong with a ledger.
type Fault struct {
	Seq     uint64 // the first sequence it shows at
	Cause   string // what is wrong with it, to be read behind "event 7"
	Missing bool   // it is not there
}

func (f *Fault) Error() string { return fmt.Sprintf("event %d %s", f.Seq, f.Cause) }

// maxUnread is how many events that cannot be read are remembered, for a skip
// further on: more of them are no ledger.
const maxUnread = 1000

// A Chain holds the events of a ledger, given to it in order, to each other. The
// zero value begins before event 1.
type Chain struct {
	seq     uint64
	leaf    events.Hash
	unknown bool // the leaf: the event could not be read
	ledger  string
	skips   map[uint64]bool
	unread  map[uint64]string // what cannot be read, and why, unless it is to be skipped
}

// From is a chain that goes on behind an event.
func From(seq uint64, leaf events.Hash) *Chain { return &Chain{seq: seq, leaf: leaf} }

// Position is the last event taken and its leaf.
func (c *Chain) Position() (uint64, events.Hash) { return c.seq, c.leaf }

// Ledger is the UUID that event 1 gave the ledger, empty before it.
func (c *Chain) Ledger() string { return c.ledger }

// Skips are the sequences that the events taken say to pass over.
func (c *Chain) Skips() map[uint64]bool { return c.skips }

// Take takes the next event. The error is a [Fault], after which the chain takes
// no more.
func (c *Chain) Take(d Decoded) error {
	if d.Seq != c.seq+1 {
		return c.first(Fault{c.seq + 1, fmt.Sprintf("is missing: the next one is %d", d.Seq), true})
	}
	if d.Event == nil {
		return c.takeUnread(d)
	}
	e := d.Event
	if !c.unknown && e.PrevLeaf != c.leaf {
		return c.first(Fault{Seq: d.Seq, Cause: c.strange(e)})
	}
	if err := c.opening(e); err != nil {
		return err
	}
	if skip, ok := e.Data.(*events.EventSkipped); ok {
		if c.skips == nil {
			c.skips = map[uint64]bool{}
		}
		c.skips[uint64(skip.Seq)] = true
		delete(c.unread, uint64(skip.Seq))
	}
	c.seq, c.leaf, c.unknown = d.Seq, e.Leaf, false
	return nil
}

// strange says why an event does not follow.
func (c *Chain) strange(e *events.Event) string {
	if c.seq == 0 {
		return fmt.Sprintf("is not the first of a ledger: it names %s as the leaf of an event before it", e.PrevLeaf)
	}
	return fmt.Sprintf("does not follow event %d: it names the leaf %s, but that is %s; one of the two was altered, or is of another ledger",
		c.seq, e.PrevLeaf, c.leaf)
}

// opening holds event 1, and no other, to opening the ledger.
func (c *Chain) opening(e *events.Event) error {
	opened, ok := e.Data.(*events.LedgerOpened)
	switch {
	case ok && c.seq > 0:
		return c.first(Fault{Seq: e.Seq, Cause: "opens a ledger, which only event 1 does"})
	case !ok && c.seq == 0:
		return c.first(Fault{Seq: e.Seq, Cause: "does not open a ledger, as event 1 has to"})
	case ok:
		c.ledger = opened.Ledger
	}
	return nil
}

// takeUnread goes past an event of which not even the leaf could be read: what
// follows it may say to skip it.
func (c *Chain) takeUnread(d Decoded) error {
	if c.unread == nil {
		c.unread = map[uint64]string{}
	}
	c.unread[d.Seq] = fmt.Sprintf("cannot be read: %v", d.Err)
	if c.seq == 0 || len(c.unread) > maxUnread {
		return c.End()
	}
	c.seq, c.leaf, c.unknown = d.Seq, events.Hash{}, true
	return nil
}

// first is the fault, or one that was met before it.
func (c *Chain) first(f Fault) error {
	if err := c.End(); err != nil {
		return err
	}
	return &f
}

// End is called when all events were taken. It tells of what could not be read
// and is not skipped.
func (c *Chain) End() error {
	if len(c.unread) == 0 {
		return nil
	}
	seq := slices.Min(slices.Collect(maps.Keys(c.unread)))
	return &Fault{Seq: seq, Cause: c.unread[seq]}
}
