package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/events/ledger"
)

// A StopError says which event the decision state cannot fold, or which is a part of
// a submission that was cut off ([CutError]): nothing is decided until a newer version
// of shiplog, or a skip, mends it.
type StopError struct {
	Seq uint64
	Err error
}

func (e *StopError) Error() string {
	if cut, ok := errors.AsType[*CutError](e.Err); ok {
		return fmt.Sprintf("%v; something that was on disk is lost: restore nats/ from a backup that has more, if there is one, or go on without what is there of it by `shiplog skip %d --reason …`", cut, e.Seq)
	}
	return fmt.Sprintf("event %d cannot be applied: %v; a newer version of shiplog mends it, or `shiplog skip %d --reason …`", e.Seq, e.Err, e.Seq)
}

func (e *StopError) Unwrap() error { return e.Err }

// An appliedError says that an event was folded which the ledger now says to
// ignore: the state has to be folded anew.
type appliedError struct{ target, skip uint64 }

func (e *appliedError) Error() string {
	return fmt.Sprintf("event %d says to ignore event %d, which was applied: the decision state has to be folded anew", e.skip, e.target)
}

// Skip records that every node is to ignore an event, in this life of the ledger
// and in every rebuild, and has this node's decision state go on. It returns the
// sequence of the record, 0 where there was one before. Whether the event is one
// to be ignored is the caller's to know.
//
// The record takes its place from the last event of the ledger and not from the
// decision state, which may be what is stopped.
func (in *Intake) Skip(ctx context.Context, seq uint64, reason string) (uint64, error) {
	p, err := skipOf(seq, reason)
	if err != nil {
		return 0, err
	}
	var at uint64
	err = in.errand(ctx, func(ctx context.Context) (err error) {
		at, err = in.writer.skip(ctx, p)
		return err
	})
	return at, err
}

// errand has the writer's goroutine do something, and waits for it.
func (in *Intake) errand(ctx context.Context, do func(context.Context) error) error {
	result := make(chan error, 1)
	select {
	case in.errands <- func(ctx context.Context) { result <- do(ctx) }:
		return <-result // it is under way, and bounded by itself
	case <-in.stopped:
		return unavailable(shuttingDown)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func skipOf(seq uint64, reason string) (*events.EventSkipped, error) {
	p := &events.EventSkipped{Seq: int64(seq), Reason: events.CleanText(reason)}
	var ps events.Problems
	switch {
	case seq < 2:
		ps.Add("/seq", events.CodeOutOfRange, "event %d cannot be ignored: event 1 opens the ledger", seq)
	case strings.TrimSpace(p.Reason) == "":
		ps.Add("/reason", events.CodeRequired, "reason is empty; say why event %d is to be ignored, it stays in the ledger", seq)
	case len(p.Reason) > events.MaxLine:
		ps.Add("/reason", events.CodeTooLong, "reason may have %d bytes; this has %d", events.MaxLine, len(p.Reason))
	}
	if len(ps) > 0 {
		return nil, ps
	}
	return p, nil
}

// skip records the event and folds up to it. It tries again when another node
// writes first.
func (w *writer) skip(ctx context.Context, p *events.EventSkipped) (uint64, error) {
	at, err := w.recordSkip(ctx, p)
	if err != nil {
		return 0, err
	}
	w.behind, w.next = true, time.Time{}
	_ = w.ready(ctx) // kept in w.stopped
	return at, nil
}

func (w *writer) recordSkip(ctx context.Context, p *events.EventSkipped) (uint64, error) {
	for wait := newPause(); ; wait.sleep(ctx) {
		head, err := w.lastHead(ctx)
		if err != nil {
			return 0, err
		}
		known, err := w.ledger.Skips(ctx, uint64(p.Seq))
		switch {
		case err != nil:
			return 0, err
		case slices.Contains(known, uint64(p.Seq)):
			return 0, nil
		case head.Seq < uint64(p.Seq):
			return 0, fmt.Errorf("event %d: %w", p.Seq, ledger.ErrNotFound)
		}
		g := newGroup(standpoint{decide.New(nil), head}, w.opts.Now())
		e := &events.Event{
			ID: "skip/" + strconv.FormatInt(p.Seq, 10), Source: OperatorSource, Publisher: "shiplog", Data: p,
		}
		if err := g.take(&events.Submission{Input: events.InputOf(p, "")}, decide.Decision{Events: []*events.Event{e}}); err != nil {
			return 0, err
		}
		err = w.append(context.WithoutCancel(ctx), g)
		if err == nil || !errors.Is(err, ledger.ErrWrongHead) || ctx.Err() != nil {
			return e.Seq, err
		}
	}
}

// OperatorSource is the source of what an operator has recorded.
const OperatorSource = events.ReservedSource + "operator"

// lastHead is the head as the ledger has it, whatever was folded. The leaf of an
// event of which nothing can be read is not known and is left zero; it was recorded
// no earlier than the last of those that can be.
func (w *writer) lastHead(ctx context.Context) (decide.Head, error) {
	last, err := w.ledger.Last(ctx)
	if err != nil {
		return decide.Head{}, err
	}
	head := decide.Head{Seq: last.Seq}
	e, _ := events.Decode(last.Seq, last.Raw)
	if e != nil {
		head.Leaf = e.Leaf
	}
	for before := last.Seq - 1; e == nil && before > 0; before-- {
		raw, err := w.ledger.Get(ctx, before)
		if err != nil {
			return decide.Head{}, err
		}
		e, _ = events.Decode(before, raw)
	}
	if e != nil {
		head.Recorded = e.RecordedTime.UnixMilli()
	}
	return head, nil
}

// A standpoint is a base that holds nothing but a head.
type standpoint struct {
	decide.Base
	head decide.Head
}

func (s standpoint) Head() decide.Head { return s.head }
