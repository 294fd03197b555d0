package intake

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"shiplog/events/decisions"
)

// ErrRebuilding is the error of [Intake.Rebuild] while one is under way.
var ErrRebuilding = errors.New("the decision state is being folded anew already")

// A refolding is a decision state that is being folded beside the one in use.
type refolding struct {
	*folder
	at atomic.Uint64
}

// nearEnough is how many events the one that is folded anew may lack when the
// writer is made to wait for it.
const nearEnough = 1000

// Rebuild folds the decision state anew beside the one in use and then switches.
// Submissions are decided all the while, but for the moment of the switch. Run
// must be running. Killed at any moment, the state in use is untouched.
func (in *Intake) Rebuild(ctx context.Context) error {
	r := new(refolding)
	if !in.rebuilding.CompareAndSwap(nil, r) {
		return ErrRebuilding
	}
	defer in.rebuilding.Store(nil)
	store, err := in.writer.store.Fresh()
	if err != nil {
		return fmt.Errorf("rebuild decision state: %w", err)
	}
	if err := in.rebuild(ctx, r, store); err != nil {
		return errors.Join(fmt.Errorf("rebuild decision state: %w", err), store.Discard())
	}
	return nil
}

func (in *Intake) rebuild(ctx context.Context, r *refolding, store *decisions.Store) error {
	w := in.writer
	r.folder = newFolder(w.ledger, store, r.at.Store)
	for near := false; !near; {
		head, err := w.ledger.Head(ctx)
		if err != nil {
			return err
		}
		near = head < store.Head().Seq+nearEnough
		if err := r.to(ctx, head); err != nil {
			return err
		}
	}
	return in.errand(ctx, func(ctx context.Context) error { return w.adopt(ctx, r.folder) })
}

// Rebuilding is how far a rebuild has come, false when none is under way.
func (in *Intake) Rebuilding() (seq uint64, under bool) {
	if r := in.rebuilding.Load(); r != nil {
		return r.at.Load(), true
	}
	return 0, false
}

// refold begins a rebuild that the ledger asks for.
func (in *Intake) refold(ctx context.Context) {
	in.rebuilds.Go(func() {
		_ = in.Rebuild(ctx) // what stopped the writer stays until it succeeds
	})
}

// adopt puts a state that was folded anew in place.
func (w *writer) adopt(ctx context.Context, f *folder) error {
	head, err := w.ledger.Head(ctx)
	if err != nil {
		return err
	}
	if err := f.to(ctx, head); err != nil {
		return err
	}
	if err := w.store.Adopt(f.store); err != nil {
		return err
	}
	w.folder.skips, w.folder.passed = f.skips, f.passed
	w.position.Store(w.store.Head().Seq)
	w.behind, w.next = true, time.Time{}
	_ = w.ready(ctx) // kept in w.stopped
	return nil
}
