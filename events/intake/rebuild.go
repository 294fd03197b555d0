package intake

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"shiplog/events/audit"
	"shiplog/events/decisions"
	"shiplog/events/ledger"
)

// ErrRebuilding is the error of [Intake.Rebuild] while one is under way.
var ErrRebuilding = errors.New("the decision state is being folded anew already")

// A refolding is a decision state that is being folded beside the one in use.
type refolding struct {
	*folder
	at        atomic.Uint64
	comparing atomic.Bool
}

// nearEnough is how many events the one that is folded anew may lack when the
// writer is made to wait for it.
const nearEnough = 1000

// Rebuild folds the decision state anew beside the one in use, compares the two
// as of one event and then switches, whatever the comparison tells: the new one
// is what the ledger makes. Submissions are decided all the while, but for the
// moments in which both are at the head. Run must be running. Killed at any
// moment, the state in use is untouched; so it is where the ledger ends before it,
// which is a [ledger.GapError].
//
// Shared, if it is not nil, gives events from the first on that are read for
// others as well; it is received from until it is closed, or Rebuild returns. The
// rest, or all, is read from the ledger.
func (in *Intake) Rebuild(ctx context.Context, shared <-chan []audit.Decoded) (audit.Comparison, error) {
	return in.refolded(ctx, shared, true)
}

func (in *Intake) refolded(ctx context.Context, shared <-chan []audit.Decoded, compared bool) (audit.Comparison, error) {
	r := new(refolding)
	if !in.rebuilding.CompareAndSwap(nil, r) {
		return audit.Comparison{}, ErrRebuilding
	}
	defer in.rebuilding.Store(nil)
	store, err := in.writer.store.Fresh()
	if err != nil {
		return audit.Comparison{}, fmt.Errorf("rebuild decision state: %w", err)
	}
	found, err := in.rebuild(ctx, r, store, shared, compared)
	if err != nil {
		return audit.Comparison{}, errors.Join(fmt.Errorf("rebuild decision state: %w", err), store.Discard())
	}
	return found, nil
}

func (in *Intake) rebuild(
	ctx context.Context, r *refolding, store *decisions.Store, shared <-chan []audit.Decoded, compared bool,
) (found audit.Comparison, err error) {
	w := in.writer
	r.folder = newFolder(w.ledger, store, r.at.Store)
	if shared != nil {
		r.load(ctx, shared)
	}
	if err := r.near(ctx); err != nil {
		return found, err
	}
	if compared {
		if found, err = in.compare(ctx, r); err != nil {
			return found, err
		}
		if err := r.near(ctx); err != nil {
			return found, err
		}
	}
	return found, in.errand(ctx, func(ctx context.Context) error { return w.adopt(ctx, r.folder) })
}

// near folds until the head is near.
func (r *refolding) near(ctx context.Context) error {
	for {
		head, err := r.ledger.Head(ctx)
		if err != nil {
			return err
		}
		near := head < r.store.Head().Seq+nearEnough
		if err := r.to(ctx, head); err != nil || near {
			return err
		}
	}
}

// compare compares the two as of one event, while submissions are decided. What
// is stopped is not compared.
func (in *Intake) compare(ctx context.Context, r *refolding) (found audit.Comparison, err error) {
	var have, want *decisions.View
	err = in.errand(ctx, func(ctx context.Context) (err error) {
		have, want, err = in.writer.views(ctx, r.folder)
		return err
	})
	if err != nil || have == nil {
		return found, err
	}
	r.comparing.Store(true)
	defer r.comparing.Store(false)
	found.Seq = have.Head().Seq
	found.Different, found.First, err = have.Differences(want)
	if err != nil {
		// What is in use cannot even be read. The new one can: it was just made.
		found.Different, found.First, err = 1, fmt.Sprintf("it cannot be read: %v", err), nil
	}
	return found, errors.Join(have.Close(), want.Close())
}

// views are of the state in use and of a new one, both as of the same event.
func (w *writer) views(ctx context.Context, f *folder) (have, want *decisions.View, err error) {
	w.behind = true
	if w.ready(ctx) != nil {
		return nil, nil, ctx.Err() // it is stopped, which is known
	}
	if err := f.to(ctx, w.store.Head().Seq); err != nil {
		return nil, nil, err
	}
	if f.store.Head().Seq != w.store.Head().Seq {
		return nil, nil, nil // it was ahead already, of one that was behind
	}
	if have, err = w.store.View(); err != nil {
		return nil, nil, err
	}
	if want, err = f.store.View(); err != nil {
		return nil, nil, errors.Join(err, have.Close())
	}
	return have, want, nil
}

// Rebuilding is how far a rebuild has come, false when none is under way.
func (in *Intake) Rebuilding() (seq uint64, under bool) {
	if r := in.rebuilding.Load(); r != nil {
		return r.at.Load(), true
	}
	return 0, false
}

// Comparing tells whether a new decision state is being compared with the one in
// use.
func (in *Intake) Comparing() bool {
	r := in.rebuilding.Load()
	return r != nil && r.comparing.Load()
}

// refold begins a rebuild that the ledger asks for, or tells why there is no room
// for it: then it is asked to again.
func (in *Intake) refold(ctx context.Context) error {
	if room := in.writer.opts.RoomToRefold; room != nil && in.rebuilding.Load() == nil {
		if err := room(); err != nil {
			return err
		}
	}
	in.rebuilds.Go(func() {
		_, _ = in.refolded(ctx, nil, false) // it is known to be wrong; what stopped the writer stays until it succeeds
	})
	return nil
}

// adopt puts a state that was folded anew in place.
func (w *writer) adopt(ctx context.Context, f *folder) error {
	known := w.store.Head().Seq
	head, err := w.ledger.HeadBehind(ctx, known)
	if err != nil {
		return err
	}
	if head < known {
		return &ledger.GapError{Want: known, Got: head}
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
