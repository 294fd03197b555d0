package verify

import (
	"context"
	"fmt"
	"os"
	"time"

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
	Cause string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("the %s is wrong as of event %d: %s", d.What, d.Seq, d.Cause)
}

// Run verifies. The error is an [audit.Fault] or a [Difference] where something
// is wrong, else what kept it from finding out.
func Run(ctx context.Context, o Options) (Report, error) {
	start := time.Now()
	head, err := o.Ledger.Head(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("ask for the head: %w", err)
	}
	if head == 0 {
		return Report{}, ErrEmpty
	}
	var chain audit.Chain
	err = audit.Check(ctx, o.Ledger.Read, &chain, head, o.progress("checking the chain", head))
	if err != nil {
		return Report{}, err
	}
	_, leaf := chain.Position()
	r := Report{Ledger: chain.Ledger(), Events: head, Head: head, Leaf: leaf.String()}
	if err := o.compare(ctx, head, chain.Skips(), &r); err != nil {
		return Report{}, err
	}
	r.Took = time.Since(start)
	return r, nil
}

// progress is called with sequences, and calls Options.Progress.
func (o Options) progress(doing string, total uint64) func(uint64) {
	return func(seq uint64) {
		if o.Progress != nil {
			o.Progress(Progress{doing, min(seq, total), total})
		}
	}
}

// compare folds anew and compares.
func (o Options) compare(ctx context.Context, head uint64, skips map[uint64]bool, r *Report) (err error) {
	if o.Model == nil && o.Decisions == nil {
		return nil
	}
	if err := emptied(o.Dir); err != nil {
		return err
	}
	defer os.RemoveAll(o.Dir) // what is left of it is emptied the next time
	folds, err := o.folds(head, skips)
	defer func() {
		for _, f := range folds {
			f.close()
		}
	}()
	if err != nil {
		return err
	}
	to := uint64(0)
	for _, f := range folds {
		to = max(to, f.target())
	}
	if err := o.fold(ctx, folds, to); err != nil {
		return err
	}
	for _, f := range folds {
		o.progress("comparing the "+f.name(), 0)(0)
		if err := f.compare(ctx, o.Ledger.Read, r); err != nil {
			return err
		}
	}
	return nil
}

// folds are the new ones, each to be brought to where the one in use is now.
func (o Options) folds(head uint64, skips map[uint64]bool) (list []folded, err error) {
	if o.Model != nil {
		f, err := newModelFold(o, skips)
		if err != nil {
			return list, err
		}
		list = append(list, f)
	}
	if o.Decisions != nil {
		f, err := newDecisionFold(o, skips)
		if err != nil {
			return list, err
		}
		list = append(list, f)
	}
	for _, f := range list {
		if f.target() > head {
			return list, &audit.Fault{
				Seq: head + 1, Missing: true,
				Cause: fmt.Sprintf("is missing: the ledger ends at %d, but the %s has event %d", head, f.name(), f.target()),
			}
		}
	}
	return list, nil
}

// fold gives every fold the events up to its target. They run beside each other.
func (o Options) fold(ctx context.Context, folds []folded, to uint64) error {
	progress := o.progress("folding the events anew", to)
	return audit.Scan(ctx, o.Ledger.Read, 1, to, func(list []audit.Decoded) error {
		failed := make(chan error, len(folds))
		for _, f := range folds {
			go func() { failed <- f.take(ctx, list) }()
		}
		var first error
		for range folds {
			if err := <-failed; err != nil && first == nil {
				first = err
			}
		}
		progress(list[len(list)-1].Seq)
		return first
	})
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
