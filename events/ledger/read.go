package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// An Entry is one stored event: its place and its bytes. The bytes are the
// reader's to keep.
type Entry struct {
	Seq uint64
	Raw []byte
}

// Get returns the bytes of one event, or [ErrNotFound].
func (l *Ledger) Get(ctx context.Context, seq uint64) ([]byte, error) {
	entry, err := l.get(ctx, seq)
	return entry.Raw, err
}

// Last returns the last event, or [ErrNotFound] from an empty ledger.
func (l *Ledger) Last(ctx context.Context) (Entry, error) {
	head, err := l.Head(ctx)
	if err != nil {
		return Entry{}, err
	}
	return l.get(ctx, head)
}

// Read calls fn with every event from sequence from to sequence to, both
// included, in order. It reads nothing if to is below from. An error of fn ends
// it and is returned as it is; a missing sequence is a [GapError].
func (l *Ledger) Read(ctx context.Context, from, to uint64, fn func(seq uint64, raw []byte) error) error {
	if to < from {
		return nil
	}
	r := &reader{ledger: l, next: max(from, 1), to: to}
	return r.run(ctx, func(batch []Entry) error {
		for _, e := range batch {
			if err := fn(e.Seq, e.Raw); err != nil {
				return err
			}
		}
		return nil
	})
}

// get reads one event from the stream's leader.
func (l *Ledger) get(ctx context.Context, seq uint64, options ...jetstream.GetMsgOpt) (Entry, error) {
	if seq == 0 {
		return Entry{}, fmt.Errorf("event 0: %w", ErrNotFound)
	}
	stream, err := l.js.Stream(ctx, Stream)
	if err != nil {
		return Entry{}, jetStreamError(Stream, err)
	}
	msg, err := stream.GetMsg(ctx, seq, options...)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Entry{}, fmt.Errorf("event %d: %w", seq, ErrNotFound)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("event %d: %w", seq, err)
	}
	return Entry{Seq: msg.Sequence, Raw: msg.Data}, nil
}
