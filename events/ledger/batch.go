package ledger

import (
	"context"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"
)

// publishBatch publishes events as one atomic batch after the one with sequence
// head. This file is the only place that knows the batch publisher, which is not
// yet at version 1.
//
// Flow control is one answer to the first message, which brings what would
// refuse the whole batch (batches in flight, no stream) under its own name: the
// commit would only say that the batch is incomplete. Waiting for more buys
// nothing, a batch is far smaller than what the server buffers.
func publishBatch(ctx context.Context, js jetstream.JetStream, head uint64, batch []Message) (uint64, error) {
	msgs := make([]*nats.Msg, len(batch))
	for i, m := range batch {
		// The publisher writes its headers into the map: it must not be nil.
		msgs[i] = &nats.Msg{Subject: m.Subject, Data: m.Data, Header: make(nats.Header, 4)}
	}
	msgs[0].Header.Set(jetstream.ExpectedLastSeqHeader, strconv.FormatUint(head, 10))
	return publishMessages(ctx, js, Stream, msgs)
}

// publishMessages does so with messages of a stream that have headers, and returns the
// sequence of the last.
func publishMessages(ctx context.Context, js jetstream.JetStream, stream string, msgs []*nats.Msg) (uint64, error) {
	timeout := requestTimeout
	if deadline, ok := ctx.Deadline(); ok {
		timeout = time.Until(deadline)
	}
	ack, err := jetstreamext.PublishMsgBatch(ctx, js, msgs, jetstreamext.BatchFlowControl{
		AckFirst:   true,
		AckTimeout: timeout,
	})
	if err != nil {
		return 0, err
	}
	return ack.Sequence, elsewhere(stream, ack.Stream)
}
