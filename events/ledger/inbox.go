package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// InboxGroup is the priority group of the inbox consumer: pull with
// jetstream.PullPriorityGroup(InboxGroup). One client of the group is pinned
// and served; the next takes over when it is gone.
const InboxGroup = "intake"

// InboxPullExpiry is the expiry to pull with: a client whose pull request waits
// for longer than inboxPinned would lose its pin.
const InboxPullExpiry = 4 * time.Second

const (
	// InboxConsumer is the durable consumer of the inbox.
	InboxConsumer = "intake"

	// InboxAckWait is when an event that was handed out comes again. Say that it
	// is in progress when it has to wait for longer.
	InboxAckWait = 30 * time.Second

	// InboxMaxAckPending is how many events may be handed out at once, those
	// that wait for a tool or a reviewer included.
	InboxMaxAckPending = 10_000

	// inboxPinned is how long a client stays pinned that makes no pull request.
	inboxPinned = 10 * time.Second
)

// Inbox returns the durable consumer of the inbox, created if it is missing.
// Every message is to be acknowledged after its events are recorded.
func (l *Ledger) Inbox(ctx context.Context) (jetstream.Consumer, error) {
	consumer, err := l.openInbox(ctx)
	answer, ok := errors.AsType[*jetstream.APIError](err)
	if ok && answer.ErrorCode == codeConsumerStore && l.server != nil {
		// What the server keeps of the consumer cannot be read, or made. All it says
		// is what was handed out: without it, that comes again.
		if err = os.RemoveAll(streamPath(l.server.options.Dir, InboxStream, "obs", InboxConsumer)); err == nil {
			consumer, err = l.openInbox(ctx)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the inbox: %w", err)
	}
	return consumer, nil
}

func (l *Ledger) openInbox(ctx context.Context) (jetstream.Consumer, error) {
	return l.js.CreateOrUpdateConsumer(ctx, InboxStream, jetstream.ConsumerConfig{
		Durable:        InboxConsumer,
		Description:    "Shiplog's intake",
		DeliverPolicy:  jetstream.DeliverAllPolicy,
		AckPolicy:      jetstream.AckExplicitPolicy,
		AckWait:        InboxAckWait,
		MaxDeliver:     -1,
		MaxAckPending:  InboxMaxAckPending,
		PriorityPolicy: jetstream.PriorityPolicyPinned,
		PriorityGroups: []string{InboxGroup},
		PinnedTTL:      inboxPinned,
	})
}

// CheckInbox has the inbox handed out anew where a message is in it that was settled at
// an earlier look: a server that is killed may know that a message was acknowledged,
// and not that it was taken out for that. It would hand it out never again, and keep it
// for ever. What comes again is settled as what a node that was killed has left.
//
// It returns what the next look is to be given: up to where all is acknowledged.
func (l *Ledger) CheckInbox(ctx context.Context, settled uint64) (uint64, error) {
	stream, err := l.js.Stream(ctx, InboxStream)
	if err != nil {
		return 0, jetStreamError(InboxStream, err)
	}
	if state := stream.CachedInfo().State; state.Msgs > 0 && state.FirstSeq <= settled {
		return 0, stream.DeleteConsumer(ctx, InboxConsumer) // whoever reads it makes it anew
	}
	consumer, err := stream.Consumer(ctx, InboxConsumer)
	if err != nil {
		return 0, err
	}
	return consumer.CachedInfo().AckFloor.Stream, nil
}

// InboxPending is how many events wait in the inbox, those handed out but not
// yet acknowledged included.
func (l *Ledger) InboxPending(ctx context.Context) (uint64, error) {
	state, err := l.streamInfo(ctx, InboxStream)
	if err != nil {
		return 0, err
	}
	return state.State.Msgs, nil
}

// InboxPublisher is the publisher named by an inbox or submit subject, empty if
// the subject is neither.
func InboxPublisher(subject string) string {
	for _, prefix := range []string{InboxPrefix, SubmitPrefix} {
		if name, ok := strings.CutPrefix(subject, prefix); ok && isToken(name) {
			return name
		}
	}
	return ""
}

// isToken tells whether a name is exactly one literal token of a subject.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == '.' || r == '*' || r == '>' || r == 0x7f
	})
}
