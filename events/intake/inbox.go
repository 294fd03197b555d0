package intake

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events/ledger"
	"shiplog/events/tracing"
)

// InboxOptions configure [RunInbox]. The zero value is usable.
type InboxOptions struct {
	// Wait is how long an event waits for an unknown tool or reviewer, 60 s
	// when zero.
	Wait time.Duration
	// Parked and ParkedBytes bound what waits at once, 5,000 events and 16 MiB
	// when zero. For more, the oldest have waited long enough.
	Parked      int
	ParkedBytes int
	// Poll is how often the gauges of the inbox and of the rejected are read, and
	// the inbox is looked after, 5 s when zero.
	Poll time.Duration
	// Remote is what it is in [ServiceOptions].
	Remote string
	// Tracer makes a span of each message; nil makes none.
	Tracer *tracing.Tracer
	// Log takes what goes wrong; nil discards it.
	Log *slog.Logger
}

func (o InboxOptions) withDefaults() InboxOptions {
	if o.Wait == 0 {
		o.Wait = time.Minute
	}
	if o.Parked == 0 {
		o.Parked = 5000
	}
	if o.ParkedBytes == 0 {
		o.ParkedBytes = 16 << 20
	}
	if o.Poll == 0 {
		o.Poll = 5 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// RunInbox records the events that publishers leave in the inbox, until the
// context ends. A message is acknowledged after its events are recorded, or
// kept among the rejected; one that was recorded before a crash comes again as
// a duplicate. While the intake takes nothing, messages stay in the inbox. Of
// all nodes one at a time is served; another takes over when it is gone.
//
// Let it return before the intake ends.
func RunInbox(ctx context.Context, in *Intake, l *ledger.Ledger, o InboxOptions) {
	b := &inbox{in: in, ledger: l, opts: o.withDefaults(), box: newMailbox()}
	var helpers sync.WaitGroup
	helpers.Go(func() { b.receive(ctx) })
	helpers.Go(func() { b.poll(ctx) })
	b.run(ctx)
	helpers.Wait()
	b.leave()
}

// inbox has letters recorded. All but the mailbox, and what the one that receives
// has told, belongs to one goroutine.
type inbox struct {
	in     *Intake
	ledger *ledger.Ledger
	opts   InboxOptions
	box    *mailbox
	told   string // why the inbox cannot be read, empty while it can

	parked parked
	kept   kept
}

// revisitEvery is how often those that wait are looked at, at most.
const revisitEvery = 100 * time.Millisecond

func (b *inbox) run(ctx context.Context) {
	tick := time.NewTicker(revisitEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.box.more:
			b.open(ctx, b.box.take())
		case <-tick.C:
		}
		b.revisit(ctx)
	}
}

// open has new messages recorded. What comes behind something that waits about
// the same tool or reviewer, waits with it.
func (b *inbox) open(ctx context.Context, msgs []jetstream.Msg) {
	var opened, list []*part
	for _, msg := range msgs {
		opened = append(opened, b.parts(msg, time.Now())...)
	}
	for _, p := range b.unkept(ctx, opened) {
		if first := b.parked.first(p.item.Key); first != nil {
			b.park(ctx, p, first.problems)
			continue
		}
		list = append(list, p)
	}
	b.settle(ctx, list)
}

// settle has parts recorded, rejects or parks them. It goes on until nothing is
// left, or the context ends: as long as the intake takes nothing, there is
// nothing better to do.
func (b *inbox) settle(ctx context.Context, list []*part) {
	wait := backoff{}
	for len(list) > 0 {
		receipts, err := b.in.Submit(ctx, items(list), false)
		if err != nil {
			if !wait.sleep(ctx, b, list, err.Error()) {
				b.parked.add(list...)
				return
			}
			continue
		}
		var again, refused []*part
		for i, r := range receipts {
			switch p := list[i]; {
			case r.Status == StatusError:
				again = append(again, p)
			case r.waits() && (p.waits.IsZero() || time.Since(p.waits) < b.opts.Wait):
				b.park(ctx, p, r.Problems)
			case r.Status == StatusRejected:
				p.problems = r.Problems
				refused = append(refused, p)
			default:
				b.done(p, r)
			}
		}
		b.reject(ctx, refused)
		list = again
		if len(list) > 0 && !wait.sleep(ctx, b, list, receiptError(receipts)) {
			b.parked.add(list...)
			return
		}
	}
}

func items(list []*part) []Item {
	items := make([]Item, len(list))
	for i, p := range list {
		items[i] = p.item
	}
	return items
}

// reject keeps parts among the rejected, with their problems. Only then are their
// letters acknowledged.
func (b *inbox) reject(ctx context.Context, list []*part) {
	wait := backoff{}
	for len(list) > 0 {
		kept, err := b.ledger.RejectAll(ctx, rejections(list))
		for _, p := range list[:kept] {
			b.done(p, Receipt{Status: StatusRejected})
		}
		list = list[kept:]
		if err != nil && !wait.sleep(ctx, b, list, err.Error()) {
			b.parked.add(list...)
			return
		}
	}
}

// done counts a part as settled, and its letter when all are.
func (b *inbox) done(p *part, r Receipt) {
	b.in.Count(viaInbox, r)
	if p.letter.open--; p.letter.open == 0 {
		p.letter.settled()
	}
}

// leave gives back what waits, so that it need not time out first.
func (b *inbox) leave() {
	given := map[*letter]bool{}
	for _, p := range b.parked.takeAll() {
		if !given[p.letter] {
			given[p.letter] = true
			p.letter.giveBack()
		}
	}
	for _, msg := range b.box.take() {
		_ = msg.Nak()
	}
}
