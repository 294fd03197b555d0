package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// measureLarge loads many reviews, reports memory, and restarts on them.
func (r *run) measureLarge(ctx context.Context) error {
	data := filepath.Join(r.dir, "large")
	n, err := start(ctx, r.Program, data)
	if err != nil {
		return err
	}
	if err := setUp(ctx, n); err != nil {
		return err
	}
	began := time.Now()
	last, err := postBatches(ctx, n, (*writer).review, 0, r.Large)
	if err != nil {
		return err
	}
	rate := float64(r.Large) / time.Since(began).Seconds()
	if err := n.settle(ctx, last); err != nil {
		return err
	}
	r.add(Figure{
		Name: fmt.Sprintf("peak memory with %d reviews", r.Large), Value: n.PeakMemory() / (1 << 20), Unit: "MiB",
		Note: fmt.Sprintf("loaded at %.0f events/s", rate),
	})
	if err := r.measureScrape(ctx, n, r.Large, r.Large); err != nil {
		return err
	}
	if err := n.Stop(); err != nil {
		return err
	}
	began = time.Now()
	if n, err = start(ctx, r.Program, data); err != nil {
		return err
	}
	if _, _, err := n.get(ctx, "/tools/tool-1"); err != nil {
		return err
	}
	r.add(Figure{Name: "restart until a page is served", Value: time.Since(began).Seconds(), Unit: "s"})
	return n.Stop()
}
