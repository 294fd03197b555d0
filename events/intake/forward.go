package intake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/events/tracing"
)

// maxForward bounds the events of one forwarded request: the largest event
// fits, and so do its receipts.
const maxForward = events.MaxEvent

// Forwarder hands submissions to a node that decides, for one that does not. It
// asks by NATS request what that node's [Service] answers: receipts mean the
// same, and what was sent together is decided in order.
type Forwarder struct {
	conn     *nats.Conn
	position func() uint64
	metrics  *metrics
	tracer   *tracing.Tracer
}

// NewForwarder makes a forwarder. Position is what this node has applied. A nil
// tracer makes no spans.
func NewForwarder(conn *nats.Conn, position func() uint64, reg prometheus.Registerer, tracer *tracing.Tracer) *Forwarder {
	return &Forwarder{conn: conn, position: position, metrics: newMetrics(reg), tracer: tracer}
}

// Position is how far this node's own read model is.
func (f *Forwarder) Position() uint64 { return f.position() }

// Count counts receipts as [Intake.Count] does.
func (f *Forwarder) Count(via string, receipts ...Receipt) { f.metrics.count(via, receipts...) }

// Submit has the submissions decided elsewhere. Dry runs are not forwarded.
func (f *Forwarder) Submit(ctx context.Context, items []Item, dryRun bool) ([]Receipt, error) {
	if dryRun {
		return nil, unavailable("this node decides nothing (--intake off); ask one that does for a dry run")
	}
	r := newRequest(items, false)
	var batch []int
	size := 0
	for i, item := range items {
		if len(item.Problems) > 0 {
			continue
		}
		if size+len(item.raw) > maxForward && len(batch) > 0 {
			if err := f.send(ctx, r, batch); err != nil {
				return nil, err
			}
			batch, size = batch[:0], 0
		}
		batch, size = append(batch, i), size+len(item.raw)
	}
	if err := f.send(ctx, r, batch); err != nil {
		return nil, err
	}
	return r.receipts, nil
}

// send forwards some items of a request and answers them.
func (f *Forwarder) send(ctx context.Context, r *request, batch []int) error {
	if len(batch) == 0 {
		return nil
	}
	raw := make([][]byte, len(batch))
	for at, i := range batch {
		raw[at] = r.items[i].raw
	}
	msg := nats.NewMsg(ledger.SubmitPrefix + ledger.LocalPublisher)
	msg.Header.Set("content-type", events.MediaBatch)
	msg.Data = append(append([]byte{'['}, bytes.Join(raw, []byte{','})...), ']')
	receipts, err := f.ask(ctx, msg)
	if err != nil {
		return err
	}
	if len(receipts) != len(batch) {
		return unavailable(fmt.Sprintf("the node that decides answered %d receipts for %d events; send again, an event is recorded once", len(receipts), len(batch)))
	}
	for at, i := range batch {
		r.answer(i, receipts[at])
	}
	return nil
}

// ask waits for the receipts. A refusal by the other node comes as one receipt.
func (f *Forwarder) ask(ctx context.Context, msg *nats.Msg) (_ []Receipt, err error) {
	ctx, span := f.tracer.Start(ctx, tracing.Forward, tracing.Client, tracing.Sent(msg.Subject)...)
	defer func() {
		tracing.Fail(span, err)
		span.End()
	}()
	f.tracer.Inject(ctx, tracing.Header(msg.Header))
	ctx, cancel := context.WithTimeout(ctx, answerTimeout+time.Second)
	defer cancel()
	reply, err := f.conn.RequestMsgWithContext(ctx, msg)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, unavailable("no node decides now: this one has --intake off, and no other answers; start one with --intake on")
	case err != nil:
		return nil, unavailable("the node that decides gave no answer in time; send again, an event is recorded once however often it is sent")
	}
	var receipts []Receipt
	if json.Unmarshal(reply.Data, &receipts) == nil {
		return receipts, nil
	}
	var one Receipt
	if err := json.Unmarshal(reply.Data, &one); err != nil {
		return nil, unavailable("the node that decides answered what is no receipt; do both run the same version?")
	}
	return nil, unavailable(one.Problems.Error())
}
