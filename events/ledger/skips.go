package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events"
)

// Skips are the sequences that operators had ignored by the events recorded
// after a sequence. It asks for those events by their subject, so it takes as
// many requests as there are some, however long the ledger is.
func (l *Ledger) Skips(ctx context.Context, after uint64) ([]uint64, error) {
	subject := events.SubjectPrefix + (*events.EventSkipped)(nil).Subject()
	var skipped []uint64
	for next := after + 1; ; {
		entry, err := l.get(ctx, next, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, ErrNotFound) {
			return skipped, nil
		}
		if err != nil {
			return skipped, fmt.Errorf("look for skips after event %d: %w", next-1, err)
		}
		if e, err := events.Decode(entry.Seq, entry.Raw); err == nil {
			if p, ok := e.Data.(*events.EventSkipped); ok && uint64(p.Seq) < entry.Seq {
				skipped = append(skipped, uint64(p.Seq))
			}
		}
		next = entry.Seq + 1
	}
}
