package intake

import (
	"context"

	"shiplog/events/ledger"
)

// pinHeader is which turn at the inbox a message was handed out in: it has another
// value whenever the inbox is handed to a node, the same one again included.
const pinHeader = "Nats-Pin-Id"

// kept are the events of the inbox that were among the rejected when the turn at
// the inbox began: whoever had it before ended before the inbox heard of them.
// That they were handed out before is not known of all: the server may have
// been killed, too.
type kept struct {
	read  bool
	turn  string
	parts map[ledger.InboxPart]struct{}
}

// unkept are those parts that are not among the rejected yet; the others are
// settled. While that cannot be known, all wait: none, once the context ends.
func (b *inbox) unkept(ctx context.Context, list []*part) []*part {
	if len(list) == 0 {
		return nil
	}
	if turn := list[len(list)-1].letter.msg.Headers().Get(pinHeader); !b.kept.read || turn != b.kept.turn {
		if !b.readKept(ctx, list) {
			b.parked.add(list...)
			return nil
		}
		b.kept.read, b.kept.turn = true, turn
	}
	if len(b.kept.parts) == 0 {
		return list
	}
	var left []*part
	for _, p := range list {
		if _, is := b.kept.parts[p.inbox]; is {
			b.done(p, Receipt{Status: StatusRejected})
		} else {
			left = append(left, p)
		}
	}
	return left
}

// readKept keeps for health why it cannot. It reports false when the context ended
// first.
func (b *inbox) readKept(ctx context.Context, list []*part) bool {
	for wait := (backoff{}); ; {
		parts, err := b.ledger.KeptOfInbox(ctx)
		if ctx.Err() == nil {
			b.in.unread.Store(&err)
		}
		if err == nil {
			b.kept.parts = parts
			return true
		}
		if !wait.sleep(ctx, b, list, err.Error()) {
			return false
		}
	}
}
