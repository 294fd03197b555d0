package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"shiplog/events"
	"shiplog/events/ledger"
)

// A rawLedger is what an embedded server with sync-always does by itself.
type rawLedger struct {
	server *ledger.Server
	conn   *nats.Conn
	ledger *ledger.Ledger
	head   uint64
}

// raw is started when first asked for.
func (r *run) raw(ctx context.Context) (*rawLedger, error) {
	if r.bare != nil {
		return r.bare, nil
	}
	raw, err := openRaw(ctx, filepath.Join(r.dir, "raw"), ledger.Options{Create: true, MaxBytes: 100 << 30})
	if err == nil {
		r.bare = raw
	}
	return raw, err
}

// openRaw serves a folder of streams in this process.
func openRaw(ctx context.Context, dir string, o ledger.Options) (raw *rawLedger, err error) {
	raw = &rawLedger{}
	defer func() {
		if err != nil {
			err = errors.Join(err, raw.close(context.WithoutCancel(ctx)))
		}
	}()
	if raw.server, err = ledger.StartServer(ledger.ServerOptions{Dir: dir}); err != nil {
		return raw, err
	}
	if raw.conn, err = raw.server.Connect(ledger.ConnectOptions{}); err != nil {
		return raw, err
	}
	if raw.ledger, err = ledger.Open(ctx, raw.conn, o); err != nil {
		return raw, err
	}
	raw.head, err = raw.ledger.Head(ctx)
	return raw, err
}

func (raw *rawLedger) close(ctx context.Context) error {
	if raw.conn != nil {
		raw.conn.Close()
	}
	if raw.server != nil {
		return raw.server.Close(ctx)
	}
	return nil
}

// batches appends atomic batches of a size, one after the other; of size 1 they
// are single publishes.
func (raw *rawLedger) batches(size int) rate {
	messages, err := stored(batchSize)
	if err != nil {
		return func(context.Context, time.Duration) (float64, error) { return 0, err }
	}
	return func(ctx context.Context, d time.Duration) (float64, error) {
		began, count := time.Now(), 0
		for time.Since(began) < d {
			from := count % (batchSize - size + 1)
			last, err := raw.ledger.Append(ctx, raw.head, messages[from:from+size])
			if err != nil {
				return 0, err
			}
			raw.head = last
			count += size
		}
		return float64(count) / time.Since(began).Seconds(), nil
	}
}

// stored is the first reviews as a ledger stores them, each under its subject:
// what the whole path has to hand to the server.
func stored(count int) ([]ledger.Message, error) {
	messages := make([]ledger.Message, count)
	for i := range messages {
		var w writer
		w.review(i)
		sub, problems := events.Parse(w.b)
		if len(problems) > 0 {
			return nil, fmt.Errorf("review %d: %w", i, problems)
		}
		e := &events.Event{
			Seq: uint64(i + 1), ID: sub.ID, Source: sub.Source, Data: sub.Data, Publisher: "local",
			RecordedTime: time.Now().UTC().Truncate(time.Millisecond),
		}
		e.Time = e.RecordedTime.Format(events.TimeFormat)
		messages[i] = ledger.Message{Subject: e.LedgerSubject(), Data: e.AppendCanonical(nil)}
	}
	return messages, nil
}
