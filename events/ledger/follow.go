package ledger

import "context"

// Follow calls fn with the events from sequence from on, in order and for ever:
// whatever is there, in batches of at most 1,000 events and some MiB, then each
// as it is appended. The slice is fn's only until it returns, the bytes in it
// are the reader's to keep.
//
// It returns the error of fn as it is, the context's when that ends, and a
// [GapError] when a sequence is missing or the ledger ends before from-1.
// Everything else, such as a lost connection, is retried.
func (l *Ledger) Follow(ctx context.Context, from uint64, fn func(batch []Entry) error) error {
	return errNotYet
}
