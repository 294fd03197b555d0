package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"shiplog/events/audit"
	"shiplog/events/decide"
	"shiplog/events/decisions"
)

// layerEvents is how many events are folded before they are written.
const layerEvents = 2000

// decisionFold makes the decision state anew.
type decisionFold struct {
	live, fresh *decisions.Store
	skipped     func(seq uint64) bool
	to          uint64
	layer       *decide.State
	folded      int
	settled     *decisions.View // of the one in use, where it stands
}

func newDecisionFold(v *verification) (*decisionFold, error) {
	fresh, err := decisions.Open(filepath.Join(v.Dir, "decisions"))
	if err != nil {
		return nil, err
	}
	f := &decisionFold{live: v.Decisions, fresh: fresh, skipped: v.skipped, layer: decide.New(fresh)}
	view, err := v.Decisions.View()
	if err != nil {
		return nil, errors.Join(err, fresh.Close())
	}
	f.to = view.Head().Seq
	return f, view.Close()
}

func (f *decisionFold) name() string   { return "decision state" }
func (f *decisionFold) target() uint64 { return f.to }

func (f *decisionFold) close() {
	if f.settled != nil {
		_ = f.settled.Close() // nothing was written
	}
	_ = f.fresh.Close() // it is thrown away
}

func (f *decisionFold) take(_ context.Context, list []audit.Decoded) error {
	for _, d := range upTo(list, f.to) {
		if err := f.evolve(d); err != nil {
			return err
		}
		if f.folded++; f.folded == layerEvents {
			if err := f.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *decisionFold) evolve(d audit.Decoded) (err error) {
	if f.skipped(d.Seq) {
		if d.Event != nil {
			f.layer.Pass(d.Event)
		}
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
		if err != nil {
			err = &Difference{What: f.name(), Seq: f.to, Cause: fmt.Sprintf("it has event %d, which cannot be folded: %v", d.Seq, err)}
		}
	}()
	if d.Err != nil {
		return d.Err
	}
	return f.layer.Evolve(d.Event)
}

func (f *decisionFold) flush() error {
	if f.folded == 0 {
		return nil
	}
	if err := f.fresh.Commit(f.layer); err != nil {
		return err
	}
	f.layer.Reset(f.fresh)
	f.folded = 0
	return nil
}

func (f *decisionFold) settle(ctx context.Context, v *verification) (err error) {
	if f.to == 0 {
		return nil
	}
	if f.settled, err = f.live.View(); err != nil {
		return err
	}
	from := f.to + 1
	f.to = f.settled.Head().Seq
	if err := v.goOn(ctx, f, from, f.to); err != nil {
		return err
	}
	return f.flush()
}

func (f *decisionFold) compare(_ context.Context, r *Report) error {
	live, position := f.settled, f.to
	if live == nil {
		return nil
	}
	fresh, err := f.fresh.View()
	if err != nil {
		return err
	}
	defer fresh.Close()
	count, first, err := live.Differences(fresh)
	if errors.Is(err, decisions.ErrDamaged) {
		return &Difference{What: f.name(), Seq: position, Cause: err.Error()}
	}
	if err != nil {
		return err
	}
	if count > 0 {
		return &Difference{What: f.name(), Seq: position, Cause: first, Count: count}
	}
	r.Decided = position
	return nil
}
