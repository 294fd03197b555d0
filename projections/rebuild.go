package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// ErrNotRebuildable is the error of [Runner.Rebuild] for a projection that is
// not [Rebuildable].
var ErrNotRebuildable = errors.New("this projection cannot be rebuilt while it runs")

// ErrRebuilding is the error of [Runner.Rebuild] while a rebuild is under way.
var ErrRebuilding = errors.New("a rebuild is under way")

// switchOver is a replacement that has caught up.
type switchOver struct {
	fresh  Replacement
	inner  *Runner
	end    func() // ends the runner of the replacement
	result chan error
}

// Rebuild builds the projection anew beside the one in use and then switches:
// it is read all the while, and its position never goes back. Run must be
// running. It returns when the new one is in place.
func (r *Runner) Rebuild(ctx context.Context) error {
	return r.rebuild(ctx, nil)
}

func (r *Runner) rebuild(ctx context.Context, known []uint64) error {
	p, ok := r.p.(Rebuildable)
	if !ok {
		return fmt.Errorf("rebuild %s: %w", r.p.Name(), ErrNotRebuildable)
	}
	if !r.rebuilding.CompareAndSwap(false, true) {
		return fmt.Errorf("rebuild %s: %w", r.p.Name(), ErrRebuilding)
	}
	defer r.rebuilding.Store(false)
	fresh, err := p.Fresh()
	if err != nil {
		return fmt.Errorf("rebuild %s: %w", r.p.Name(), err)
	}
	if err := r.build(ctx, fresh, known); err != nil {
		return errors.Join(fmt.Errorf("rebuild %s: %w", r.p.Name(), err), fresh.Discard())
	}
	return nil
}

// Rebuilding is how far the replacement is that is being built, false when none
// is.
func (r *Runner) Rebuilding() (seq uint64, under bool) {
	if inner := r.replacement.Load(); inner != nil {
		return inner.Status().Position, true
	}
	return 0, r.rebuilding.Load()
}

// build brings a replacement up to date and has Run switch to it.
func (r *Runner) build(ctx context.Context, fresh Replacement, known []uint64) error {
	o := r.o
	o.Metrics, o.Tracer = nil, nil
	inner := NewRunner(fresh, o)
	inner.inner = true
	r.replacement.Store(inner)
	defer r.replacement.Store(nil)
	for _, seq := range known {
		inner.skips[seq] = true
	}
	// Skips of what an empty projection has yet to apply are found now: it is
	// not to be built twice.
	if err := inner.findSkips(ctx, 0); err != nil {
		return err
	}
	innerCtx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = inner.Run(innerCtx) // it ends with its context only
	}()
	end := func() {
		cancel()
		<-done
	}
	defer end()
	if err := inner.WaitLive(ctx); err != nil {
		return err
	}
	return r.handOver(ctx, switchOver{fresh: fresh, inner: inner, end: end, result: make(chan error, 1)})
}

func (r *Runner) handOver(ctx context.Context, s switchOver) error {
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
	err := s.inner.WaitFor(ctx, seq)
	s.end()
	if err == nil {
		err = s.fresh.Switch()
	}
	s.result <- err
	if err != nil {
		r.o.Log.Error("projection not switched", slog.String("projection", r.p.Name()), slog.Any("error", err))
		return nil
	}
	for seq := range s.inner.skips {
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
		err := r.rebuild(ctx, known)
		if err == nil || ctx.Err() != nil || errors.Is(err, ErrRebuilding) {
			return
		}
		r.o.Log.Error("rebuild failed", slog.String("projection", r.p.Name()), slog.Any("error", err))
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
