package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/projections"
)

// applied is how many events a transaction of the new model holds.
const applied = 10_000

// modelFold makes the read model anew.
type modelFold struct {
	live, fresh *projections.Model
	skipped     func(seq uint64) bool
	to          uint64
	batch       []*events.Event
	recorded    time.Time             // of the last event
	settled     *projections.Snapshot // of the one in use, where it stands
}

func newModelFold(v *verification) (*modelFold, error) {
	if v.Model.Outdated() {
		return nil, ErrOutdated
	}
	fresh, err := projections.Open(filepath.Join(v.Dir, "panel"), projections.Options{Loading: true})
	if err != nil {
		return nil, err
	}
	f := &modelFold{live: v.Model, fresh: fresh, skipped: v.skipped}
	f.to, _ = v.Model.Position()
	return f, nil
}

func (f *modelFold) name() string   { return "read model" }
func (f *modelFold) target() uint64 { return f.to }

func (f *modelFold) close() {
	if f.settled != nil {
		_ = f.settled.Close() // nothing was written
	}
	_ = f.fresh.Close() // it is thrown away
}

func (f *modelFold) take(ctx context.Context, list []audit.Decoded) error {
	for _, d := range upTo(list, f.to) {
		e, skipped := d.Event, f.skipped(d.Seq)
		if skipped {
			e = passOver(d, f.recorded)
		}
		if d.Err != nil && !skipped {
			return &Difference{What: f.name(), Seq: f.to, Cause: fmt.Sprintf("it has event %d, which cannot be read: %v", d.Seq, d.Err)}
		}
		f.recorded = e.RecordedTime
		f.batch = append(f.batch, e)
	}
	if len(f.batch) < applied {
		return nil
	}
	return f.apply(ctx)
}

func (f *modelFold) apply(ctx context.Context) error {
	if len(f.batch) == 0 {
		return nil
	}
	err := f.fresh.Apply(ctx, f.batch)
	f.batch = f.batch[:0]
	if bad, ok := errors.AsType[*projections.EventError](err); ok {
		return &Difference{What: f.name(), Seq: f.to, Cause: "it has what cannot be: " + bad.Error()}
	}
	return err
}

func (f *modelFold) settle(ctx context.Context, v *verification) (err error) {
	if err := f.apply(ctx); err != nil || f.to == 0 {
		return err
	}
	if f.settled, err = f.live.At(ctx, 0); err != nil {
		return fmt.Errorf("read the read model: %w", err)
	}
	from := f.to + 1
	f.to = f.settled.Newest()
	if err = v.goOn(ctx, f, from, f.to); err != nil {
		return err
	}
	return errors.Join(f.apply(ctx), f.fresh.Loaded())
}

func (f *modelFold) compare(ctx context.Context, r *Report) error {
	live, position := f.settled, f.to
	if live == nil {
		return nil
	}
	checked := make(chan error, 1)
	go func() { checked <- f.check(ctx, position) }()
	found, err := live.Differences(ctx, f.fresh)
	if damage := <-checked; damage != nil {
		return damage
	}
	if err != nil {
		return fmt.Errorf("read the read models: %w", err)
	}
	if found.Different > 0 {
		return &Difference{What: f.name(), Seq: position, Cause: found.First, Count: found.Different}
	}
	r.Model = position
	return nil
}

// check has SQLite look through the file of the one in use.
func (f *modelFold) check(ctx context.Context, position uint64) error {
	s, err := f.live.At(ctx, 0)
	if err != nil {
		return fmt.Errorf("read the read model: %w", err)
	}
	defer s.Close() // nothing was written
	if err := s.Check(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &Difference{What: f.name(), Seq: position, Cause: err.Error()}
	}
	return nil
}
