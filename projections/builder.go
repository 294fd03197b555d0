package projections

import (
	"context"
	"math"
	"sync"

	"shiplog/events"
	"shiplog/events/audit"
)

// A builder runs a replacement: it fills it from the ledger, beside the runner of
// what it is to replace.
type builder struct {
	*Runner
	of    *Runner
	ctx   context.Context
	fresh Replacement

	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{} // nil when it does not run
}

func (r *Runner) newBuilder(ctx context.Context, fresh Replacement, known []uint64) *builder {
	b := &builder{Runner: r.replacing(fresh), of: r, ctx: ctx, fresh: fresh}
	for _, seq := range known {
		b.skips[seq] = true
	}
	return b
}

// replacing is a runner of a replacement. Nothing it does is counted.
func (r *Runner) replacing(fresh Replacement) *Runner {
	o := r.o
	o.Metrics, o.Tracer = nil, nil
	o.Decode = events.Decode // of what is stored, not of what this process remembers
	inner := NewRunner(fresh, o)
	inner.inner = true
	r.replacement.Store(inner)
	return inner
}

// sharedLists is how many lists of events fill a batch, however few events they
// are: each is at most about a MiB as stored.
const sharedLists = 20

// load applies what is read for others as well, as far as all is well with it.
// What is not, the runner meets again when it begins, and tells.
func (b *builder) load(ctx context.Context, shared <-chan []audit.Decoded) {
	b.target = math.MaxUint64 // whether it has caught up is found out then, too
	var batch []*events.Event
	lists, well := 0, true
	apply := func() {
		well = b.take(ctx, batch) == nil && well
		batch, lists = batch[:0], 0
	}
	for list := range shared {
		if !well {
			continue
		}
		for _, d := range list {
			if well = d.Err == nil; !well {
				break
			}
			batch = append(batch, d.Event)
		}
		if lists++; !well || len(batch) >= b.o.Batch || lists == sharedLists {
			apply()
		}
	}
	if well {
		apply()
	}
}

// begin has it run.
func (b *builder) begin() {
	ctx, cancel := context.WithCancel(b.ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cancel, b.done = cancel, make(chan struct{})
	go func(r *Runner, done chan struct{}) {
		defer close(done)
		_ = r.Run(ctx) // it ends with its context only
	}(b.Runner, b.done)
}

// reach waits until the replacement has come to an event, or its rebuild ends.
func (b *builder) reach(ctx context.Context, seq uint64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	return b.WaitFor(ctx, seq)
}

// rest ends it for a while; nothing is applied to the replacement.
func (b *builder) rest() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done == nil {
		return
	}
	b.cancel()
	<-b.done
	b.done = nil
}

// again has it run again after a rest.
func (b *builder) again() {
	b.rest()
	skips := b.skips
	b.Runner = b.of.replacing(b.fresh)
	b.skips = skips
	b.begin()
}

// end ends it for good.
func (b *builder) end() {
	b.rest()
	b.of.replacement.Store(nil)
}

// switchOver is a replacement that has caught up.
type switchOver struct {
	builder *builder
	result  chan error
}

// A meeting has a projection and its replacement stand at one event, for as long
// as it takes to begin to read both.
type meeting struct {
	builder *builder
	at      uint64   // where the replacement waits
	result  chan met // taken, unless the builder's context has ended
}

func (m *meeting) tell(came met) {
	select {
	case m.result <- came:
	case <-m.builder.ctx.Done():
		if came.compare != nil {
			_, _ = came.compare(m.builder.ctx) // it ends at once, and lets go of what it reads
		}
	}
}

// met is what came of a meeting.
type met struct {
	seq     uint64
	compare func(context.Context) (audit.Comparison, error) // nil where there was none
	err     error
}

// meet has the replacement wait until what it is to replace is as far.
func (r *Runner) meet(ctx context.Context, m *meeting) error {
	seq, _ := r.p.Position()
	if err := m.builder.reach(ctx, seq); err != nil {
		m.tell(met{err: err})
		return ctx.Err()
	}
	m.builder.rest()
	m.at, _ = m.builder.fresh.Position()
	r.meeting = m
	r.meetAt(ctx, seq)
	return nil
}

// meetAt begins the comparison once the runner is where the replacement waits.
func (r *Runner) meetAt(ctx context.Context, seq uint64) {
	m := r.meeting
	if m == nil || seq < m.at {
		return
	}
	r.meeting = nil
	compare, err := m.builder.fresh.Compare(ctx)
	m.tell(met{seq: m.at, compare: compare, err: err})
}

// missed gives up a meeting: a runner that is stopped comes no further.
func (r *Runner) missed() {
	if r.meeting != nil {
		r.meeting.tell(met{})
		r.meeting = nil
	}
}
