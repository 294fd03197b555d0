package intake

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"shiplog/events/decisions"
	"shiplog/events/ledger"
)

// writer decides and commits. All but its atomics belong to one goroutine.
type writer struct {
	ledger  *ledger.Ledger
	store   *decisions.Store
	opts    Options
	metrics *metrics

	behind bool      // the store may be behind the ledger: catch up first
	next   time.Time // no attempt to catch up before this, after one failed
	pace   pace

	position atomic.Uint64
	stopped  atomic.Pointer[error]
}

func newWriter(l *ledger.Ledger, store *decisions.Store, opts Options, m *metrics) *writer {
	w := &writer{ledger: l, store: store, opts: opts, metrics: m, behind: true, pace: newPace()}
	w.position.Store(store.Head().Seq)
	return w
}

// idle keeps the state near the head while nothing is submitted, so that the
// next submission need not wait for a long catch up.
func (w *writer) idle(ctx context.Context) {
	if w.behind || w.opts.Shared {
		w.behind = true
		_ = w.ready(ctx) // kept in w.stopped
	}
}

// record answers every entry, after as many commits as it takes. When the
// context ends, what is not yet in a commit is not recorded; a commit that has
// begun is seen through, so that what was stored is also said to be.
//
// Before each commit more adds what has come meanwhile: the next commit takes
// all of it.
func (w *writer) record(ctx context.Context, entries []entry, more func([]entry) []entry) {
	wait := newPause()
	for len(entries) > 0 {
		entries = more(entries)
		g, err := w.decide(ctx, entries)
		if err != nil {
			w.fail(entries, err)
			return
		}
		switch err := w.commit(context.WithoutCancel(ctx), g); {
		case err == nil:
			entries = entries[len(g.entries):]
			wait = newPause()
		case errors.Is(err, ledger.ErrWrongHead):
			w.metrics.conflicts.Inc()
			w.behind = true
			g.forget()
			wait.sleep(ctx)
		default:
			w.behind = true
			g.forget()
			w.fail(g.entries, err)
			entries = entries[len(g.entries):]
		}
	}
}

// decide makes the next group of the entries, against the head.
//
// A commit holds a group to the head it was decided against. A group that
// records nothing has no commit: another node may have recorded just what was
// missing. So the head is asked for, and what was decided against an older one
// is decided once more: against a head that was the ledger's when the entries
// were here already, which is as good as a commit.
func (w *writer) decide(ctx context.Context, entries []entry) (*group, error) {
	for asked := false; ; asked = true {
		if err := w.ready(ctx); err != nil {
			return nil, err
		}
		g, err := w.group(entries)
		if err != nil {
			w.behind = true
			return nil, err
		}
		if !w.opts.Shared || asked || len(g.messages) > 0 {
			return g, nil
		}
		head, err := w.ledger.Head(ctx)
		if err != nil {
			return nil, err
		}
		if head == g.base.Seq {
			return g, nil
		}
		w.behind = true
		g.forget()
	}
}

// group decides as many entries as one commit takes: only up to the first event
// where few entries wait (see [pace]), unless that one comes with others.
func (w *writer) group(entries []entry) (*group, error) {
	g := newGroup(w.store, w.opts.Now())
	apart := w.pace.apart(len(entries))
	for _, e := range entries {
		fits, err := g.add(e)
		if err != nil {
			return nil, err
		}
		if !fits || apart && len(g.messages) == 1 {
			break
		}
	}
	return g, nil
}

// commit appends the group's messages, folds its layer down and answers.
func (w *writer) commit(ctx context.Context, g *group) error {
	if len(g.messages) > 0 {
		start := time.Now()
		if err := w.append(ctx, g); err != nil {
			return err
		}
		took := time.Since(start)
		w.pace.observe(len(g.messages), took)
		w.metrics.duration.Observe(took.Seconds())
		w.metrics.batchSize.Observe(float64(len(g.messages)))
		if err := w.store.Commit(g.layer); err != nil {
			w.behind = true // recorded all the same: fold it again from the ledger
		}
		w.position.Store(g.layer.Head().Seq)
		if w.opts.Committed != nil {
			w.opts.Committed(g.layer.Head().Seq)
		}
	}
	for i, e := range g.entries {
		e.answer(g.receipts[i])
	}
	return nil
}

// append publishes the group until its outcome is known.
func (w *writer) append(ctx context.Context, g *group) error {
	ctx, cancel := context.WithTimeout(ctx, w.opts.Patience)
	defer cancel()
	wait := newPause()
	for first := true; ; first = false {
		err := w.attempt(ctx, g)
		if err == nil || first && known(err) {
			return err
		}
		// From here on the batch may have been stored by an attempt whose answer
		// was lost: a head that moved may have been moved by this very batch.
		found, errLook := w.look(ctx, g)
		switch {
		case errLook == nil && found == stored:
			return nil
		case errLook == nil && found == overtaken:
			return ledger.ErrWrongHead
		case errLook == nil && errors.Is(err, ledger.ErrFull):
			return err
		case ctx.Err() != nil:
			return fmt.Errorf("%w within %s: %w", ledger.ErrUnknown, w.opts.Patience, err)
		}
		wait.sleep(ctx)
	}
}

// known reports whether an attempt certainly stored nothing.
func known(err error) bool {
	return errors.Is(err, ledger.ErrFull) || errors.Is(err, ledger.ErrWrongHead)
}

// attempt publishes the group once. It gives up well before the patience ends:
// when only the answer was lost, there is time to find out.
func (w *writer) attempt(ctx context.Context, g *group) error {
	ctx, cancel := context.WithTimeout(ctx, w.opts.Patience/3)
	defer cancel()
	_, err := w.ledger.Append(ctx, g.base.Seq, g.messages)
	return err
}

func (w *writer) fail(entries []entry, err error) {
	reason := reason(err)
	for _, e := range entries {
		e.fail(reason)
	}
}

// reason says an error to a publisher.
func reason(err error) string {
	switch {
	case errors.Is(err, ledger.ErrFull):
		return "the ledger is full: its stream has reached max bytes or the disk has no room; the operator has to make room"
	case errors.Is(err, ledger.ErrUnknown), errors.Is(err, context.DeadlineExceeded):
		return "the ledger gave no answer in time; send again, an event is recorded once however often it is sent"
	case errors.Is(err, context.Canceled):
		return shuttingDown
	}
	return "the intake has stopped: " + err.Error()
}

const shuttingDown = "the server is shutting down; send again"

// pause grows with each wait and is random, so that nodes that collide once do
// not collide again.
type pause struct{ most time.Duration }

func newPause() *pause { return &pause{most: 2 * time.Millisecond} }

func (p *pause) sleep(ctx context.Context) {
	select {
	case <-time.After(rand.N(p.most) + time.Millisecond/2):
	case <-ctx.Done():
	}
	p.most = min(2*p.most, 250*time.Millisecond)
}
