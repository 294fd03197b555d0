package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// batchEntries and batchBytes bound what a reader is handed at once.
	batchEntries = 1000
	batchBytes   = 4 << 20

	// pullEntries and pullBytes bound one request. At most two are open, so a
	// reader holds twice that. Bytes must exceed the largest message.
	pullEntries = 4000
	pullBytes   = 8 << 20

	pullExpires   = 30 * time.Second
	pullHeartbeat = 2 * time.Second
	// pullSilence is how long a living consumer cannot be silent.
	pullSilence = 2*pullHeartbeat + time.Second

	// consumerLifetime is when the server forgets a consumer that nobody pulls
	// from: a reader that died does not delete its own.
	consumerLifetime = time.Minute
)

// errLost means that the consumer is not there any more, or not heard from: a
// new one goes on where it stopped.
var errLost = errors.New("consumer lost")

// A puller takes entries in order from one consumer on the server, which lives
// in memory and needs no acknowledgement: what was read is the reader's to
// remember. It asks for the next entries before the last have come.
//
// It works on messages of the core protocol. The consumers of the jetstream
// package would hide what this one is for: on a gap they resume behind it.
type puller struct {
	ledger *Ledger
	name   string
	sub    *nats.Subscription
	inbox  string
	msgs   chan *nats.Msg
	status chan nats.Status

	wanted int    // asked for and not yet here
	left   uint64 // still to be asked for
	heard  time.Time
}

// pull creates a consumer that begins at sequence from and sends no more than
// count entries.
func (l *Ledger) pull(ctx context.Context, from, count uint64) (*puller, error) {
	consumer, err := l.js.CreateConsumer(ctx, Stream, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       from,
		AckPolicy:         jetstream.AckNonePolicy,
		InactiveThreshold: consumerLifetime,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		return nil, fmt.Errorf("create a consumer: %w", err)
	}
	p := &puller{
		ledger: l,
		name:   consumer.CachedInfo().Name,
		inbox:  l.nc.NewInbox(),
		msgs:   make(chan *nats.Msg, 2*pullEntries+64),
		status: l.nc.StatusChanged(nats.RECONNECTING, nats.CLOSED),
		left:   count,
		heard:  time.Now(),
	}
	if p.sub, err = l.nc.ChanSubscribe(p.inbox, p.msgs); err == nil {
		err = p.request()
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("pull: %w", err)
	}
	return p, nil
}

// close takes the consumer off the server, if that is quickly done.
func (p *puller) close() {
	p.ledger.nc.RemoveStatusListener(p.status)
	if p.sub != nil {
		// The error would say that the connection is gone, and the subscription
		// with it.
		_ = p.sub.Unsubscribe()
	}
	if p.ledger.nc.IsConnected() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = p.ledger.js.DeleteConsumer(ctx, Stream, p.name)
	}
}

// request asks for more when less than half of a request is on its way.
func (p *puller) request() error {
	if p.wanted > pullEntries/2 || p.left == 0 {
		return nil
	}
	count := int(min(p.left, pullEntries))
	body, err := json.Marshal(map[string]any{
		"batch": count, "max_bytes": pullBytes,
		"expires": pullExpires, "idle_heartbeat": pullHeartbeat,
	})
	if err != nil {
		return err
	}
	subject := "$JS.API.CONSUMER.MSG.NEXT." + Stream + "." + p.name
	if err := p.ledger.nc.PublishRequest(subject, p.inbox, body); err != nil {
		return err
	}
	p.wanted += count
	p.left -= uint64(count)
	return nil
}

// next waits for entries until the timer fires, and takes those that are there.
// It returns none if the time is over.
func (p *puller) next(ctx context.Context, idle *time.Timer, batch []Entry) ([]Entry, error) {
	for size := 0; len(batch) < batchEntries && size < batchBytes; {
		var m *nats.Msg
		if len(batch) > 0 {
			select {
			case m = <-p.msgs:
			default:
				return batch, p.request()
			}
		} else {
			select {
			case m = <-p.msgs:
			case <-idle.C:
				return batch, p.silence()
			case <-p.status:
				return batch, errLost
			case <-ctx.Done():
				return batch, context.Cause(ctx)
			}
		}
		entry, ok, err := p.take(m)
		if err != nil {
			return batch, err
		}
		if ok {
			batch = append(batch, entry)
			size += len(entry.Raw)
		}
	}
	return batch, p.request()
}

// silence tells whether the consumer should have been heard from.
func (p *puller) silence() error {
	if time.Since(p.heard) > pullSilence {
		return fmt.Errorf("%w: silent", errLost)
	}
	return nil
}

// take reads one message: an entry, or what the server says about a request.
func (p *puller) take(m *nats.Msg) (Entry, bool, error) {
	if m.Subject == p.inbox {
		p.heard = time.Now()
		return Entry{}, false, p.control(m)
	}
	meta, err := m.Metadata()
	if err != nil {
		return Entry{}, false, fmt.Errorf("read a delivery: %w", err)
	}
	p.wanted--
	return Entry{Seq: meta.Sequence.Stream, Raw: m.Data}, true, nil
}

// control handles a status message. A request that ends before it is filled is
// made again.
func (p *puller) control(m *nats.Msg) error {
	if m.Header.Get("Status") == "100" {
		return nil
	}
	pending, err := strconv.Atoi(m.Header.Get("Nats-Pending-Messages"))
	if err != nil {
		return fmt.Errorf("%w: %s %s", errLost, m.Header.Get("Status"), m.Header.Get("Description"))
	}
	p.wanted -= pending
	p.left += uint64(pending)
	return p.request()
}
