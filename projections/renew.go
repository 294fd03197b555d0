package projections

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// renewable is a projection that may have been made by another version of the
// program: then nothing can be applied to it, and a new one is to be built.
type renewable interface {
	Outdated() bool
}

// renew builds the projection anew where what is in use is outdated. That is read
// meanwhile, as it was left; first it is held to the ledger, as ever.
func (r *Runner) renew(ctx context.Context) error {
	if p, ok := r.p.(renewable); !ok || !p.Outdated() {
		return nil
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	if err := r.room(); err != nil {
		return err
	}
	r.o.Log.Info("the projection was made by another version; it is built anew and read as it was meanwhile",
		slog.String("projection", r.p.Name()), slog.Uint64("position", r.chain.seq))
	failed := make(chan error, 1)
	r.rebuilds.Go(func() {
		if _, err := r.rebuild(ctx, nil, nil, false); err != nil {
			failed <- err
		}
	})
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case s := <-r.switches:
			if err := r.switchTo(ctx, s); errors.Is(err, errSwitched) {
				return nil
			}
		case err := <-failed:
			return err
		case <-beat.C:
			r.beat()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// room is a [RoomError] while there is none.
func (r *Runner) room() error {
	if r.o.Room == nil {
		return nil
	}
	if err := r.o.Room(); err != nil {
		return &RoomError{err}
	}
	return nil
}

// breakable is a projection whose readers may find it damaged.
type breakable interface {
	Damage() error
}

// damage is what readers have found, which asks for a rebuild.
func (r *Runner) damage() error {
	if p, ok := r.p.(breakable); ok {
		return p.Damage()
	}
	return nil
}
