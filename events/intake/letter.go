package intake

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/events/tracing"
)

// A letter is one message of the inbox. It is acknowledged when all its parts
// are settled: recorded, or kept among the rejected.
type letter struct {
	msg       jetstream.Msg
	publisher string
	open      int // parts not settled
	span      trace.Span
	touched   time.Time
}

// A part is one event of a letter.
type part struct {
	letter *letter
	item   Item
	inbox  ledger.InboxPart

	waits    time.Time       // since when it waits for a tool or reviewer, zero if not
	problems events.Problems // why it waits, or is refused
}

// parts reads the events of a message.
func (b *inbox) parts(msg jetstream.Msg, now time.Time) []*part {
	m, publisher := parseMessage(msg.Subject(), msg.Headers(), msg.Data())
	ctx, span := b.opts.Tracer.Receive(context.Background(), tracing.Header(msg.Headers()), tracing.Inbox, tracing.Consumer, tracing.Received(msg.Subject())...)
	l := &letter{msg: msg, publisher: publisher, touched: now, span: span}
	var whole ledger.InboxPart
	if meta, err := msg.Metadata(); err == nil {
		whole.Seq, whole.At = meta.Sequence.Stream, meta.Timestamp.UnixNano()
	}
	if m.fail != nil {
		m.items = []Item{{Submission: new(events.Submission), Problems: m.fail.Problems}}
		m.batch = false
	}
	permit{remote: b.opts.Remote}.restrict(m.items)
	m.follow(tracing.Of(ctx))
	list := make([]*part, len(m.items))
	for i, item := range m.items {
		item.Key = orderKey(item)
		list[i] = &part{letter: l, item: item, inbox: whole}
		if m.batch {
			list[i].inbox.Part = i + 1
		}
	}
	if l.open = len(list); l.open == 0 {
		l.settled() // an empty batch
	}
	return list
}

// orderKey names what an event is about, where it may have to wait for it: what
// comes later about the same must not be recorded before. Nothing waits behind
// what may be waited for.
func orderKey(item Item) string {
	if len(item.Problems) > 0 {
		return ""
	}
	switch p := item.Submission.Data.(type) {
	case *events.ToolRegistered, *events.ReviewerSeated, *events.RulesPublished:
		return ""
	default:
		return p.Subject()
	}
}

// settled ends a letter. A lost acknowledgement only has it sent again.
func (l *letter) settled() {
	_ = l.msg.Ack()
	l.span.End()
}

// giveBack has a letter sent again, to this node or another.
func (l *letter) giveBack() {
	_ = l.msg.Nak()
	tracing.Fail(l.span, errGivenBack)
	l.span.End()
}

// errGivenBack ends the span of a letter that is left to another.
var errGivenBack = errors.New("given back, to be recorded later")

// touch says that the letter is being worked on, so that it is not sent again.
func (l *letter) touch(now time.Time) {
	if now.Sub(l.touched) > ledger.InboxAckWait/3 {
		l.touched = now
		_ = l.msg.InProgress() // if it is lost the letter comes again
	}
}

// rejections are what is kept of parts that cannot be recorded.
func rejections(list []*part) []ledger.Rejected {
	kept := make([]ledger.Rejected, len(list))
	for i, p := range list {
		kept[i] = p.rejected()
	}
	return kept
}

// rejected is what is kept of one: of a lone one the message as it came, of one
// of several the event alone.
func (p *part) rejected() ledger.Rejected {
	r := ledger.Rejected{Publisher: p.letter.publisher, Inbox: p.inbox, Problems: p.problems}
	if r.Publisher == "" {
		r.Publisher = "unknown" // no name to keep it under
	}
	if p.inbox.Part == 0 {
		r.Header, r.Raw = p.letter.msg.Headers(), p.letter.msg.Data()
		return r
	}
	r.Header, r.Raw = nats.Header{"Content-Type": {events.MediaEvent}}, p.item.raw
	return r
}
