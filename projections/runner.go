package projections

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"shiplog/events"
	"shiplog/events/tracing"
)

// RunnerOptions say where the events come from.
type RunnerOptions struct {
	// Follow hands over the events from a sequence on, in order and for ever
	// (events/ledger has it). The bytes are the runner's to keep, the slice is
	// not.
	Follow func(ctx context.Context, from uint64, fn func(batch []Entry) error) error
	// Decode reads an event as it is stored; nil is [events.Decode].
	Decode func(seq uint64, stored []byte) (*events.Event, error)
	// Head is the sequence of the last event of the ledger.
	Head func(ctx context.Context) (uint64, error)
	// Get is the stored bytes of one event.
	Get func(ctx context.Context, seq uint64) ([]byte, error)
	// Skips finds which events are to be passed over: the targets of all
	// event.skipped events recorded after a sequence. Nil means to read the
	// ledger for them, which is done only when something cannot be applied.
	Skips func(ctx context.Context, after uint64) ([]uint64, error)

	// Room tells why the disk has no room for another projection beside this one.
	// It is asked before the runner builds one by itself, which it does as soon as
	// there is; not by [Runner.Rebuild]. Nil means that there is always room.
	Room func() error

	// Metrics may be nil. CountsLedger has this runner count the events of the
	// ledger, too: exactly one runner of a process does.
	Metrics      *Metrics
	CountsLedger bool
	// Tracer makes a span of each batch that holds events of a trace; nil makes
	// none.
	Tracer *tracing.Tracer
	Log    *slog.Logger     // nil means none
	Now    func() time.Time // nil means the clock
	// Batch is how many events a transaction applies at most while catching up;
	// 0 means 10,000.
	Batch int
	// Retry is how long a stopped runner waits before it looks whether it, or the
	// ledger, was mended; 0 means 10 s.
	Retry time.Duration
}

func (o *RunnerOptions) defaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Decode == nil {
		o.Decode = events.Decode
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Batch <= 0 {
		o.Batch = 10_000
	}
	if o.Retry <= 0 {
		o.Retry = 10 * time.Second
	}
}

// Runner feeds a projection from the ledger and tells how far it is.
//
// It checks that every event follows the one before, in number and in chain,
// and stops where one does not: it never applies what comes after a gap. It
// stops, too, before an event that cannot be applied. A stopped runner waits:
// readers keep the last good state. It goes on by itself once an operator's skip
// of that event is in the ledger, or a ledger that was restored follows again; it
// stays stopped until then, however often it looks. What is damaged, as those who
// read it may find ([Model.Damage]), it builds anew.
type Runner struct {
	p Projection
	o RunnerOptions

	poke        chan struct{}   // look again whether it was mended
	switches    chan switchOver // a replacement is ready
	meetings    chan *meeting   // a replacement is to be compared
	meeting     *meeting        // that is waited for
	rebuilds    sync.WaitGroup  // rebuilds this runner has begun itself
	rebuilding  atomic.Bool
	blocked     atomic.Pointer[EventError] // at which such a rebuild failed
	replacement atomic.Pointer[Runner]     // that is being built
	comparing   atomic.Bool
	inner       bool            // it builds a replacement
	skips       map[uint64]bool // events to pass over
	scanned     uint64          // how far the ledger was read for skips
	target      uint64          // the head that ends catching up
	chain       link            // the last event met
	verdicts    uint64          // changes of verdicts counted so far
	began       time.Time       // when the last transaction began
	pace        float64         // events a second, of that one and the time since the one before

	mu     sync.Mutex
	status Status
	head   uint64        // newest sequence heard of
	next   time.Time     // when the oldest event not applied was recorded; zero when not known
	since  time.Time     // from when on it was known to be there; zero when there is none
	moved  chan struct{} // closed when the status changes
}

// link is the last event of the chain.
type link struct {
	seq      uint64
	leaf     events.Hash
	recorded time.Time
	unknown  bool // it could not be decoded, so its leaf is what the next one says
}

// NewRunner makes a runner. It does nothing before Run.
func NewRunner(p Projection, o RunnerOptions) *Runner {
	o.defaults()
	r := &Runner{
		p: p, o: o,
		poke:     make(chan struct{}, 1),
		switches: make(chan switchOver),
		meetings: make(chan *meeting),
		skips:    make(map[uint64]bool),
		moved:    make(chan struct{}),
	}
	seq, _ := p.Position()
	r.status = Status{Name: p.Name(), State: StateStarting, Position: seq, Heartbeat: o.Now()}
	if o.Metrics != nil {
		o.Metrics.watch(r)
	}
	return r
}

// Run feeds the projection until the context ends; then it returns nil. All
// goroutines have ended when it returns. Whatever goes wrong is told by
// [Runner.Status], not returned: the process is to live on.
func (r *Runner) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer r.rebuilds.Wait()
	defer cancel()
	defer r.missed()
	for pause := firstPause; ; {
		before, _ := r.p.Position()
		err := r.renew(ctx)
		if err == nil {
			err = r.session(ctx)
		}
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, errSwitched) {
			continue
		}
		if now, _ := r.p.Position(); now != before {
			pause = firstPause
		}
		r.stopped(err)
		if !r.waitMended(ctx, err, pause) {
			return nil
		}
		pause = min(2*pause, lastPause)
	}
}

// Pauses before a fault of the machine, such as a full disk, is tried again.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// errSwitched ends a session: another projection is in place.
var errSwitched = errors.New("switched")

// errEnded is why a session ends whose reader gave up without a reason.
var errEnded = errors.New("reading the ledger ended")

// session applies events from the position on until something is wrong.
func (r *Runner) session(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	pipe := r.openPipe(ctx, r.chain.seq+1)
	defer pipe.wait()
	defer cancel()
	if err := r.reached(ctx); err != nil {
		return err
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case chunk, ok := <-pipe.chunks:
			if !ok {
				return cmp.Or(pipe.err, errEnded)
			}
			if err := r.advance(ctx, pipe, chunk); err != nil {
				return err
			}
		case m := <-r.meetings:
			if err := r.meet(ctx, m); err != nil {
				return err
			}
		case s := <-r.switches:
			if err := r.switchTo(ctx, s); err != nil {
				return err
			}
		case <-beat.C:
			r.beat()
			if err := r.damage(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

const beatEvery = time.Second

// begin checks that the ledger is the one the projection was built from.
func (r *Runner) begin(ctx context.Context) error {
	seq, leaf := r.p.Position()
	head, err := r.o.Head(ctx)
	if err != nil {
		return fmt.Errorf("head of the ledger: %w", err)
	}
	r.chain = link{seq: seq, leaf: leaf, unknown: leaf == events.Hash{} && seq > 0}
	r.target = head
	r.begun(seq, head)
	if err := reaches(head, seq); err != nil {
		return err
	}
	if seq > 0 {
		return r.checkCheckpoint(ctx)
	}
	if r.o.Skips != nil {
		return r.findSkips(ctx, 0)
	}
	return nil
}

// reaches is a [HistoryError] where the ledger ends before an event that was applied.
func reaches(head, seq uint64) error {
	if head < seq {
		return &HistoryError{Seq: seq, Cause: fmt.Sprintf("the ledger ends with event %d", head), Missing: true}
	}
	return nil
}

func (r *Runner) checkCheckpoint(ctx context.Context) error {
	raw, err := r.o.Get(ctx, r.chain.seq)
	if err != nil {
		return fmt.Errorf("read event %d, the last one applied: %w", r.chain.seq, err)
	}
	e, err := events.Decode(r.chain.seq, raw)
	if e == nil || e.Leaf == (events.Hash{}) {
		if r.chain.unknown {
			return nil
		}
		return &HistoryError{Seq: r.chain.seq, Cause: fmt.Sprintf("it cannot be read: %v", err)}
	}
	r.chain.recorded = e.RecordedTime
	if !r.chain.unknown && e.Leaf != r.chain.leaf {
		return &HistoryError{Seq: r.chain.seq, Cause: fmt.Sprintf("it has the leaf %s, not %s", e.Leaf, r.chain.leaf)}
	}
	return nil
}

// reached looks whether the runner has caught up.
func (r *Runner) reached(ctx context.Context) error {
	if r.chain.seq < r.target || r.Status().State == StateLive {
		return nil
	}
	head, err := r.o.Head(ctx)
	if err != nil {
		return fmt.Errorf("head of the ledger: %w", err)
	}
	r.target = max(head, r.chain.seq)
	if r.chain.seq < r.target {
		return nil
	}
	if p, ok := r.p.(Replacement); ok {
		if err := p.Loaded(); err != nil {
			return err
		}
	}
	r.setLive()
	return nil
}
