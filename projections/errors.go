package projections

import (
	"errors"
	"fmt"

	"shiplog/events"
	"shiplog/events/ledger"
)

// Errors of queries. Everything else a query returns is a fault of the read
// model itself.
var (
	// ErrNotFound: there is no such tool, reviewer, category or matchup at the
	// position asked for.
	ErrNotFound = errors.New("not found")
	// ErrBeforeLedger: the position asked for is before event 1.
	ErrBeforeLedger = errors.New("before event 1 of the ledger")
	// ErrBeyondPosition: the read model has not come that far.
	ErrBeyondPosition = errors.New("beyond the newest event applied")
	// ErrClosed: the model is closed.
	ErrClosed = errors.New("the read model is closed")
	// ErrDamaged: the file of the read model is damaged; it is built anew.
	ErrDamaged = errors.New("the file of the read model is damaged, and is built anew")
)

// Why an event cannot be applied.
var (
	errOpenedFirst  = errors.New("event 1 has to open the ledger")
	errOpenedTwice  = errors.New("only event 1 opens the ledger")
	errRulesVersion = errors.New("its rules are of a version this shiplog does not know")
)

// A RoomError is why a projection that is to be built anew is not yet: what is
// built stands beside what is in use, which is read meanwhile.
type RoomError struct{ Err error }

// Error says what is waited for.
func (e *RoomError) Error() string {
	return fmt.Sprintf("it is to be built anew, for which there is no room yet, and is read as it was: %v", e.Err)
}

// Unwrap is why there is no room.
func (e *RoomError) Unwrap() error { return e.Err }

// WaitsForRoom tells whether an error is a [RoomError], which may last, and is told
// once.
func WaitsForRoom(err error) bool {
	_, ok := errors.AsType[*RoomError](err)
	return ok
}

// An EventError is why one event cannot be applied: the projection stops before
// it, until a newer version of shiplog or a skip mends it.
type EventError struct {
	Seq  uint64
	Type string // empty when it could not be read
	Err  error
}

func (e *EventError) Error() string {
	what := ""
	if e.Type != "" {
		what = " (" + e.Type + ")"
	}
	return fmt.Sprintf("event %d%s cannot be applied: %v; a newer version of shiplog mends it, or `shiplog skip %d --reason …`", e.Seq, what, e.Err, e.Seq)
}

func (e *EventError) Unwrap() error { return e.Err }

// A GapError says that events are missing.
type GapError = ledger.GapError

// A ChainError says that an event does not follow the one before: one of the
// two was altered.
type ChainError struct {
	Seq        uint64      // the event whose prevleaf is wrong
	Want, Got  events.Hash // leaf of the event before, and what is named
	Checkpoint bool        // the event before is the one the checkpoint knows
}

func (e *ChainError) Error() string {
	return fmt.Sprintf("event %d does not follow event %d: it names the leaf %s, but that is %s", e.Seq, e.Seq-1, e.Got, e.Want)
}

// A HistoryError says that the ledger is not the one the projection was built
// from: its head is behind the checkpoint, or it has another event there.
type HistoryError struct {
	Seq     uint64 // of the checkpoint
	Cause   string
	Missing bool // the ledger ends before it
}

func (e *HistoryError) Error() string {
	return fmt.Sprintf("the ledger has another history than the read model knows at event %d: %s; restore the ledger and it goes on by itself, or, if this one is the right one, stop shiplog, delete the read model and the decision state, and start again", e.Seq, e.Cause)
}

// A RebuildError says that an event was applied which the ledger now says to
// pass over: only a rebuild mends that.
type RebuildError struct {
	Target uint64 // the event applied
	Seq    uint64 // the skip
}

func (e *RebuildError) Error() string {
	return fmt.Sprintf("event %d says to pass over event %d, which was applied: the projection has to be rebuilt", e.Seq, e.Target)
}
