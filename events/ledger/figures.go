package ledger

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// Figures are what JetStream tells of one stream.
type Figures struct {
	Stream   string
	Messages uint64
	Bytes    uint64
	MaxBytes int64

	// Led is whether the stream has a leader: without one nothing is stored or
	// read. A server that is alone always leads.
	Led bool
	// Current, Lagging and Offline count the copies of the stream, the leader's
	// included; Lag is how many operations the slowest one is behind.
	Current, Lagging, Offline int
	Lag                       uint64
}

// StreamNames are the streams of a ledger.
func StreamNames() []string { return []string{Stream, InboxStream, RejectedStream} }

// Figures asks JetStream for the figures of a stream.
func (l *Ledger) Figures(ctx context.Context, stream string) (Figures, error) {
	info, err := l.streamInfo(ctx, stream)
	if err != nil {
		return Figures{Stream: stream}, err
	}
	f := Figures{
		Stream: stream, Messages: info.State.Msgs, Bytes: info.State.Bytes, MaxBytes: info.Config.MaxBytes,
		Led: true, Current: 1,
	}
	if info.Cluster == nil || info.Cluster.Name == "" {
		return f, nil
	}
	if f.Led = info.Cluster.Leader != ""; !f.Led {
		f.Current = 0
	}
	for _, peer := range info.Cluster.Replicas {
		switch {
		case peer.Offline:
			f.Offline++
		case peer.Current:
			f.Current++
		default:
			f.Lagging++
		}
		f.Lag = max(f.Lag, peer.Lag)
	}
	return f, nil
}

// ConsumerFigures are what JetStream tells of the consumer that reads the inbox.
type ConsumerFigures struct {
	Pending     uint64 // not handed out
	AckPending  int    // handed out, not acknowledged
	Redelivered int    // of those, handed out more than once
	Waiting     int    // requests for messages that wait for some
}

// InboxFigures asks for the figures of the inbox's consumer. They are zero where
// no node has ever read the inbox.
func (l *Ledger) InboxFigures(ctx context.Context) (ConsumerFigures, error) {
	consumer, err := l.js.Consumer(ctx, InboxStream, InboxConsumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return ConsumerFigures{}, nil
	}
	if err != nil {
		return ConsumerFigures{}, jetStreamError(InboxStream, err)
	}
	info := consumer.CachedInfo() // just asked for
	return ConsumerFigures{
		Pending: info.NumPending, AckPending: info.NumAckPending, Redelivered: info.NumRedelivered, Waiting: info.NumWaiting,
	}, nil
}
