package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"shiplog/events"
)

// The least time from one live transaction to the next: short while few events
// come, longer the more do.
const (
	leastBreath = 20 * time.Millisecond // at up to a thousand events a second
	mostBreath  = 200 * time.Millisecond
)

// breath is how long to wait from the beginning of the last transaction.
func (r *Runner) breath() time.Duration {
	return min(max(time.Duration(r.pace/1000*float64(leastBreath)), leastBreath), mostBreath)
}

// begins notes that a transaction of so many events begins.
func (r *Runner) begins(count int) {
	now := time.Now()
	r.pace = float64(count) / max(now.Sub(r.began), time.Microsecond).Seconds()
	r.began = now
}

// fillFor is how long a batch waits for more while catching up: a full one is
// worth waiting for, but what is there must not wait for what does not come.
const fillFor = 100 * time.Millisecond

// maxBatchSize is how many bytes of events, as stored, fill a batch however few
// they are.
const maxBatchSize = 16 << 20

// advance applies a chunk with what else is there. While catching up it waits
// until a batch is full: the more events a transaction holds, the less it costs.
// Live, an event that comes alone is applied at once, but transactions begin no
// closer together than [Runner.breath]: under a steady load a few events more cost next
// to nothing, while every page written beside the ledger makes the ledger's own
// syncs wait.
func (r *Runner) advance(ctx context.Context, p *pipe, c chunk) error {
	for {
		batch, size := c.events, c.size
		for c.err == nil && len(batch) < r.o.Batch && size < maxBatchSize {
			more, ok, err := r.more(ctx, p, len(batch))
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			c = more
			batch, size = append(batch, c.events...), size+c.size
		}
		if err := r.take(ctx, batch); err != nil {
			return err
		}
		if c.err == nil {
			return nil
		}
		if err := r.takeBad(ctx, c); err != nil {
			return err
		}
		c = chunk{}
	}
}

// more is the next chunk of a batch, if one is to be waited for.
func (r *Runner) more(ctx context.Context, p *pipe, have int) (chunk, bool, error) {
	select {
	case c, ok := <-p.chunks:
		return c, ok, nil // when closed, the session will see it
	default:
	}
	wait := fillFor
	if r.Status().State == StateLive || r.chain.seq+uint64(have) >= r.target {
		if wait = r.breath() - time.Since(r.began); wait <= 0 {
			return chunk{}, false, nil
		}
	}
	rested := time.NewTimer(wait)
	defer rested.Stop()
	select {
	case c, ok := <-p.chunks:
		return c, ok, nil
	case <-rested.C:
		return chunk{}, false, nil
	case <-ctx.Done():
		return chunk{}, false, ctx.Err()
	}
}

// take checks the chain of a batch and applies it. Events to be passed over
// lose their data.
func (r *Runner) take(ctx context.Context, batch []*events.Event) error {
	chain := r.chain
	for i, e := range batch {
		if err := chain.follow(e); err != nil {
			if i > 0 {
				if errBefore := r.apply(ctx, batch[:i], r.chainAfter(batch[i-1])); errBefore != nil {
					return errBefore
				}
			}
			return err
		}
		if r.skips[e.Seq] {
			batch[i] = passOver(e)
		}
	}
	return r.apply(ctx, batch, chain)
}

func (r *Runner) chainAfter(e *events.Event) link {
	return link{seq: e.Seq, leaf: e.Leaf, recorded: e.RecordedTime}
}

// follow moves the chain to an event, if that follows.
func (l *link) follow(e *events.Event) error {
	if e.Seq != l.seq+1 {
		return &GapError{Want: l.seq + 1, Got: e.Seq}
	}
	if e.PrevLeaf != l.leaf && !l.unknown {
		return &ChainError{Seq: e.Seq, Want: l.leaf, Got: e.PrevLeaf}
	}
	*l = link{seq: e.Seq, leaf: e.Leaf, recorded: e.RecordedTime}
	return nil
}

func passOver(e *events.Event) *events.Event {
	passed := *e
	passed.Data = nil
	return &passed
}

// takeBad passes over an event that cannot be decoded, if an operator says so.
func (r *Runner) takeBad(ctx context.Context, c chunk) error {
	var typ string
	if c.bad != nil && c.bad.Data != nil {
		typ = c.bad.Type()
	}
	bad := &EventError{Seq: c.badSeq, Type: typ, Err: c.err}
	if c.badSeq != r.chain.seq+1 {
		return &GapError{Want: r.chain.seq + 1, Got: c.badSeq}
	}
	e := c.bad
	if e == nil {
		e = &events.Event{Seq: c.badSeq}
	}
	chain := link{seq: c.badSeq, leaf: e.Leaf, recorded: e.RecordedTime, unknown: e.Leaf == events.Hash{}}
	if chain.unknown {
		chain.recorded = r.chain.recorded
	} else {
		check := r.chain
		if err := check.follow(e); err != nil {
			return err
		}
	}
	if !r.skipped(ctx, c.badSeq) {
		r.waiting(chain.recorded)
		return bad
	}
	e = passOver(e)
	e.RecordedTime = chain.recorded
	return r.apply(ctx, []*events.Event{e}, chain)
}

// apply applies events that follow, and those before the first that cannot be.
func (r *Runner) apply(ctx context.Context, batch []*events.Event, chain link) error {
	if len(batch) == 0 {
		return nil
	}
	if m := r.meeting; m != nil && chain.seq > m.at && batch[0].Seq <= m.at {
		return r.applyMeeting(ctx, batch, chain, int(m.at-batch[0].Seq)+1)
	}
	r.waiting(batch[0].RecordedTime)
	r.begins(len(batch))
	stage := r.stage(ctx, batch)
	err := r.try(ctx, batch)
	stage.end(err)
	var bad *EventError
	if errors.As(err, &bad) && bad.Seq >= batch[0].Seq && bad.Seq <= batch[len(batch)-1].Seq {
		return r.applyAround(ctx, batch, chain, bad)
	}
	if err != nil {
		return err
	}
	r.chain = chain
	r.applied(batch, stage)
	stage.visible(batch)
	r.meetAt(ctx, chain.seq)
	return r.reached(ctx)
}

// applyMeeting applies a batch in two parts, with a meeting between them.
func (r *Runner) applyMeeting(ctx context.Context, batch []*events.Event, chain link, at int) error {
	if err := r.apply(ctx, batch[:at], r.chainAfter(batch[at-1])); err != nil {
		return err
	}
	return r.apply(ctx, batch[at:], chain)
}

// applyAround applies what comes before a bad event and, if an operator says to
// pass it over, what comes after.
func (r *Runner) applyAround(ctx context.Context, batch []*events.Event, chain link, bad *EventError) error {
	at := int(bad.Seq - batch[0].Seq)
	if at > 0 {
		if err := r.apply(ctx, batch[:at], r.chainAfter(batch[at-1])); err != nil {
			return err
		}
	}
	if batch[at].Data == nil || !r.skipped(ctx, bad.Seq) {
		r.waiting(batch[at].RecordedTime)
		return bad
	}
	batch[at] = passOver(batch[at])
	return r.apply(ctx, batch[at:], chain)
}

// try applies a batch. A panic is an event that cannot be applied; which one is
// found by applying them one by one.
func (r *Runner) try(ctx context.Context, batch []*events.Event) (err error) {
	var panicked bool
	func() {
		defer func() {
			if p := recover(); p != nil {
				panicked = true
				err = eventError(batch[0], fmt.Errorf("panic: %v", p))
				r.o.Log.ErrorContext(ctx, "projection panicked", slog.String("projection", r.p.Name()),
					slog.Uint64("seq", batch[0].Seq), slog.Int("batch", len(batch)), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			}
		}()
		err = r.p.Apply(ctx, batch)
	}()
	if !panicked || len(batch) == 1 {
		return err
	}
	for _, e := range batch {
		if err := r.try(ctx, []*events.Event{e}); err != nil {
			return err
		}
	}
	return nil
}
