package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// An InboxPart names an event of the inbox.
type InboxPart struct {
	Seq  uint64 // of its message
	At   int64  // when the inbox took that, in Unix nanoseconds: an inbox that was made anew counts from 1 again
	Part int    // its place in a message of several, from 1; 0 where the message is the event
}

const (
	// keptFetch is how many of the rejected are asked for at once, without their
	// bodies: at most 32 MiB, usually some 100 KiB.
	keptFetch = 500

	// keptSkew is how far the clock of the server that keeps the rejected may be
	// behind that of the server that keeps the inbox: a wrong time zone at most. All it
	// costs is that what was rejected so much earlier is read, 100,000 a second.
	keptSkew = 24 * time.Hour
)

// KeptOfInbox are the events among the rejected whose messages may still be in the
// inbox: the node that kept them ended before the inbox heard of it. The server
// itself knows a message by its id for two minutes only.
//
// It reads the headers of what was rejected from a day before the oldest message in the
// inbox came, and holds nothing of messages before that one. What is of an inbox that
// was there before is not taken for what is in it: see [InboxPart].
func (l *Ledger) KeptOfInbox(ctx context.Context) (map[InboxPart]struct{}, error) {
	inbox, err := l.streamInfo(ctx, InboxStream)
	if err != nil || inbox.State.Msgs == 0 {
		return nil, err
	}
	kept := map[InboxPart]struct{}{}
	err = l.rejectedSince(ctx, inbox.State.FirstTime.Add(-keptSkew), func(msg jetstream.Msg) {
		if p := inboxPart(msg.Headers()); p.Seq >= inbox.State.FirstSeq {
			kept[p] = struct{}{}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read what was rejected of the inbox: %w", err)
	}
	return kept, nil
}

// rejectedSince calls fn with the headers of what was rejected from a time on.
func (l *Ledger) rejectedSince(ctx context.Context, from time.Time, fn func(jetstream.Msg)) error {
	consumer, err := l.js.CreateConsumer(ctx, RejectedStream, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverByStartTimePolicy,
		OptStartTime:      &from,
		AckPolicy:         jetstream.AckNonePolicy,
		HeadersOnly:       true,
		InactiveThreshold: consumerLifetime,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		return err
	}
	info := consumer.CachedInfo()
	defer func() { _ = l.js.DeleteConsumer(context.WithoutCancel(ctx), RejectedStream, info.Name) }()
	for left := info.NumPending; left > 0; {
		if left, err = fetchAll(ctx, consumer, int(min(left, keptFetch)), fn); err != nil {
			return err
		}
	}
	return nil
}

// errShort means that fewer messages came than there should be.
var errShort = errors.New("not all of it came")

// fetchAll takes so many messages, and returns how many are left after them.
func fetchAll(ctx context.Context, consumer jetstream.Consumer, count int, fn func(jetstream.Msg)) (left uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	batch, err := consumer.Fetch(count, jetstream.FetchContext(ctx))
	if err != nil {
		return 0, err
	}
	for msg := range batch.Messages() {
		meta, err := msg.Metadata()
		if err != nil {
			return 0, err
		}
		fn(msg)
		left = meta.NumPending
		count--
	}
	if err := batch.Error(); err != nil {
		return 0, err
	}
	if count > 0 {
		return 0, errShort // some were dropped meanwhile, perhaps
	}
	return left, nil
}
