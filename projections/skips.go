package projections

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"

	"shiplog/events"
)

// skipped looks whether the ledger says, anywhere after an event, to pass it
// over. Where it cannot be asked, the answer is no: the runner asks again.
func (r *Runner) skipped(ctx context.Context, seq uint64) bool {
	if !r.skips[seq] {
		if err := r.findSkips(ctx, seq); err != nil && ctx.Err() == nil {
			r.o.Log.WarnContext(ctx, "cannot look for skips",
				slog.String("projection", r.p.Name()), slog.Uint64("seq", seq), slog.Any("error", err))
		}
	}
	return r.skips[seq]
}

// findSkips learns of the skips recorded after an event.
func (r *Runner) findSkips(ctx context.Context, after uint64) error {
	if r.o.Skips != nil {
		list, err := r.o.Skips(ctx, after)
		for _, seq := range list {
			r.skips[seq] = true
		}
		return err
	}
	return r.scanSkips(ctx, max(after, r.scanned))
}

// errScanned ends the reading for skips.
var errScanned = errors.New("scanned")

// scanSkips reads the ledger for skips, what was not read for them before.
func (r *Runner) scanSkips(ctx context.Context, after uint64) error {
	head, err := r.o.Head(ctx)
	if err != nil || head <= after {
		return err
	}
	name := []byte((*events.EventSkipped)(nil).Type())
	err = r.o.Follow(ctx, after+1, func(batch []Entry) error {
		for _, entry := range batch {
			if entry.Seq > head {
				return errScanned
			}
			r.scanned = entry.Seq
			if !bytes.Contains(entry.Raw, name) {
				continue
			}
			if e, err := events.Decode(entry.Seq, entry.Raw); err == nil {
				if p, ok := e.Data.(*events.EventSkipped); ok {
					r.skips[uint64(p.Seq)] = true
				}
			}
		}
		if r.scanned == head {
			return errScanned
		}
		return nil
	})
	if errors.Is(err, errScanned) {
		return nil
	}
	return err
}

// Poke has a stopped runner look at once whether it was mended.
func (r *Runner) Poke() {
	select {
	case r.poke <- struct{}{}:
	default:
	}
}

// waitMended waits until it is worth another try; false when the context ended.
// A ledger with a gap, a broken chain or another history is looked at again, as
// it may have been restored.
func (r *Runner) waitMended(ctx context.Context, err error, pause time.Duration) bool {
	if rebuild, ok := errors.AsType[*RebuildError](err); ok {
		r.skips[rebuild.Target] = true
	}
	r.missed()
	kind := kindOfStop(err)
	if kind == stopRebuild {
		r.rebuildSelf(ctx, err)
	}
	if kind != stopFault {
		pause = r.o.Retry
	}
	retry := time.NewTimer(pause)
	defer retry.Stop()
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case <-r.poke:
			return true
		case <-retry.C:
			if kind == stopFault || kind == stopHistory || kind == stopEvent && r.mended(ctx, err) {
				return true
			}
			if kind == stopRebuild {
				r.rebuildSelf(ctx, err)
			}
			retry.Reset(pause)
		case m := <-r.meetings:
			m.tell(met{})
		case s := <-r.switches:
			if errSwitch := r.switchTo(ctx, s); errors.Is(errSwitch, errSwitched) {
				return true
			}
		case <-beat.C:
			r.beat()
		case <-ctx.Done():
			return false
		}
	}
}

func (r *Runner) mended(ctx context.Context, err error) bool {
	var bad *EventError
	return errors.As(err, &bad) && r.skipped(ctx, bad.Seq)
}

// stop is what kind of error stopped a runner.
type stop int

const (
	stopFault   stop = iota // of the machine: tried again
	stopEvent               // mended by a skip
	stopRebuild             // mended by a rebuild
	stopHistory             // mended by restoring the ledger
)

func kindOfStop(err error) stop {
	var (
		bad     *EventError
		gap     *GapError
		chain   *ChainError
		history *HistoryError
		rebuild *RebuildError
	)
	switch {
	case errors.As(err, &bad):
		return stopEvent
	case errors.As(err, &rebuild), errors.Is(err, ErrDamaged):
		return stopRebuild
	case errors.As(err, &gap), errors.As(err, &chain), errors.As(err, &history):
		return stopHistory
	}
	return stopFault
}
