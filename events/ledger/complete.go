package ledger

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"time"
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
	if err == nil && len(batch) == 0 {
		return l.noteCut(ctx)
	}
	if err != nil {
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

// noteCut tells of a batch that was cut off and cannot be completed, since the journal
// is lost as well: the server names the batch in what it stores, and marks its end. It
// may be one of messages that stand alone. Nobody has a receipt for any of it.
func (l *Ledger) noteCut(ctx context.Context) error {
	head, inside, err := l.tail(ctx)
	if err == nil && inside {
		l.server.log().Warn("a batch had been cut off while it was stored, and its journal is lost: nothing of it was accepted, but what the last event leads to may be missing, such as its matchups, which can be opened by hand",
			slog.Uint64("after", head))
	}
	return err
}

// settleWithin is how long SettledHead waits for a batch that is being stored, which
// takes milliseconds. One that was cut off is never at its end.
const settleWithin = 2 * time.Second

// SettledHead is the head where no batch is stored in part: of one that is being
// stored, events can be read before all are there.
func (l *Ledger) SettledHead(ctx context.Context) (uint64, error) {
	for late := time.Now().Add(settleWithin); ; {
		head, inside, err := l.tail(ctx)
		if err != nil || !inside || time.Now().After(late) {
			return head, err
		}
		select {
		case <-time.After(firstRetry):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// tail tells the head, and whether it stands inside a batch.
func (l *Ledger) tail(ctx context.Context) (head uint64, inside bool, err error) {
	stream, err := l.js.Stream(ctx, Stream)
	if err != nil {
		return 0, false, jetStreamError(Stream, err)
	}
	if head = stream.CachedInfo().State.LastSeq; head == 0 {
		return 0, false, nil
	}
	last, err := stream.GetMsg(ctx, head)
	if err != nil {
		return 0, false, fmt.Errorf("event %d: %w", head, err)
	}
	return head, last.Header.Get(batchIDHeader) != "" && last.Header.Get(batchCommitHeader) == "", nil
}

// Headers of the server's for a message of a batch.
const (
	batchIDHeader     = "Nats-Batch-Id"
	batchCommitHeader = "Nats-Batch-Commit"
)
