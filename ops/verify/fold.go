package verify

import (
	"context"
	"errors"

	"shiplog/events/audit"
)

// ErrEmpty is the error for a ledger without events.
var ErrEmpty = errors.New("the ledger is empty: there is nothing to verify")

// ErrOutdated is the error for a read model that another version has made.
var ErrOutdated = errors.New("the read model was made by another version of shiplog, which this one cannot judge; " +
	"start this version and verify when it has built its own, or verify the chain alone with --chain")

// folded is something that is made anew from the ledger and compared.
type folded interface {
	name() string
	// target is the position up to which events are taken at first.
	target() uint64
	// take folds events; those beyond the target are left out.
	take(ctx context.Context, list []audit.Decoded) error
	// settle takes a snapshot of the one in use, and what is left to where that
	// stands.
	settle(ctx context.Context, v *verification) error
	// compare compares the two, and notes in the report where.
	compare(ctx context.Context, r *Report) error
	close()
}

// upTo is the part of a list up to a sequence.
func upTo(list []audit.Decoded, seq uint64) []audit.Decoded {
	if len(list) == 0 || list[0].Seq > seq {
		return nil
	}
	return list[:min(uint64(len(list)), seq-list[0].Seq+1)]
}
