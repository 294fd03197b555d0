package ledger

import "context"

// An Entry is one stored event: its place and its bytes. The bytes are the
// reader's to keep.
type Entry struct {
	Seq uint64
	Raw []byte
}

// Get returns the bytes of one event, or [ErrNotFound].
func (l *Ledger) Get(ctx context.Context, seq uint64) ([]byte, error) { return nil, errNotYet }

// Last returns the last event, or [ErrNotFound] from an empty ledger.
func (l *Ledger) Last(ctx context.Context) (Entry, error) { return Entry{}, errNotYet }

// Read calls fn with every event from sequence from to sequence to, both
// included, in order. It reads nothing if to is below from. An error of fn ends
// it and is returned as it is; a missing sequence is a [GapError].
func (l *Ledger) Read(ctx context.Context, from, to uint64, fn func(seq uint64, raw []byte) error) error {
	return errNotYet
}
