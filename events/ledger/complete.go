package ledger

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
)

// Complete appends what is missing of a batch of the embedded server that was cut
// off while it was stored: by a loss of power, or a disk that was full. The server
// completes by itself what the end of the process has cut off. It does nothing
// where the last batch is known to be stored.
//
// [Open] and [Ledger.Append] call it. Who reads after the server was started anew,
// and does not append, should call it first.
func (l *Ledger) Complete(ctx context.Context) error {
	if l.server == nil {
		return nil
	}
	j := l.server.journal
	j.settling.Lock()
	defer j.settling.Unlock()
	if !j.open.Load() {
		return nil
	}
	if err := within(ctx, l.complete); err != nil {
		return err
	}
	j.open.Store(false)
	return nil
}

func (l *Ledger) complete(ctx context.Context) error {
	head, batch, err := l.server.journal.read()
	if err != nil || len(batch) == 0 {
		return err
	}
	last, err := l.Head(ctx)
	if err != nil || last <= head || last >= head+uint64(len(batch)) {
		return err
	}
	stored := last - head
	raw, err := l.Get(ctx, last)
	if err != nil || !bytes.Equal(raw, batch[stored-1].Data) {
		return err // not that batch: the ledger is another, or went on without it
	}
	// The journal stays as it is, for when this is cut off as well.
	if _, err := l.publish(ctx, last, batch[stored:]); err != nil {
		return fmt.Errorf("complete the batch after event %d, of which %d of %d events are recorded: %w", head, stored, len(batch), classify(err))
	}
	l.server.log().Warn("a batch had been cut off while it was stored: the rest of it is recorded now",
		slog.Uint64("after", last), slog.Int("events", len(batch)-int(stored)))
	return nil
}
