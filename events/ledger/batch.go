package ledger

import (
	"context"
	"errors"
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
// The messages are sent without waiting for any answer but the last: a batch is far
// smaller than what the server buffers.
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
	ack, err := jetstreamext.PublishMsgBatch(ctx, js, msgs, jetstreamext.BatchFlowControl{})
	if incomplete(err) {
		// Nothing was stored. The answer to the first message says what refuses the
		// whole batch (batches in flight, no stream) by its own name.
		flow := jetstreamext.BatchFlowControl{AckFirst: true, AckTimeout: requestTimeout}
		if deadline, ok := ctx.Deadline(); ok {
			flow.AckTimeout = time.Until(deadline)
		}
		ack, err = jetstreamext.PublishMsgBatch(ctx, js, msgs, flow)
	}
	if err != nil {
		return 0, err
	}
	return ack.Sequence, elsewhere(stream, ack.Stream)
}

// incomplete reports whether the server has dropped a batch for want of a part of it.
func incomplete(err error) bool {
	answer, ok := errors.AsType[*jetstream.APIError](err)
	return ok && answer.ErrorCode == codeIncompleteBatch
}
