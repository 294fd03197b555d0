package intake

import (
	"context"
	"fmt"

	"shiplog/events"
)

// A CutError says that the ledger ends inside a submission: what was to be recorded
// before its own event is there, and that event is not. Nobody has a receipt for it.
// But a batch is completed from its journal (see [ledger.Ledger.Complete]), so that
// was lost as well, and with it what else may have been on disk.
type CutError struct {
	First, Last uint64 // what is there of it
	Cause       uint64 // its own event, which is not
}

func (e *CutError) Error() string {
	there := fmt.Sprintf("event %d is there", e.First)
	if e.Last > e.First {
		there = fmt.Sprintf("events %d to %d are there", e.First, e.Last)
	}
	return fmt.Sprintf("the ledger ends inside a submission: %s, and event %d, for which they were recorded, is not", there, e.Cause)
}

// whole holds the ledger to end where a submission ends. It is for who alone writes: of
// another's batch a part may be seen while it is stored.
func (w *writer) whole(ctx context.Context, head uint64) error {
	if w.opts.Shared {
		return nil
	}
	var cut *CutError
	skipped := map[uint64]bool{}
	for seq := head; seq > 1; seq-- {
		raw, err := w.ledger.Get(ctx, seq)
		if err != nil {
			return err
		}
		e, _ := events.Decode(seq, raw)
		if e == nil {
			break
		}
		if skip, ok := e.Data.(*events.EventSkipped); ok && cut == nil {
			skipped[uint64(skip.Seq)] = true
			head = seq - 1 // as it was when that was found
			continue
		}
		if e.Cause <= head || cut != nil && e.Cause != cut.Cause {
			break
		}
		if cut == nil {
			cut = &CutError{Last: seq, Cause: e.Cause}
		}
		cut.First = seq
	}
	if cut == nil {
		return nil
	}
	for seq := cut.First; seq <= cut.Last; seq++ {
		if !skipped[seq] {
			return &StopError{Seq: seq, Err: cut}
		}
	}
	return nil
}
