package ledger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// A Message is one event to append.
type Message struct {
	Subject string // one of [Subjects]
	Data    []byte

	// Joined means that it must not be recorded without the one before it, whatever
	// happens to the machine. In a batch all are recorded or none, but for a loss of
	// power or a full disk, after which a part of a batch may be there: one with
	// joined messages until [Ledger.Complete].
	Joined bool
}

// Append records the messages in order after the event with sequence head, all
// or none, and returns the sequence of the last. It returns when they are
// stored for good.
//
// The errors to tell apart, by errors.Is, are [ErrWrongHead], [ErrFull], [ErrHangs]
// and [ErrUnknown]. A batch holds at most [MaxBatch] messages.
//
// A few messages that need not stand or fall together may be stored sooner by an
// Append for each, which must wait for the one before. Sent without waiting,
// each expecting the next head, the second could be taken where the first was
// refused: another writer's event may stand in its place.
func (l *Ledger) Append(ctx context.Context, head uint64, batch []Message) (last uint64, err error) {
	if len(batch) == 0 || len(batch) > MaxBatch {
		return 0, fmt.Errorf("append %d events: a batch has 1 to %d", len(batch), MaxBatch)
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, requestTimeout)
		defer cancel()
	}
	if err := l.Complete(ctx); err != nil {
		return 0, fmt.Errorf("append %d events after %d: %w: %w", len(batch), head, ErrFull, err)
	}
	if slices.ContainsFunc(batch, func(m Message) bool { return m.Joined }) {
		last, err = l.publishJoined(ctx, head, batch)
	} else {
		last, err = l.publish(ctx, head, batch)
	}
	if err != nil {
		return 0, fmt.Errorf("append %d events after %d: %w", len(batch), head, classify(err))
	}
	if last != head+uint64(len(batch)) {
		return 0, fmt.Errorf("append %d events after %d: %w: acknowledged as %d", len(batch), head, ErrUnknown, last)
	}
	return last, nil
}

// publishOne publishes a lone event: cheaper than a batch of one.
func (l *Ledger) publishOne(ctx context.Context, head uint64, m Message) (uint64, error) {
	ack, err := l.js.Publish(ctx, m.Subject, m.Data,
		jetstream.WithExpectLastSequence(head), jetstream.WithRetryAttempts(0))
	if err != nil {
		return 0, err
	}
	return ack.Sequence, elsewhere(Stream, ack.Stream)
}

// elsewhere is the error of an acknowledgement that is another stream's: a mapping of
// subjects in NATS can lead there, and its sequences may fit.
func elsewhere(want, got string) error {
	if want == got {
		return nil
	}
	return fmt.Errorf("it went to stream %s and not to %s: take the mapping of its subject away from NATS", got, want)
}

// publishJoined publishes messages that belong together.
func (l *Ledger) publishJoined(ctx context.Context, head uint64, batch []Message) (uint64, error) {
	if l.server == nil {
		return l.publish(ctx, head, batch)
	}
	if err := l.server.journal.keep(ctx, head, batch); err != nil {
		return 0, err
	}
	last, err := l.publish(ctx, head, batch)
	l.server.journal.open.Store(err != nil)
	return last, err
}

// publish publishes events as one atomic batch, if they are several.
func (l *Ledger) publish(ctx context.Context, head uint64, batch []Message) (uint64, error) {
	if len(batch) == 1 {
		return l.publishOne(ctx, head, batch[0])
	}
	last, err := publishBatch(ctx, l.js, head, batch)
	if !incomplete(err) || l.server == nil || !l.server.staging.leave() {
		return last, err
	}
	// The server could not stage it, and has dropped it.
	l.server.log().Warn("batches cannot be staged in memory any more: they are staged on disk until the next start, which is slower",
		slog.String("memory", l.server.staging.memory))
	return publishBatch(ctx, l.js, head, batch)
}

// Error codes of the server, which has names for them but exports none.
const (
	codeAccountResources   jetstream.ErrorCode = 10002
	codeNoPeers            jetstream.ErrorCode = 10005
	codeClusterUnavailable jetstream.ErrorCode = 10008
	codeConsumerStore      jetstream.ErrorCode = 10012
	codeNoResources        jetstream.ErrorCode = 10023
	codeStorageResources   jetstream.ErrorCode = 10047
	codeWrongLastSequence  jetstream.ErrorCode = 10071
	codeStoreFailed        jetstream.ErrorCode = 10077
	codeWrongLastConstant  jetstream.ErrorCode = 10164
	codeIncompleteBatch    jetstream.ErrorCode = 10176
	codeBatchesInFlight    jetstream.ErrorCode = 10210

	codeStreamOffline       jetstream.ErrorCode = 10118
	codeStreamOfflineReason jetstream.ErrorCode = 10194
)

// classify adds the sentinel an append's error falls under. An error that the
// server answered with means that nothing was stored; without an answer the
// outcome is unknown.
func classify(err error) error {
	if errors.Is(err, ErrFull) || errors.Is(err, ErrHangs) {
		return err
	}
	answer, ok := errors.AsType[*jetstream.APIError](err)
	if !ok {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	switch answer.ErrorCode {
	case codeWrongLastSequence, codeWrongLastConstant:
		return fmt.Errorf("%w: %w", ErrWrongHead, err)
	case codeStoreFailed, codeIncompleteBatch, codeBatchesInFlight, codeNoResources, codeStorageResources, codeAccountResources:
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}
