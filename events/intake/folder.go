package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/events/decide"
	"shiplog/events/decisions"
	"shiplog/events/ledger"
)

// layerEvents bounds the layer that folding fills before it is written.
const layerEvents = 2000

// A folder folds events of the ledger into a store, a layer at a time.
type folder struct {
	ledger *ledger.Ledger
	store  *decisions.Store
	moved  func(seq uint64) // called after each layer
	heard  func()           // called for each event that comes

	skips  map[uint64]bool // events to pass over
	passed map[uint64]bool // events passed over

	layer  *decide.State
	folded int
}

func newFolder(l *ledger.Ledger, store *decisions.Store, moved func(uint64)) *folder {
	return &folder{ledger: l, store: store, moved: moved, heard: func() {}, skips: map[uint64]bool{}, passed: map[uint64]bool{}}
}

// errAgain has the folding begin again from the store: a layer was thrown away.
var errAgain = errors.New("again")

// to folds up to an event.
func (f *folder) to(ctx context.Context, head uint64) error {
	for {
		err := f.once(ctx, head)
		if !errors.Is(err, errAgain) {
			return err
		}
	}
}

func (f *folder) once(ctx context.Context, head uint64) error {
	if f.store.Head().Seq == 0 {
		// What is skipped is not to be applied first: the store would have to be
		// folded a second time.
		if err := f.findSkips(ctx, 0); err != nil {
			return err
		}
	}
	f.begin()
	err := f.ledger.Read(ctx, f.store.Head().Seq+1, head, func(seq uint64, raw []byte) error {
		e, err := events.Decode(seq, raw)
		return f.fold(ctx, seq, e, err)
	})
	return errors.Join(err, f.flush())
}

// load folds what is read for others as well, as far as all is well with it. What
// is not is met again, and told, by [folder.to].
func (f *folder) load(ctx context.Context, shared <-chan []audit.Decoded) {
	err := f.findSkips(ctx, 0)
	f.begin()
	for list := range shared {
		for _, d := range list {
			if err == nil {
				err = f.fold(ctx, d.Seq, d.Event, d.Err)
			}
		}
	}
	_ = f.flush()
}

func (f *folder) begin() {
	if f.folded = 0; f.layer == nil {
		f.layer = decide.New(f.store)
		return
	}
	f.layer.Reset(f.store)
}

func (f *folder) flush() error {
	if f.folded == 0 {
		return nil
	}
	if err := f.store.Commit(f.layer); err != nil {
		return err
	}
	f.moved(f.layer.Head().Seq)
	f.begin()
	return nil
}

// findSkips learns of the skips recorded after an event.
func (f *folder) findSkips(ctx context.Context, after uint64) error {
	list, err := f.ledger.Skips(ctx, after)
	for _, seq := range list {
		f.skips[seq] = true
	}
	return err
}

// fold folds one event as it was decoded, or passes over it when a later event
// says so.
func (f *folder) fold(ctx context.Context, seq uint64, e *events.Event, err error) error {
	f.heard()
	if e == nil {
		// Nothing of it can be read, so its leaf is what the next event says.
		e = &events.Event{Seq: seq, RecordedTime: time.UnixMilli(f.layer.Head().Recorded).UTC()}
	} else if errChain := follows(e, f.layer.Head()); errChain != nil {
		return errChain
	}
	switch {
	case f.skips[seq]:
		f.pass(e)
	case err != nil:
		if err := f.skip(ctx, seq, err); err != nil {
			return err
		}
		f.pass(e)
	default:
		if err := f.apply(ctx, e); err != nil {
			return err
		}
	}
	if f.folded++; f.folded == layerEvents {
		return f.flush()
	}
	return nil
}

func (f *folder) pass(e *events.Event) {
	f.passed[e.Seq] = true
	f.layer.Pass(e)
}

// apply folds an event that could be read. What a failure has left in the layer
// is thrown away with it.
func (f *folder) apply(ctx context.Context, e *events.Event) error {
	if p, ok := e.Data.(*events.EventSkipped); ok && uint64(p.Seq) < e.Seq && !f.passed[uint64(p.Seq)] {
		return &appliedError{target: uint64(p.Seq), skip: e.Seq}
	}
	err := evolve(f.layer, e)
	if err == nil {
		return nil
	}
	errStore := f.layer.Err()
	f.begin()
	if errStore != nil {
		return errStore
	}
	if err := f.skip(ctx, e.Seq, err); err != nil {
		return err
	}
	return errAgain
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

// skip looks whether an event that cannot be applied is to be passed over. The
// error says that it is not.
func (f *folder) skip(ctx context.Context, seq uint64, why error) error {
	if err := f.findSkips(ctx, seq); err != nil {
		return err
	}
	if !f.skips[seq] {
		return &StopError{Seq: seq, Err: why}
	}
	return nil
}

// follows holds an event to the chain. A leaf that is not known is what the
// next event says.
func follows(e *events.Event, head decide.Head) error {
	unknown := head.Seq > 0 && head.Leaf == events.Hash{}
	switch {
	case e.Seq != head.Seq+1:
		return &ledger.GapError{Want: head.Seq + 1, Got: e.Seq}
	case !unknown && e.PrevLeaf != head.Leaf:
		return fmt.Errorf("event %d does not follow event %d: its prevleaf is %s, the leaf before is %s; the ledger was altered or is another one",
			e.Seq, head.Seq, e.PrevLeaf, head.Leaf)
	}
	return nil
}
