package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/events/ledger"
)

// layerEvents bounds the layer that catching up folds before it is written.
const layerEvents = 2000

// Once stopped, the intake tries again after a while: the connection may be
// back, an operator may have recorded a skip. The while is ten times what the
// last attempt took, within these bounds.
const (
	retryFirst = 250 * time.Millisecond
	retryLast  = 5 * time.Second
)

var (
	errOtherLedger = errors.New("the ledger is another one than the decision state was made from")
	errFound       = errors.New("found")
)

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
		w.next = time.Now().Add(min(max(retryFirst, 10*time.Since(start)), retryLast))
		if ctx.Err() == nil {
			w.stopped.Store(&err)
		}
		return err
	}
	w.behind = false
	w.stopped.Store(nil)
	return nil
}

// catchUp folds what the ledger has beyond the store.
func (w *writer) catchUp(ctx context.Context) error {
	head, err := w.ledger.Head(ctx)
	if err != nil {
		return err
	}
	if err := w.same(ctx, head); err != nil {
		return err
	}
	f := folder{w: w, last: head, layer: decide.New(w.store)}
	err = w.ledger.Read(ctx, w.store.Head().Seq+1, head, func(seq uint64, raw []byte) error {
		return f.fold(ctx, seq, raw)
	})
	return errors.Join(err, f.flush())
}

// folder folds events of the ledger into the store, a layer at a time.
type folder struct {
	w      *writer
	last   uint64 // the head when it began
	layer  *decide.State
	folded int
}

func (f *folder) flush() error {
	if f.folded == 0 {
		return nil
	}
	if err := f.w.store.Commit(f.layer); err != nil {
		return err
	}
	f.w.position.Store(f.layer.Head().Seq)
	f.layer, f.folded = decide.New(f.w.store), 0
	return nil
}

// fold folds one event, or passes over it when a later event says so.
func (f *folder) fold(ctx context.Context, seq uint64, raw []byte) error {
	e, err := events.Decode(seq, raw)
	if e == nil {
		return err
	}
	if errChain := follows(e, f.layer.Head()); errChain != nil {
		return errChain
	}
	if err == nil {
		err = evolve(f.layer, e)
	}
	if err != nil {
		if err := f.skip(ctx, e, err); err != nil {
			return err
		}
	}
	if f.folded++; f.folded == layerEvents {
		return f.flush()
	}
	return nil
}

// follows holds an event to the chain.
func follows(e *events.Event, head decide.Head) error {
	switch {
	case e.Seq != head.Seq+1:
		return &ledger.GapError{Want: head.Seq + 1, Got: e.Seq}
	case e.PrevLeaf != head.Leaf:
		return fmt.Errorf("event %d does not follow event %d: its prevleaf is %s, the leaf before is %s; the ledger was altered or is another one",
			e.Seq, head.Seq, e.PrevLeaf, head.Leaf)
	}
	return nil
}

// evolve folds an event; a panic in a fold is an event that cannot be applied,
// not the end of the process.
func evolve(layer *decide.State, e *events.Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("folding it panicked: %v", v)
		}
	}()
	return layer.Evolve(e)
}

// skip passes over an event that cannot be applied, if a later one says so.
func (f *folder) skip(ctx context.Context, e *events.Event, why error) error {
	found, err := f.w.skipped(ctx, e.Seq, f.last)
	switch {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("event %d cannot be applied: %w; a newer version of shiplog mends it, or `shiplog skip %d`", e.Seq, why, e.Seq)
	}
	f.layer.Pass(e)
	return nil
}

// skipped looks ahead for an event that says to ignore the one at seq.
func (w *writer) skipped(ctx context.Context, seq, last uint64) (bool, error) {
	mark := []byte(`"shiplog.event.skipped.v1"`)
	err := w.ledger.Read(ctx, seq+1, last, func(at uint64, raw []byte) error {
		if !bytes.Contains(raw, mark) {
			return nil
		}
		if e, err := events.Decode(at, raw); err == nil {
			if p, ok := e.Data.(*events.EventSkipped); ok && uint64(p.Seq) == seq {
				return errFound
			}
		}
		return nil
	})
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
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
	overtaken                // another event stands at its place
)

// look reads on from the expected head: the salts of a group make its bytes
// unlike any other's.
func (w *writer) look(ctx context.Context, g *group) (outcome, error) {
	head, err := w.ledger.Head(ctx)
	if err != nil || head <= g.base.Seq {
		return absent, err
	}
	raw, err := w.ledger.Get(ctx, g.base.Seq+1)
	switch {
	case err != nil:
		return absent, err
	case bytes.Equal(raw, g.messages[0].Data):
		return stored, nil
	}
	return overtaken, nil
}
