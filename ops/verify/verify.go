package verify

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/events/decisions"
	"shiplog/events/ledger"
	"shiplog/projections"
)

// Options say what is verified.
type Options struct {
	Ledger *ledger.Ledger

	// Model and Decisions are compared with new ones; nil leaves one out.
	Model     *projections.Model
	Decisions *decisions.Store
	// Dir is where new ones are folded. It is emptied before and after.
	Dir string

	// Progress, if set, is called now and then.
	Progress func(Progress)
}

// Progress says how far a verification is.
type Progress struct {
	Doing string `json:"doing"`
	Done  uint64 `json:"done"`
	Total uint64 `json:"total"`
}

// A Report says what was verified and found well.
type Report struct {
	Ledger  string        `json:"ledger"` // UUID
	Events  uint64        `json:"events"`
	Head    uint64        `json:"head"`
	Leaf    string        `json:"leaf"`
	Model   uint64        `json:"model"`     // position at which it was compared, 0 for not
	Decided uint64        `json:"decisions"` // the same of the decision state
	Took    time.Duration `json:"took_ns"`
}

// A Difference is something made from the ledger that is not what the ledger
// makes.
type Difference struct {
	What  string // "read model" or "decision state"
	Seq   uint64 // the position it was compared at
	Cause string // what is wrong first
	Count uint64 // how many rows or keys are wrong; 0 where they were not counted
}

func (d *Difference) Error() string {
	if d.Count > 1 {
		return fmt.Sprintf("the %s is wrong as of event %d, in %d places, the first of them: %s", d.What, d.Seq, d.Count, d.Cause)
	}
	return fmt.Sprintf("the %s is wrong as of event %d: %s", d.What, d.Seq, d.Cause)
}

// Run verifies. The error is an [audit.Fault] or a [Difference] where something
// is wrong, else what kept it from finding out.
func Run(ctx context.Context, o Options) (Report, error) {
	v := &verification{Options: o}
	start := time.Now()
	err := v.run(ctx)
	for _, f := range v.folds {
		f.close()
	}
	if len(v.folds) > 0 {
		_ = os.RemoveAll(o.Dir) // what is left of it is emptied the next time
	}
	if err != nil {
		return Report{}, err
	}
	v.report.Took = time.Since(start)
	return v.report, nil
}

// A verification is one run.
type verification struct {
	Options
	chain  audit.Chain
	folds  []folded
	report Report
}

func (v *verification) run(ctx context.Context) error {
	// What was made cannot be ahead of a head that is asked for later.
	if err := v.open(); err != nil {
		return err
	}
	head, err := v.Ledger.Head(ctx)
	if err != nil {
		return fmt.Errorf("ask for the head: %w", err)
	}
	for _, f := range v.folds {
		if f.target() > head {
			return &audit.Fault{
				Seq: head + 1, Missing: true,
				Cause: fmt.Sprintf("is missing: the ledger ends at %d, but the %s has event %d", head, f.name(), f.target()),
			}
		}
	}
	if head == 0 {
		return ErrEmpty
	}
	if err := v.check(ctx, head); err != nil {
		return err
	}
	_, leaf := v.chain.Position()
	v.report = Report{Ledger: v.chain.Ledger(), Events: head, Head: head, Leaf: leaf.String()}
	if err := v.fold(ctx); err != nil {
		return err
	}
	for _, f := range v.folds {
		if err := f.settle(ctx, v); err != nil {
			return err
		}
	}
	v.progress("comparing", 0)(0)
	group, ctx := errgroup.WithContext(ctx)
	for _, f := range v.folds {
		group.Go(func() error { return f.compare(ctx, &v.report) })
	}
	return group.Wait()
}

// check holds the ledger to its chain up to an event, if that is not done.
func (v *verification) check(ctx context.Context, to uint64) error {
	return audit.Check(ctx, v.Ledger.Read, &v.chain, to, v.progress("checking the chain", to))
}

// skipped reports whether the ledger says to pass over an event.
func (v *verification) skipped(seq uint64) bool { return v.chain.Skips()[seq] }

// progress is called with sequences, and calls Options.Progress.
func (o Options) progress(doing string, total uint64) func(uint64) {
	return func(seq uint64) {
		if o.Progress != nil {
			o.Progress(Progress{doing, min(seq, total), total})
		}
	}
}

// open makes what is to be folded anew, empty, and notes up to where: to where
// the one in use is now.
func (v *verification) open() error {
	if v.Model == nil && v.Decisions == nil {
		return nil
	}
	if err := emptied(v.Dir); err != nil {
		return err
	}
	if v.Model != nil {
		f, err := newModelFold(v)
		if err != nil {
			return err
		}
		v.folds = append(v.folds, f)
	}
	if v.Decisions != nil {
		f, err := newDecisionFold(v)
		if err != nil {
			return err
		}
		v.folds = append(v.folds, f)
	}
	return nil
}

// fold gives every fold the events up to its target. They run beside each other,
// each at its own pace.
func (v *verification) fold(ctx context.Context) error {
	to := uint64(0)
	for _, f := range v.folds {
		to = max(to, f.target())
	}
	progress := v.progress("folding the events anew", to)
	group, ctx := errgroup.WithContext(ctx)
	queues := audit.Queues(len(v.folds))
	for i, f := range v.folds {
		group.Go(func() error {
			for list := range queues[i] {
				if err := f.take(ctx, list); err != nil {
					return err
				}
				if i == 0 {
					progress(list[len(list)-1].Seq)
				}
			}
			return nil
		})
	}
	group.Go(func() error { return audit.Share(ctx, v.Ledger.Read, 1, to, queues) })
	return group.Wait()
}

// goOn gives one fold what came after its target meanwhile.
func (v *verification) goOn(ctx context.Context, f folded, from, to uint64) error {
	if err := v.check(ctx, to); err != nil {
		return err
	}
	return audit.Scan(ctx, v.Ledger.Read, from, to, func(list []audit.Decoded) error { return f.take(ctx, list) })
}

// passOver is an event that only moves the position.
func passOver(d audit.Decoded, before time.Time) *events.Event {
	if d.Event == nil {
		return &events.Event{Seq: d.Seq, RecordedTime: before}
	}
	e := *d.Event
	e.Data = nil
	return &e
}

func emptied(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("empty %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	return nil
}
