package ledger

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// InboxGroup is the priority group of the inbox consumer: pull with
// jetstream.PullPriorityGroup(InboxGroup). One client of the group is pinned
// and served; the next takes over when it is gone.
const InboxGroup = "intake"

// Inbox returns the durable consumer of the inbox, created if it is missing.
// Every message is to be acknowledged after its events are recorded.
func (l *Ledger) Inbox(ctx context.Context) (jetstream.Consumer, error) { return nil, errNotYet }

// InboxPending is how many events wait in the inbox, those handed out but not
// yet acknowledged included.
func (l *Ledger) InboxPending(ctx context.Context) (uint64, error) { return 0, errNotYet }

// InboxPublisher is the publisher named by an inbox or submit subject, empty if
// the subject is neither.
func InboxPublisher(subject string) string { return "" }
