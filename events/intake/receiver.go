package intake

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events"
	"shiplog/events/ledger"
)

var errConsumerGone = errors.New("its consumer is gone")

// pullMessages bounds what one request to the inbox asks for.
const pullMessages = 1000

// receive takes messages from the inbox into the mailbox, through as many
// consumers as it takes: one may be deleted under it.
func (b *inbox) receive(ctx context.Context) {
	for ctx.Err() == nil {
		if err := b.consume(ctx); err != nil && ctx.Err() == nil {
			b.tell(err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// tell logs why the inbox cannot be read, once until that changes or is over.
func (b *inbox) tell(err error) {
	why := ""
	if err != nil {
		why = err.Error()
	}
	switch {
	case why == b.told:
	case err == nil:
		b.opts.Log.Info("the inbox can be read again")
	default:
		b.opts.Log.Warn("the inbox cannot be read, trying again", slog.Any("error", err))
	}
	b.told = why
}

// consume receives through one consumer, until it is gone or the context ends.
// Lost connections are the client's to mend.
func (b *inbox) consume(ctx context.Context) error {
	consumer, err := b.consumer(ctx)
	if err != nil {
		return err
	}
	consuming, err := consumer.Consume(
		func(msg jetstream.Msg) {
			if !b.box.put(ctx, msg) {
				_ = msg.Nak()
			}
		},
		jetstream.PullPriorityGroup(ledger.InboxGroup),
		jetstream.PullMaxMessagesWithBytesLimit(pullMessages, events.MaxRequest),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			b.opts.Log.Debug("reading the inbox", slog.Any("error", err))
		}),
	)
	if err != nil {
		return err
	}
	b.tell(nil)
	if !b.watch(ctx, consuming.Closed()) {
		return errConsumerGone
	}
	// What has come already is given back.
	consuming.Drain()
	select {
	case <-consuming.Closed():
	case <-time.After(time.Second):
	}
	b.unpin(ctx, consumer.CachedInfo().Name)
	return nil
}

// watch looks after the inbox until the context ends; false if its consumer is gone
// before.
func (b *inbox) watch(ctx context.Context, gone <-chan struct{}) bool {
	tick := time.NewTicker(b.opts.Poll)
	defer tick.Stop()
	for settled := uint64(0); ; {
		select {
		case <-tick.C:
			settled, _ = b.ledger.CheckInbox(ctx, settled) // what fails is done at the next look but one
		case <-gone:
			return false
		case <-ctx.Done():
			return true
		}
	}
}

// consumer opens the inbox, and keeps for health why it cannot.
func (b *inbox) consumer(ctx context.Context) (jetstream.Consumer, error) {
	consumer, err := b.ledger.Inbox(ctx)
	if ctx.Err() == nil {
		b.in.unread.Store(&err)
	}
	return consumer, err
}

// unpin lets the next client of the group be served at once. Otherwise it would
// wait until this one has been silent for a while.
func (b *inbox) unpin(ctx context.Context, consumer string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	js, err := jetstream.New(b.ledger.Conn())
	if err != nil {
		return
	}
	if stream, err := js.Stream(ctx, ledger.InboxStream); err == nil {
		_ = stream.UnpinConsumer(ctx, consumer, ledger.InboxGroup)
	}
}

// poll keeps the gauges near the truth. A scrape must not wait for NATS.
func (b *inbox) poll(ctx context.Context) {
	if b.in.metrics == nil {
		return
	}
	tick := time.NewTicker(b.opts.Poll)
	defer tick.Stop()
	for {
		if n, err := b.ledger.InboxPending(ctx); err == nil {
			b.in.metrics.pending.Set(float64(n))
		}
		if n, err := b.ledger.RejectedCount(ctx); err == nil {
			b.in.metrics.rejected.Set(float64(n))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
