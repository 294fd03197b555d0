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
	data := filepath.Join(r.dir, "node")
	if err := r.node.Stop(); err != nil {
		return err
	}
	count, bare, err := countBare(ctx, filepath.Join(data, "nats"))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(data, "panel")); err != nil {
		return err
	}
	if r.node, err = start(ctx, r.Program, data); err != nil {
		return err
	}
	first, _, err := r.node.position(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := r.node.settle(ctx, count); err != nil {
		return err
	}
	took := time.Since(began)
	r.add(Figure{
		Name: "replay into an empty read model", Value: float64(count-first) / took.Seconds(), Unit: "events/s",
		Note: fmt.Sprintf("%d events; peak memory %.0f MiB", count, r.node.PeakMemory()/(1<<20)),
	}.against("bare ordered consumer", bare, 0.08))
	return r.node.Stop()
}

// countBare reads a ledger with a consumer that only counts.
func countBare(ctx context.Context, dir string) (count uint64, rate float64, err error) {
	server, err := ledger.StartServer(ledger.ServerOptions{Dir: dir})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, server.Close(context.WithoutCancel(ctx))) }()
	conn, err := server.Connect(ledger.ConnectOptions{})
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close()
	l, err := ledger.Open(ctx, conn, ledger.Options{})
	if err != nil {
		return 0, 0, err
	}
	head, err := l.Head(ctx)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	err = l.Read(ctx, 1, head, func(uint64, []byte) error {
		count++
		return nil
	})
	return count, float64(count) / time.Since(began).Seconds(), err
}

// measureLarge loads many reviews, reports memory, and restarts on them.
func (r *run) measureLarge(ctx context.Context) error {
	if r.Large == 0 {
		return nil
	}
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
