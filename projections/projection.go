package projections

import (
	"context"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/events/ledger"
)

// Entry is one stored event: its place in the ledger and its bytes.
type Entry = ledger.Entry

// A Projection turns the ledger into something that can be read. What it holds
// is a function of the events applied and nothing else: thrown away and built
// again, on this node or another, it is the same.
type Projection interface {
	// Name is short and fixed: it is a label of metrics.
	Name() string

	// Position is the last event applied and its leaf; 0 for none. It is read
	// from what the transaction of that event left, so after a crash it says
	// what is there.
	Position() (seq uint64, leaf events.Hash)

	// Apply applies a batch of events that follow the position without a gap,
	// chain checked. One goroutine calls it; it is never called again before it
	// has returned.
	//
	// It must be deterministic: no clock, no random numbers, no order of a map,
	// no environment. It does no I/O but in its own transaction, in which rows
	// and position are written together: all of the batch is applied, or, where
	// an error is returned, nothing of it. How the ledger is cut into batches
	// must not show.
	//
	// An event whose Data is nil is to be passed over: an operator has said so
	// in the ledger. Only the position moves.
	//
	// An [EventError] says which event cannot be applied; the runner then
	// applies those before it and stops. A [RebuildError] or [ErrDamaged] asks
	// for a rebuild.
	// Any other error is taken for a fault of the machine and tried again, with
	// pauses. The events are the projection's only until Apply returns.
	Apply(ctx context.Context, batch []*events.Event) error
}

// Rebuildable is a projection that can be built anew while it is read.
type Rebuildable interface {
	Projection
	Fresh() (Replacement, error)
}

// Replacement is an empty projection that is to take the place of another.
type Replacement interface {
	Projection
	// Compare begins to compare it with what it is to replace. Both stand at the
	// same event and neither is applied to until it returns; what it returns
	// compares them as they stood then, while both may be applied to. It is
	// called once, with a context that may have ended.
	Compare(ctx context.Context) (func(context.Context) (audit.Comparison, error), error)
	// Guard is called when all that comes in bulk is applied. Until then a batch
	// that fails need not be taken back: then Guard is an [ErrSpoiled], and the
	// replacement can only be discarded.
	Guard() error
	// Loaded is called when it has caught up with the ledger and before anybody
	// reads it, by whoever applies: what was put off while nobody did is done
	// now. A second call does nothing.
	Loaded() error
	// Switch puts it in place. Neither of the two is applied to meanwhile.
	Switch() error
	// Discard drops it instead.
	Discard() error
}
