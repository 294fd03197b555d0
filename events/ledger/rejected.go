package ledger

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"shiplog/events"
)

// A Rejected is an event of the inbox that was not recorded, kept as it came.
type Rejected struct {
	ID        uint64 // the stream sequence, set when it is kept
	Time      time.Time
	Publisher string
	// InboxSeq is the sequence the event had in the inbox: rejecting it again
	// within two minutes keeps it once. 0 if it has none.
	InboxSeq uint64
	Header   nats.Header // as sent, without what NATS itself reads
	Raw      []byte
	Problems events.Problems
}

// Reject keeps an event that cannot be recorded and returns its ID.
func (l *Ledger) Reject(ctx context.Context, r Rejected) (uint64, error) { return 0, errNotYet }

// RejectedCount is how many rejected events are kept.
func (l *Ledger) RejectedCount(ctx context.Context) (uint64, error) { return 0, errNotYet }

// ListRejected calls fn with every rejected event, oldest first.
func (l *Ledger) ListRejected(ctx context.Context, fn func(Rejected) error) error { return errNotYet }

// GetRejected returns one rejected event, or [ErrNotFound].
func (l *Ledger) GetRejected(ctx context.Context, id uint64) (Rejected, error) {
	return Rejected{}, errNotYet
}

// RetryRejected puts a rejected event back into the inbox, then forgets it.
func (l *Ledger) RetryRejected(ctx context.Context, id uint64) error { return errNotYet }

// DropRejected forgets a rejected event.
func (l *Ledger) DropRejected(ctx context.Context, id uint64) error { return errNotYet }
