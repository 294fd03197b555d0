package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"shiplog/events/ledger"
)

// measureReplay stops the node, counts its ledger with a bare consumer, throws
// the read model away and measures how fast a new node builds it again.
func (r *run) measureReplay(ctx context.Context) error {
	n, err := r.filled(ctx)
	if err != nil {
		return err
	}
	if err := n.Stop(); err != nil {
		return err
	}
	r.node = nil
	count, bare, err := countBare(ctx, filepath.Join(r.data(), "nats"))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(r.data(), "panel")); err != nil {
		return err
	}
	if n, err = start(ctx, r.Program, r.data()); err != nil {
		return err
	}
	r.node = n
	first, _, err := n.position(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := n.settle(ctx, count); err != nil {
		return err
	}
	took := time.Since(began)
	r.add(Figure{
		Name: "replay into an empty read model", Value: float64(count-first) / took.Seconds(), Unit: "events/s", Memory: n.PeakMemory(),
		Note: fmt.Sprintf("%d events; the node starts meanwhile, as after a crash that took the read model", count),
	}.against("bare ordered consumer", bare, 0.08))
	return nil
}

// countBare reads a ledger with a consumer that only counts.
func countBare(ctx context.Context, dir string) (count uint64, rate float64, err error) {
	raw, err := openRaw(ctx, dir, ledger.Options{})
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	err = raw.ledger.Read(ctx, 1, raw.head, func(uint64, []byte) error {
		count++
		return nil
	})
	took := time.Since(began)
	return count, float64(count) / took.Seconds(), errors.Join(err, raw.close(context.WithoutCancel(ctx)))
}
