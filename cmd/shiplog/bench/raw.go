package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"shiplog/events/ledger"
)

// measureRaw measures what an embedded server with sync-always does by itself:
// atomic batches of the same events, and single publishes.
func (r *run) measureRaw(ctx context.Context) error {
	dir := filepath.Join(r.dir, "raw")
	defer os.RemoveAll(dir)
	server, err := ledger.StartServer(ledger.ServerOptions{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close(context.WithoutCancel(ctx))) }()
	conn, err := server.Connect(ledger.ConnectOptions{})
	if err != nil {
		return err
	}
	defer conn.Close()
	l, err := ledger.Open(ctx, conn, ledger.Options{Create: true, MaxBytes: 100 << 30})
	if err != nil {
		return err
	}
	head := uint64(0)
	if r.rawBatches, err = r.appendFor(ctx, l, &head, batchSize); err != nil {
		return err
	}
	if r.rawSmall, err = r.appendFor(ctx, l, &head, singleClients); err != nil {
		return err
	}
	r.rawSingles, err = r.appendFor(ctx, l, &head, 1)
	return err
}

// appendFor appends batches of a size for a while and returns events a second.
func (r *run) appendFor(ctx context.Context, l *ledger.Ledger, head *uint64, size int) (float64, error) {
	messages := make([]ledger.Message, batchSize)
	for i := range messages {
		var w writer
		w.review(i)
		messages[i] = ledger.Message{Subject: "shiplog.ledger.review.tool-1.reviewer-1", Data: w.b}
	}
	began, count := time.Now(), 0
	for time.Since(began) < r.Duration {
		from := count % (batchSize - size + 1)
		last, err := l.Append(ctx, *head, messages[from:from+size])
		if err != nil {
			return 0, err
		}
		*head = last
		count += size
	}
	return float64(count) / time.Since(began).Seconds(), nil
}
