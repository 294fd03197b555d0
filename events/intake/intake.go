package intake

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"shiplog/events"
	"shiplog/events/decisions"
	"shiplog/events/ledger"
	"shiplog/events/tracing"
)

// Options of an intake. The zero value is usable.
type Options struct {
	// Now is the clock, time.Now when nil.
	Now func() time.Time
	// Admit is asked before anything is queued: a refusal is handed to the
	// caller as it is. Nil admits always.
	Admit func() *Refusal
	// Shared says that other nodes write to the same ledger.
	Shared bool
	// Patience is how long an unknown outcome is looked into, 5 s when zero.
	Patience time.Duration
	// QueueBytes bounds what waits, 64 MiB when zero.
	QueueBytes int64
	// Registerer takes the intake's metrics; nil keeps them to itself.
	Registerer prometheus.Registerer
	// Unmeasured keeps no metrics at all, to find out what they cost.
	Unmeasured bool
	// Stopped is told once why the intake stops deciding, unless it is that NATS
	// gives no answer. Nil is told nothing.
	Stopped func(position uint64, err error)
	// Tracer makes spans of commits; nil makes none.
	Tracer *tracing.Tracer
	// Room is asked before each commit whether the disk may take more. Nil is
	// always.
	Room func() error
	// RoomToRefold is asked before the decision state is folded anew because the
	// ledger asks for it, beside the one in use. Nil is always.
	RoomToRefold func() error
	// Intact and Fault tell that the ledger is not on disk as it says, which a
	// server in this process knows better than its answers do. Intact is asked
	// before every receipt, so it must be cheap; Fault where an answer was lost
	// and the event is there all the same. Nil asks nobody.
	Intact, Fault func() error
	// Memo is given every event that is to be recorded, for who reads it back.
	// Nil is none.
	Memo *events.Memo
}

// An Item is one submission with what [events.Parse] found wrong in it.
type Item struct {
	Submission *events.Submission
	Problems   events.Problems
	Bytes      int // as received, for the bound on what waits

	// Key, if set, keeps items of one call in their order even where one could
	// be recorded later: after one that failed, or that waits for an unknown
	// tool or reviewer, those of the same key are answered as it was.
	Key string

	// Span is what the item's commit is to be part of; the zero value is nothing.
	Span trace.SpanContext

	raw []byte // of one that was sent in JSON form
}

// Intake is the one door to the ledger of this node. Its methods may be called
// from several goroutines.
type Intake struct {
	opts    Options
	metrics *metrics
	writer  *writer
	queue   chan *request
	errands chan func(context.Context) // for the writer's goroutine
	waiting atomic.Int64               // bytes
	unread  atomic.Pointer[error]      // why the inbox, or what is kept of it, cannot be read

	mu       sync.RWMutex // held for reading while a request is queued
	stopping bool
	stopped  chan struct{}

	rebuilding atomic.Pointer[refolding]
	rebuilds   sync.WaitGroup // begun by the intake itself
}

// New is an intake over a ledger and its decision state. Nothing is decided
// before [Intake.Run].
func New(l *ledger.Ledger, store *decisions.Store, opts Options) *Intake {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Patience == 0 {
		opts.Patience = 5 * time.Second
	}
	if opts.QueueBytes == 0 {
		opts.QueueBytes = 64 << 20
	}
	var m *metrics // measures nothing
	if !opts.Unmeasured {
		m = newMetrics(opts.Registerer)
	}
	in := &Intake{
		opts:    opts,
		metrics: m,
		writer:  newWriter(l, store, opts, m),
		queue:   make(chan *request, 4096),
		errands: make(chan func(context.Context)),
		stopped: make(chan struct{}),
	}
	in.writer.refold = in.refold
	return in
}

// Run decides and commits until the context ends; then it answers what waits
// and returns. What was accepted is stored; nothing else was.
func (in *Intake) Run(ctx context.Context) error {
	defer close(in.stopped)
	defer in.rebuilds.Wait()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	in.writer.idle(ctx)
	for {
		select {
		case <-ctx.Done():
			in.drain()
			return nil
		case r := <-in.queue:
			in.writer.record(ctx, in.unpack(nil, r), source{in.queue, in.unpack})
		case errand := <-in.errands:
			errand(ctx)
		case <-tick.C:
			in.writer.idle(ctx)
		}
	}
}

// drain refuses new requests and answers those that wait.
func (in *Intake) drain() {
	in.mu.Lock()
	in.stopping = true
	in.mu.Unlock()
	for {
		select {
		case r := <-in.queue:
			in.release(r)
			for i := range r.items {
				r.answer(i, failed(r.items[i].Submission, shuttingDown))
			}
		default:
			return
		}
	}
}

func (in *Intake) unpack(entries []entry, r *request) []entry {
	in.release(r)
	for i := range r.items {
		if len(r.items[i].Problems) == 0 {
			entries = append(entries, entry{request: r, index: i})
		}
	}
	return entries
}

func (in *Intake) release(r *request) { in.waiting.Add(-r.bytes) }

// Submit has submissions decided in order and recorded, and returns a receipt
// for each. With dryRun they are decided as if recorded, each on top of those
// before it, and nothing is.
//
// The error is a [*Refusal] when nothing was looked at, or the context's: then
// what was sent may be recorded or not, and sending it again is safe.
func (in *Intake) Submit(ctx context.Context, items []Item, dryRun bool) ([]Receipt, error) {
	r := newRequest(items, dryRun)
	if r.left == 0 {
		return r.receipts, nil
	}
	if err := in.enqueue(r); err != nil {
		return nil, err
	}
	select {
	case <-r.done:
		return r.receipts, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (in *Intake) enqueue(r *request) error {
	if in.opts.Admit != nil {
		if refusal := in.opts.Admit(); refusal != nil {
			return refusal
		}
	}
	if in.waiting.Add(r.bytes) > in.opts.QueueBytes && in.waiting.Load() != r.bytes {
		in.release(r)
		return busy()
	}
	in.mu.RLock()
	defer in.mu.RUnlock()
	if in.stopping {
		in.release(r)
		return unavailable(shuttingDown)
	}
	select {
	case in.queue <- r:
		return nil
	default:
		in.release(r)
		return busy()
	}
}

// Done is closed when Run has returned.
func (in *Intake) Done() <-chan struct{} { return in.stopped }

// Position is the sequence the decision state speaks as of.
func (in *Intake) Position() uint64 { return in.writer.position.Load() }

// Err is why the intake has stopped deciding, nil while it decides.
func (in *Intake) Err() error {
	if err := in.writer.stopped.Load(); err != nil {
		return *err
	}
	return nil
}

// InboxErr is why the inbox, or what was rejected of it, cannot be read, nil while
// both can.
func (in *Intake) InboxErr() error {
	if err := in.unread.Load(); err != nil {
		return *err
	}
	return nil
}

// Count adds to shiplog_submissions_total what became of submissions that came
// in by a way: "http", "nats" or "inbox".
func (in *Intake) Count(via string, receipts ...Receipt) {
	in.metrics.count(via, receipts...)
}
