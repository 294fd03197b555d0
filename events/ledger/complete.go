package ledger

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
)

// complete appends what is missing of a batch that a loss of power has cut off.
// The server completes by itself what was cut off by the end of the process.
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
	if _, err := l.Append(ctx, last, batch[stored:]); err != nil {
		return fmt.Errorf("complete the batch after event %d, of which %d of %d events are recorded: %w", head, stored, len(batch), err)
	}
	if log := l.server.options.Log; log != nil {
		log.Warn("power was lost while a batch was stored: the rest of it is recorded now",
			slog.Uint64("after", last), slog.Int("events", len(batch)-int(stored)))
	}
	return nil
}
