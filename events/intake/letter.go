package intake

import (
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events"
	"shiplog/events/ledger"
)

// A letter is one message of the inbox. It is acknowledged when all its parts
// are settled: recorded, or kept among the rejected.
type letter struct {
	msg       jetstream.Msg
	seq       uint64 // in the inbox
	publisher string
	open      int // parts not settled
	touched   time.Time
}

// A part is one event of a letter.
type part struct {
	letter *letter
	item   Item
	alone  bool // the only one of its letter

	waits    time.Time // since when it waits for a tool or reviewer, zero if not
	problems events.Problems
}

// parts reads the events of a message.
func parts(msg jetstream.Msg, now time.Time, by permit) []*part {
	m, publisher := parseMessage(msg.Subject(), msg.Headers(), msg.Data())
	l := &letter{msg: msg, publisher: publisher, touched: now}
	if meta, err := msg.Metadata(); err == nil {
		l.seq = meta.Sequence.Stream
	}
	if m.fail != nil {
		m.items = []Item{{Submission: new(events.Submission), Problems: m.fail.Problems}}
		m.batch = false
	}
	by.restrict(m.items)
	list := make([]*part, len(m.items))
	for i, item := range m.items {
		item.Key = orderKey(item)
		list[i] = &part{letter: l, item: item, alone: !m.batch}
	}
	l.open = len(list)
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

// touch says that the letter is being worked on, so that it is not sent again.
func (l *letter) touch(now time.Time) {
	if now.Sub(l.touched) > ledger.InboxAckWait/3 {
		l.touched = now
		_ = l.msg.InProgress() // if it is lost the letter comes again
	}
}

// rejected is what is kept of a part that cannot be recorded: of a lone one the
// message as it came, of one of several the event alone.
func (p *part) rejected(ps events.Problems) ledger.Rejected {
	r := ledger.Rejected{Publisher: p.letter.publisher, Problems: ps}
	if p.alone {
		r.InboxSeq, r.Header, r.Raw = p.letter.seq, p.letter.msg.Headers(), p.letter.msg.Data()
		return r
	}
	r.Header, r.Raw = nats.Header{"Content-Type": {events.MediaEvent}}, p.item.raw
	return r
}
