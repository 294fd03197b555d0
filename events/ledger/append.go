package ledger

import "context"

// A Message is one event to append.
type Message struct {
	Subject string // one of [Subjects]
	Data    []byte
}

// Append records the messages in order after the event with sequence head, all
// or none, and returns the sequence of the last. It returns when they are
// stored for good.
//
// The errors to tell apart, by errors.Is, are [ErrWrongHead], [ErrFull] and
// [ErrUnknown]. A batch holds at most [MaxBatch] messages.
func (l *Ledger) Append(ctx context.Context, head uint64, batch []Message) (last uint64, err error) {
	return 0, errNotYet
}
