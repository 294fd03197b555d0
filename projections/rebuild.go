package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"shiplog/events/audit"
)

// ErrNotRebuildable is the error of [Runner.Rebuild] for a projection that is
// not [Rebuildable].
var ErrNotRebuildable = errors.New("this projection cannot be rebuilt while it runs")

// ErrRebuilding is the error of [Runner.Rebuild] while a rebuild is under way.
var ErrRebuilding = errors.New("a rebuild is under way")

// ErrSpoiled is the error of a [Replacement] of which a batch has failed while
// nothing was kept to take it back.
var ErrSpoiled = errors.New("a batch has failed and was not taken back; this replacement is of no use")

// Rebuild builds the projection anew beside the one in use, compares the two as
// of one event and then switches, whatever the comparison tells: the new one is
// what the ledger makes. It is read all the while, and its position never goes
// back: of a ledger that ends before it nothing is built. Run must be running. It
// returns when the new one is in place.
//
// Shared, if it is not nil, gives events from the first on that are read for
// others as well; it is received from until it is closed, or Rebuild returns. The
// rest, or all, is read from the ledger.
func (r *Runner) Rebuild(ctx context.Context, shared <-chan []audit.Decoded) (audit.Comparison, error) {
	return r.rebuild(ctx, shared, nil, true)
}

func (r *Runner) rebuild(ctx context.Context, shared <-chan []audit.Decoded, known []uint64, compared bool) (audit.Comparison, error) {
	p, ok := r.p.(Rebuildable)
	if !ok {
		return audit.Comparison{}, fmt.Errorf("rebuild %s: %w", r.p.Name(), ErrNotRebuildable)
	}
	if !r.rebuilding.CompareAndSwap(false, true) {
		return audit.Comparison{}, fmt.Errorf("rebuild %s: %w", r.p.Name(), ErrRebuilding)
	}
	defer r.rebuilding.Store(false)
	if err := r.attainable(ctx); err != nil {
		return audit.Comparison{}, fmt.Errorf("rebuild %s: %w", r.p.Name(), err)
	}
	b, err := r.load(ctx, p, shared, known)
	if err != nil {
		return audit.Comparison{}, fmt.Errorf("rebuild %s: %w", r.p.Name(), err)
	}
	found, err := r.build(ctx, b, compared)
	b.end()
	if err != nil {
		return audit.Comparison{}, errors.Join(fmt.Errorf("rebuild %s: %w", r.p.Name(), err), b.fresh.Discard())
	}
	return found, nil
}

// attainable tells why no replacement could come as far as what it is to replace.
func (r *Runner) attainable(ctx context.Context) error {
	seq, _ := r.p.Position() // first: it moves on while the head is asked for
	head, err := r.o.Head(ctx)
	if err != nil {
		return fmt.Errorf("head of the ledger: %w", err)
	}
	return reaches(head, seq)
}

// load makes a replacement that has taken what is shared. Where something of that
// cannot be applied it is begun anew, to be filled from the ledger, with care.
func (r *Runner) load(ctx context.Context, p Rebuildable, shared <-chan []audit.Decoded, known []uint64) (*builder, error) {
	fresh, err := p.Fresh()
	if err != nil {
		return nil, err
	}
	b := r.newBuilder(ctx, fresh, known)
	// Skips of what an empty projection has yet to apply are found now: it is
	// not to be built twice.
	err = b.findSkips(ctx, 0)
	if err == nil && shared != nil {
		b.load(ctx, shared)
	}
	if err == nil {
		err = fresh.Guard()
	}
	if err == nil {
		return b, nil
	}
	b.end()
	if discarded := fresh.Discard(); discarded != nil || !errors.Is(err, ErrSpoiled) {
		return nil, errors.Join(err, discarded)
	}
	return r.load(ctx, p, nil, known)
}

// Rebuilding is how far the replacement is that is being built, false when none
// is.
func (r *Runner) Rebuilding() (seq uint64, under bool) {
	if inner := r.replacement.Load(); inner != nil {
		return inner.Status().Position, true
	}
	return 0, r.rebuilding.Load()
}

// Comparing tells whether a replacement is being compared with what it is to
// replace.
func (r *Runner) Comparing() bool { return r.comparing.Load() }

// build brings a replacement up to date, compares it, and has Run switch to it.
func (r *Runner) build(ctx context.Context, b *builder, compared bool) (found audit.Comparison, err error) {
	b.begin()
	if err := b.WaitLive(ctx); err != nil {
		return found, err
	}
	r.o.Log.Info("projection's replacement caught up", slog.String("projection", r.p.Name()), slog.Uint64("position", b.Status().Position))
	if compared {
		if found, err = r.compare(ctx, b); err != nil {
			return found, err
		}
	}
	return found, r.handOver(ctx, b)
}

// compare has both meet at one event and compares them as they stood there,
// while both go on.
func (r *Runner) compare(ctx context.Context, b *builder) (audit.Comparison, error) {
	m := &meeting{builder: b, result: make(chan met)}
	select {
	case r.meetings <- m:
	case <-ctx.Done():
		return audit.Comparison{}, context.Cause(ctx)
	}
	var came met
	select {
	case came = <-m.result:
	case <-ctx.Done():
		return audit.Comparison{}, context.Cause(ctx)
	}
	b.again()
	if came.err != nil || came.compare == nil {
		return audit.Comparison{}, came.err
	}
	r.comparing.Store(true)
	defer r.comparing.Store(false)
	found, err := came.compare(ctx)
	if ctx.Err() != nil {
		return found, context.Cause(ctx)
	}
	if err != nil {
		// What is in use cannot even be read. The new one can: it was just made.
		found = audit.Comparison{Seq: came.seq, Different: 1, First: fmt.Sprintf("it cannot be read: %v", err)}
	}
	return found, b.WaitLive(ctx)
}

func (r *Runner) handOver(ctx context.Context, b *builder) error {
	s := switchOver{builder: b, result: make(chan error, 1)}
	select {
	case r.switches <- s:
		return <-s.result
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// switchTo puts a replacement in place, not before it is as far as what it
// replaces. Nothing is applied to either meanwhile.
func (r *Runner) switchTo(ctx context.Context, s switchOver) error {
	seq, _ := r.p.Position()
	err := s.builder.reach(ctx, seq)
	s.builder.end()
	if err == nil {
		err = s.builder.fresh.Switch()
	}
	s.result <- err
	if err != nil {
		r.o.Log.Error("projection not switched", slog.String("projection", r.p.Name()), slog.Any("error", err))
		return nil
	}
	for seq := range s.builder.skips {
		r.skips[seq] = true
	}
	if c, ok := r.p.(verdictCounter); ok {
		r.verdicts = c.VerdictChanges() // what was counted is not counted again
	}
	r.o.Log.Info("projection rebuilt", slog.String("projection", r.p.Name()), slog.Uint64("position", seq))
	return errSwitched
}

// rebuildSelf begins a rebuild that the ledger asks for, which is what stopped
// the runner. A runner that is building a replacement does not: it stops, and the
// rebuild fails. One that failed at an event is not begun again before that is to
// be passed over.
func (r *Runner) rebuildSelf(ctx context.Context, cause error) {
	if bad := r.blocked.Load(); r.inner || bad != nil && !r.skipped(ctx, bad.Seq) {
		return
	}
	r.blocked.Store(nil)
	known := make([]uint64, 0, len(r.skips))
	for seq := range r.skips {
		known = append(known, seq)
	}
	r.rebuilds.Go(func() {
		err := r.room()
		if err == nil {
			_, err = r.rebuild(ctx, nil, known, false) // it is known to be wrong
		}
		if err == nil || ctx.Err() != nil || errors.Is(err, ErrRebuilding) {
			return
		}
		if !WaitsForRoom(err) || !WaitsForRoom(r.Status().Err) {
			r.o.Log.Error("rebuild failed", slog.String("projection", r.p.Name()), slog.Any("error", err))
		}
		if bad, ok := errors.AsType[*EventError](err); ok {
			r.blocked.Store(bad)
		}
		r.change(func(s *Status) {
			if s.State == StateStopped {
				s.Err = fmt.Errorf("%w: %w", cause, err) // an operator has to know of which event, too
			}
		})
	})
}
