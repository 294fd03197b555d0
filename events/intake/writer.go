package intake

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/events/decisions"
	"shiplog/events/ledger"
	"shiplog/events/redact"
)

// writer decides and commits. All but its atomics belong to one goroutine.
type writer struct {
	ledger  *ledger.Ledger
	store   *decisions.Store
	folder  *folder
	refold  func(context.Context) error // begins to fold anew beside the store
	opts    Options
	metrics *metrics

	behind bool      // the store may be behind the ledger: catch up first
	next   time.Time // no attempt to catch up before this, after one failed
	mute   bool      // the ledger gave no answer the last time
	pace   pace
	spare  *decide.State // a layer to be used again
	turn   *turn         // with other nodes; nil where there are none

	position atomic.Uint64
	stopped  atomic.Pointer[error]
}

func newWriter(l *ledger.Ledger, store *decisions.Store, opts Options, m *metrics) *writer {
	w := &writer{ledger: l, store: store, opts: opts, metrics: m, behind: true, pace: newPace()}
	if opts.Shared {
		w.turn = newTurn(l.Conn())
	}
	w.position.Store(store.Head().Seq)
	w.folder = newFolder(l, store, w.position.Store)
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
// Each commit takes what has come from the source meanwhile. While one is stored
// the next is decided, on top of it (see [writer.ahead]); if it is not stored
// after all, that was in vain.
func (w *writer) record(ctx context.Context, entries []entry, from source) {
	wait, lost := newPause(), 0
	var ahead *group
	for rounds := 0; ahead != nil || len(entries) > 0; rounds++ {
		if rounds == mostRounds {
			from = source{}
		}
		if lost == 0 {
			w.turn.yield(ctx)
			ahead, entries = w.gather(ctx, from, ahead, entries)
		}
		g := ahead
		ahead = nil
		if g == nil {
			var err error
			entries = from.collect(entries)
			if g, err = w.decide(ctx, entries); err != nil {
				w.fail(entries, err)
				return
			}
			entries = entries[len(g.entries):]
		}
		err := w.commit(context.WithoutCancel(ctx), g, func(come *request) <-chan *request {
			if come != nil {
				entries = from.unpack(entries, come)
			}
			ahead, entries = w.ahead(ctx, ahead, g.layer, from.collect(entries))
			if len(entries) >= events.MaxBatch {
				return nil
			}
			return from.queue
		})
		switch {
		case ahead == nil:
		case err != nil || w.behind || len(ahead.messages) == 0:
			entries = append(ahead.drop(), entries...)
			ahead = nil
		default:
			ahead.layer.Rebase(w.store)
		}
		switch {
		case err == nil:
			wait, lost = newPause(), 0
			entries = from.collect(entries)
			w.pace.met(g.callers(), ahead.callers()+callers(entries))
			w.recycle(g)
		case errors.Is(err, ledger.ErrWrongHead):
			if lost++; lost >= turnAfter {
				w.turn.ask()
				wait = newPause()
			}
			w.metrics.conflict()
			w.behind = true
			entries = append(g.drop(), entries...)
			wait.sleep(ctx)
		default:
			w.behind = true
			w.mute = errors.Is(err, ledger.ErrUnknown)
			w.fail(g.drop(), err)
		}
	}
}

// mostRounds is how many commits take what comes meanwhile before the writer
// looks at what else it has to do.
const mostRounds = 64

// ahead decides the next group before it can be committed: while another is being
// stored, as if it were, or while more are waited for. It begins one on the base, if
// there is one, where enough entries wait for a batch to be worth its price, and adds
// to one that is begun; it returns the entries that are in none.
func (w *writer) ahead(ctx context.Context, g *group, base decide.Base, entries []entry) (*group, []entry) {
	switch {
	case ctx.Err() != nil || g.complete():
		return g, entries
	case g == nil && (base == nil || len(entries) < w.pace.worthwhile()):
		return nil, entries
	case g == nil:
		g = groupOn(w.layer(base, len(entries)), w.opts.Now())
	}
	for i, e := range entries {
		fits, err := g.add(e)
		if err != nil {
			return nil, append(g.drop(), entries[i:]...) // who decides them next says why
		}
		if !fits {
			return g, entries[i:]
		}
	}
	return g, nil
}

// layer is an empty layer over a base: for many entries one that was in use
// before, if there is one.
func (w *writer) layer(base decide.Base, entries int) *decide.State {
	if w.spare == nil || entries <= smallBatch {
		return decide.New(base)
	}
	layer := w.spare
	w.spare = nil
	layer.Reset(base)
	return layer
}

// recycle takes back the layer of a group that is committed. Nothing lies on it
// any more.
func (w *writer) recycle(g *group) {
	if len(g.messages) > smallBatch && !g.lent {
		w.spare = g.layer
	}
}

// drop gives the entries of a group back that is not committed.
func (g *group) drop() []entry {
	if g == nil {
		return nil
	}
	g.forget()
	return slices.Clip(g.entries)
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
		head, err := w.ask(ctx, w.ledger.AgreedHead)
		if err == nil && head == g.base.Seq {
			return g, nil
		}
		w.behind = true
		g.forget()
		if err != nil {
			return nil, err
		}
	}
}

// ask asks for a head until there is an answer. Where a server that led is gone none
// comes until there is another, which answers only what it is asked then, and who
// leads since now does not know yet who follows. Where there was none the last time,
// it asks once: those who submitted since then have waited.
func (w *writer) ask(ctx context.Context, head func(context.Context) (uint64, error)) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, w.opts.Patience)
	defer cancel()
	for wait := newPause(); ; wait.sleep(ctx) {
		seq, err := w.once(ctx, head)
		again := errors.Is(err, ledger.ErrUnknown) || errors.Is(err, context.DeadlineExceeded)
		if !again || w.mute || ctx.Err() != nil {
			w.mute = again
			return seq, err
		}
	}
}

func (w *writer) once(ctx context.Context, head func(context.Context) (uint64, error)) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, w.opts.Patience/asks)
	defer cancel()
	return head(ctx)
}

// asks is how many questions that are not answered fit into the patience.
const asks = 5

// group decides as many entries as one commit takes: only up to the first event
// where few entries wait (see [pace]), unless that one comes with others.
func (w *writer) group(entries []entry) (*group, error) {
	g := groupOn(w.layer(w.store, len(entries)), w.opts.Now())
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
// Meanwhile, it calls meanwhile, see [writer.appending].
func (w *writer) commit(ctx context.Context, g *group, meanwhile func(*request) <-chan *request) error {
	if len(g.messages) > 0 {
		if err := w.room(); err != nil {
			return err
		}
		stage := w.stage(ctx, g)
		g.remember(w.opts.Memo)
		took, err := w.appending(ctx, g, meanwhile)
		stage.End(err)
		if err != nil {
			return err
		}
		if err := w.sound(w.opts.Intact); err != nil {
			return err
		}
		w.pace.observe(len(g.messages), took)
		w.metrics.committed(len(g.messages), took, stage.Context())
		if err := w.store.Commit(g.layer); err != nil {
			w.behind = true // recorded all the same: fold it again from the ledger
		}
		w.position.Store(g.layer.Head().Seq)
	} else if err := w.sound(w.opts.Fault); err != nil {
		return err // a duplicate of what may be lost
	}
	for i, e := range g.entries {
		e.answer(g.receipts[i])
	}
	return nil
}

// appending appends the group in the background and waits. It calls meanwhile at
// once, and again with each request that comes on the channel which that
// returned last. It tells how long the append itself took.
func (w *writer) appending(ctx context.Context, g *group, meanwhile func(*request) <-chan *request) (took time.Duration, err error) {
	done := make(chan error, 1)
	go func() {
		start := time.Now()
		err := w.append(ctx, g)
		took = time.Since(start)
		done <- err
	}()
	for queue := meanwhile(nil); ; {
		select {
		case err = <-done:
			return took, err
		case r := <-queue:
			queue = meanwhile(r)
		}
	}
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
			return w.sound(w.opts.Fault)
		case errLook == nil && found == overtaken:
			return ledger.ErrWrongHead
		case errLook == nil && refused(err):
			return err
		case ctx.Err() != nil:
			return fmt.Errorf("%w within %s: %w", ledger.ErrUnknown, w.opts.Patience, err)
		}
		wait.sleep(ctx)
	}
}

// room asks whether the disk may take more.
func (w *writer) room() error {
	if w.opts.Room == nil {
		return nil
	}
	if err := w.opts.Room(); err != nil {
		return fmt.Errorf("%w: %w", ledger.ErrFull, err)
	}
	return nil
}

// sound asks whether the ledger is on disk as it says. Where it is not, what it
// has acknowledged, or shows, may be gone when it is opened again.
func (w *writer) sound(ask func() error) error {
	if ask == nil {
		return nil
	}
	if err := ask(); err != nil {
		return fmt.Errorf("%w: %w", ledger.ErrUnknown, err)
	}
	return nil
}

// known reports whether an attempt certainly stored nothing.
func known(err error) bool {
	return refused(err) || errors.Is(err, ledger.ErrWrongHead)
}

// refused reports whether an attempt stored nothing for want of room or of a disk that
// answers, of which another attempt would meet as much.
func refused(err error) bool {
	return errors.Is(err, ledger.ErrFull) || errors.Is(err, ledger.ErrHangs)
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
	reason := Reason(err)
	for _, e := range entries {
		e.fail(reason)
	}
}

// Reason says to a publisher why nothing was recorded.
func Reason(err error) string {
	switch {
	case errors.Is(err, ledger.ErrHangs):
		return "the disk of the ledger gives no answer; send again, an event is recorded once however often it is sent"
	case errors.Is(err, ledger.ErrUnknown), errors.Is(err, context.DeadlineExceeded):
		return "the ledger gave no answer in time; send again, an event is recorded once however often it is sent"
	case errors.Is(err, context.Canceled):
		return shuttingDown
	case ledger.Unreachable(err):
		return "the NATS server that holds the ledger cannot be reached now; send again, an event is recorded once however often it is sent"
	case errors.Is(err, ledger.ErrFull): // last: where a batch is to be completed first, no answer means that it was not
		return "the ledger is full: its stream has reached max bytes or the disk has no room; the operator has to make room; send again then, an event is recorded once however often it is sent"
	}
	return "the intake has stopped: " + redact.Paths(err.Error())
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
