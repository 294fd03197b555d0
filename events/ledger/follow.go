package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// idleCheck is how long nothing must come before the reader asks the server
	// whether there is nothing.
	idleCheck = 500 * time.Millisecond

	firstRetry   = 20 * time.Millisecond
	slowestRetry = time.Second

	// confirmations is how often a replicated ledger must say that something is
	// missing: right after an election a leader may not have caught up.
	confirmations = 5
)

// Follow calls fn with the events from sequence from on, in order and for ever:
// whatever is there, in batches of at most 1,000 events and some MiB, then each
// as it is appended. The slice is fn's only until it returns, the bytes in it
// are the reader's to keep.
//
// It returns the error of fn as it is, the context's when that ends, and a
// [GapError] when a sequence is missing or the ledger ends before from-1, or
// [ErrNoLedger] when it is gone. Everything else, such as a lost connection, is
// retried.
func (l *Ledger) Follow(ctx context.Context, from uint64, fn func(batch []Entry) error) error {
	r := &reader{ledger: l, next: max(from, 1), to: math.MaxUint64}
	return r.run(ctx, fn)
}

// A reader reads from next to to, through as many consumers as it takes.
type reader struct {
	ledger *Ledger
	next   uint64
	to     uint64

	missing int // how often in a row the server said that something is missing
}

// A handlerError is an error of the reader's user, which is never retried.
type handlerError struct{ error }

// run reads until it is done, or something happens that trying again does not
// mend.
func (r *reader) run(ctx context.Context, fn func([]Entry) error) error {
	for wait := firstRetry; ; wait = min(2*wait, slowestRetry) {
		before := r.next
		err := r.stretch(ctx, fn)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if r.final(err) {
			return unwrapHandler(err)
		}
		switch {
		case r.missing > 0:
			wait = slowestRetry
		case r.next != before:
			wait = firstRetry
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// final tells whether an error ends the reading.
func (r *reader) final(err error) bool {
	var handler handlerError
	var gap *GapError
	switch {
	case errors.As(err, &handler), errors.Is(err, ErrNoLedger), errors.Is(err, nats.ErrConnectionClosed):
		return true
	case errors.As(err, &gap):
		r.missing++
		return r.missing >= confirmations || !r.ledger.replicated()
	}
	return false
}

func unwrapHandler(err error) error {
	if handler, ok := errors.AsType[handlerError](err); ok {
		return handler.error
	}
	return err
}

// replicated tells whether the ledger has more than one copy.
func (l *Ledger) replicated() bool { return l.want[0].Replicas > 1 }

// stretch reads through one consumer, until it is done or has an error.
func (r *reader) stretch(ctx context.Context, fn func([]Entry) error) error {
	if err := r.checkHead(ctx); err != nil {
		return err
	}
	p, err := r.ledger.pull(ctx, r.next, r.left())
	if err != nil {
		return err
	}
	defer p.close()
	idle := time.NewTimer(idleCheck)
	defer idle.Stop()
	batch := make([]Entry, 0, batchEntries)
	for stuck := uint64(0); r.next-1 != r.to; {
		idle.Reset(idleCheck)
		batch, err = p.next(ctx, idle, batch[:0])
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			if stuck, err = r.checkIdle(ctx, stuck); err != nil {
				return err
			}
			continue
		}
		if err := r.hand(ctx, batch, fn); err != nil {
			return err
		}
	}
	return nil
}

// left is how many entries are still to be read.
func (r *reader) left() uint64 {
	if r.to == math.MaxUint64 {
		return math.MaxUint64
	}
	return r.to - r.next + 1
}

// hand gives a batch to fn, up to the first entry that is not the next.
func (r *reader) hand(ctx context.Context, batch []Entry, fn func([]Entry) error) error {
	good := 0
	for good < len(batch) && batch[good].Seq == r.next+uint64(good) {
		good++
	}
	if good > 0 {
		if err := fn(batch[:good]); err != nil {
			return handlerError{err}
		}
		r.next += uint64(good)
		r.missing = 0
	}
	if good < len(batch) {
		return r.checkMissing(ctx)
	}
	return nil
}

// checkHead finds a ledger that ends before what was read, or is to be read.
func (r *reader) checkHead(ctx context.Context) error {
	head, err := r.head(ctx)
	if err != nil {
		return err
	}
	if head < r.next-1 {
		return &GapError{Want: r.next - 1, Got: head}
	}
	if r.to != math.MaxUint64 && head < r.to {
		return &GapError{Want: head + 1, Got: head}
	}
	return nil
}

// checkIdle asks why nothing comes. Usually the ledger has no more; but it may
// have lost its last events, or not be able to read the next. An entry that is
// there the first time may be on its way, the second time it is stuck.
func (r *reader) checkIdle(ctx context.Context, stuck uint64) (uint64, error) {
	head, err := r.head(ctx)
	if err != nil {
		return 0, err
	}
	switch {
	case head < r.next-1:
		return 0, &GapError{Want: r.next - 1, Got: head}
	case head == r.next-1:
		return 0, nil
	case stuck == r.next:
		return 0, r.checkMissing(ctx)
	}
	return r.next, nil
}

// checkMissing asks for the entry that did not come. If it is there, it was
// lost on the way, and a new consumer brings it.
func (r *reader) checkMissing(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := r.ledger.get(ctx, r.next)
	if !unreadable(err) {
		return errLost
	}
	gap := &GapError{Want: r.next}
	following, err := r.ledger.get(ctx, r.next, jetstream.WithGetMsgSubject(Subjects))
	if err == nil {
		gap.Got = following.Seq
	}
	return gap
}

// unreadable tells whether the server answered that it has no such entry, or
// cannot read it.
func unreadable(err error) bool {
	if errors.Is(err, ErrNotFound) {
		return true
	}
	answer, ok := errors.AsType[*jetstream.APIError](err)
	return ok && answer.Code != http.StatusServiceUnavailable &&
		answer.ErrorCode != codeStreamOffline && answer.ErrorCode != codeStreamOfflineReason
}

func (r *reader) head(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	head, err := r.ledger.HeadBehind(ctx, r.next-1)
	if err != nil {
		return 0, fmt.Errorf("ask for the head: %w", err)
	}
	return head, nil
}
