package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"shiplog/events"
	"shiplog/events/ledger"
)

// Once stopped, the intake tries again after a while: the connection may be
// back, an operator may have recorded a skip. The while is ten times what the
// last attempt took, within these bounds.
const (
	retryFirst = 250 * time.Millisecond
	retryLast  = 5 * time.Second
)

// retryAfter is that while. An answer that did not come cost nobody anything: the
// next leader may be there already.
func retryAfter(err error, took time.Duration) time.Duration {
	if passes(err) {
		return retryFirst
	}
	return min(max(retryFirst, 10*took), retryLast)
}

var errOtherLedger = errors.New("the ledger is another one than the decision state was made from")

// ready brings the decision state to the head where it may be behind.
func (w *writer) ready(ctx context.Context) error {
	if !w.behind {
		return nil
	}
	if err := w.stopped.Load(); err != nil && time.Now().Before(w.next) {
		return *err
	}
	start := time.Now()
	if err := w.catchUp(ctx); err != nil {
		w.next = time.Now().Add(retryAfter(err, time.Since(start)))
		if ctx.Err() == nil {
			if _, applied := errors.AsType[*appliedError](err); applied {
				if room := w.refold(ctx); room != nil {
					err = fmt.Errorf("%w, for which there is no room yet: %w", err, room)
				}
			}
			w.stop(err)
		}
		return err
	}
	w.behind = false
	w.stopped.Store(nil)
	return nil
}

// stop keeps why nothing is decided, and tells it once.
func (w *writer) stop(err error) {
	was := w.stopped.Swap(&err)
	if w.opts.Stopped != nil && !passes(err) && (was == nil || (*was).Error() != err.Error()) {
		w.opts.Stopped(w.store.Head().Seq, err)
	}
}

// passes tells whether an error is that nobody answers, which is so now and then.
func passes(err error) bool {
	return ledger.Unreachable(err) || errors.Is(err, ledger.ErrUnknown) || errors.Is(err, context.DeadlineExceeded)
}

// catchUp folds what the ledger has beyond the store.
func (w *writer) catchUp(ctx context.Context) error {
	if err := w.ledger.Complete(ctx); err != nil {
		return fmt.Errorf("%w: %w", ledger.ErrFull, err)
	}
	head, err := w.ask(ctx, func(ctx context.Context) (uint64, error) {
		return w.ledger.HeadBehind(ctx, w.store.Head().Seq)
	})
	if err != nil {
		return err
	}
	if err := w.same(ctx, head); err != nil {
		return err
	}
	if err := w.whole(ctx, head); err != nil {
		return err
	}
	return w.fold(ctx, head)
}

// fold folds up to the head. It takes as long as it takes while events come, and
// is given up when none does for as long as an unknown outcome is looked into:
// those who submitted wait for an answer.
func (w *writer) fold(ctx context.Context, head uint64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(w.opts.Patience, func() {
		cancel(fmt.Errorf("catch up: %w: nothing came for %s", ledger.ErrUnknown, w.opts.Patience))
	})
	defer silent.Stop()
	w.folder.heard = func() { silent.Reset(w.opts.Patience) }
	return w.folder.to(ctx, head)
}

// same holds the store to the ledger it was made from.
func (w *writer) same(ctx context.Context, last uint64) error {
	head := w.store.Head()
	if head.Seq == 0 {
		return nil
	}
	if last < head.Seq {
		return &ledger.GapError{Want: head.Seq, Got: last}
	}
	raw, err := w.ledger.Get(ctx, head.Seq)
	if err != nil {
		return err
	}
	if head.Leaf == (events.Hash{}) {
		return nil // nothing of it could be read then either
	}
	e, err := events.Decode(head.Seq, raw)
	if e == nil {
		return err
	}
	if e.Leaf != head.Leaf {
		return fmt.Errorf("event %d: %w; if the ledger is the right one, stop the node and delete its folder \"decisions\"", head.Seq, errOtherLedger)
	}
	return nil
}

// outcome is what became of a commit whose answer was lost.
type outcome int

const (
	absent    outcome = iota // nothing was recorded: publish again
	stored                   // the group is recorded
	overtaken                // another event stands in its place, or not all of it is there
)

// look reads on from the expected head: the salts of a group make its bytes
// unlike any other's.
func (w *writer) look(ctx context.Context, g *group) (outcome, error) {
	head, err := w.once(ctx, w.ledger.Head)
	if err != nil || head <= g.base.Seq {
		return absent, err
	}
	raw, err := w.ledger.Get(ctx, g.base.Seq+1)
	switch {
	case err != nil:
		return absent, err
	case bytes.Equal(raw, g.messages[0].Data) && head >= g.base.Seq+uint64(len(g.messages)):
		return stored, nil
	}
	return overtaken, nil
}
