package bench

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events/ledger"
)

// bareConsumer is how fast the client library's ordered consumer, which only
// counts, reads the ledger of a folder from end to end. No node may run on it.
func bareConsumer(ctx context.Context, dir string) (count uint64, rate float64, err error) {
	raw, err := openRaw(ctx, dir, ledger.Options{})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, raw.close(context.WithoutCancel(ctx))) }()
	js, err := jetstream.New(raw.conn)
	if err != nil {
		return 0, 0, err
	}
	var rates []float64
	for range turns {
		v, err := raw.count(ctx, js)
		if err != nil {
			return 0, 0, err
		}
		rates = append(rates, v)
	}
	return raw.head, median(rates), nil
}

// count reads all once.
func (raw *rawLedger) count(ctx context.Context, js jetstream.JetStream) (rate float64, err error) {
	began := time.Now()
	consumer, err := js.OrderedConsumer(ctx, ledger.Stream, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return 0, err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(4000))
	if err != nil {
		return 0, err
	}
	defer messages.Stop()
	for range raw.head {
		if _, err := messages.Next(jetstream.NextContext(ctx)); err != nil {
			return 0, err
		}
	}
	return float64(raw.head) / time.Since(began).Seconds(), nil
}
