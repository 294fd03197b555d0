package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"shiplog/events"
)

// State is what a runner is doing.
type State string

// The states of a runner.
const (
	StateStarting   State = "starting"
	StateCatchingUp State = "catching_up"
	StateLive       State = "live"
	StateStopped    State = "stopped"
)

// States are all states.
func States() []State { return []State{StateStarting, StateCatchingUp, StateLive, StateStopped} }

// ErrStopped is the error of [Runner.WaitFor] while the projection is stopped;
// what stopped it is wrapped beside it.
var ErrStopped = errors.New("the projection is stopped")

// Status is what a runner tells about itself.
type Status struct {
	Name      string
	State     State
	Position  uint64
	Err       error     // why it stopped; nil otherwise
	Heartbeat time.Time // when the runner was last seen working or waiting
	Applied   time.Time // when an event was last applied; zero before any
	Recorded  time.Time // when the last event applied was recorded; zero when not known
	LiveSince time.Time // when it first caught up; zero before
	LiveFrom  uint64    // its position then
}

// Status is the current status.
func (r *Runner) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// change alters the status and wakes who waits for that.
func (r *Runner) change(fn func(*Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Heartbeat = r.o.Now()
	fn(&r.status)
	close(r.moved)
	r.moved = make(chan struct{})
}

func (r *Runner) beat() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Heartbeat = r.o.Now()
}

// begun notes where a session begins. One that looks whether what stopped the
// runner is still there shows once it has found that it is not.
func (r *Runner) begun(position, head uint64) {
	r.change(func(s *Status) {
		if s.Position != position || head <= position {
			r.since = time.Time{}
		}
		s.Position = position
		if s.State != StateStopped {
			s.State = StateCatchingUp
		}
		r.head, r.next = head, time.Time{}
		r.know(head)
	})
}

func (r *Runner) setLive() {
	counted := uint64(0)
	if c, ok := r.p.(verdictCounter); ok {
		counted = c.VerdictChanges()
	}
	r.change(func(s *Status) {
		s.State, s.Err = StateLive, nil
		if s.LiveSince.IsZero() {
			s.LiveSince, s.LiveFrom = r.o.Now(), s.Position
			r.verdicts = counted
		}
	})
	if r.inner {
		return // whoever builds it tells, once
	}
	r.o.Log.Info("projection caught up", slog.String("projection", r.p.Name()), slog.Uint64("position", r.chain.seq))
}

// stopped notes why the runner stopped, once for each reason.
func (r *Runner) stopped(err error) {
	position, _ := r.p.Position()
	was := r.Status()
	again := was.State == StateStopped && was.Position == position
	switch {
	case again && was.Err.Error() == err.Error():
		r.beat()
		return
	case again && WaitsForRoom(was.Err) && WaitsForRoom(err): // the figures in it change all the time
		r.change(func(s *Status) { s.Err = err })
		r.beat()
		return
	}
	if m := r.o.Metrics; m != nil && r.o.CountsLedger && eventsMissing(err) {
		m.gaps.Inc()
	}
	r.change(func(s *Status) { s.State, s.Position, s.Err = StateStopped, position, err })
	told := r.o.Log.With(slog.String("projection", r.p.Name()), slog.Uint64("position", position), slog.Any("error", err))
	if r.inner { // what it is to replace goes on as it was
		told.Error("projection's replacement, which is being built, stopped")
		return
	}
	told.Error("projection stopped")
}

// eventsMissing tells whether an error says that the ledger has lost events.
func eventsMissing(err error) bool {
	var gap *GapError
	var history *HistoryError
	return errors.As(err, &gap) || errors.As(err, &history) && history.Missing
}

// applied publishes the position after a batch.
func (r *Runner) applied(batch []*events.Event, in *stage) {
	now := r.o.Now()
	if r.o.Metrics != nil {
		r.count(batch, now, in)
	}
	r.change(func(s *Status) {
		s.Position, s.Applied, s.Recorded = r.chain.seq, now, r.chain.recorded
		if s.State == StateStopped {
			s.State, s.Err = StateCatchingUp, nil
		}
		r.next, r.since = time.Time{}, time.Time{}
		r.know(r.chain.seq)
	})
}

// heard notes a sequence that exists.
func (r *Runner) heard(seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.know(seq)
}

// know is heard for who holds the lock.
func (r *Runner) know(seq uint64) {
	r.head = max(r.head, seq)
	if r.head > r.status.Position && r.since.IsZero() {
		r.since = r.o.Now()
	}
}

// waiting notes when the oldest event not yet applied was recorded.
func (r *Runner) waiting(recorded time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next = recorded
}

// WaitFor returns once the event at seq is applied. Before, it returns the error
// of the context when that ends, or [ErrStopped] with what stopped the
// projection.
func (r *Runner) WaitFor(ctx context.Context, seq uint64) error {
	return r.wait(ctx, func(s Status) bool { return s.Position >= seq })
}

// WaitLive returns once the projection has caught up with the ledger.
func (r *Runner) WaitLive(ctx context.Context) error {
	return r.wait(ctx, func(s Status) bool { return s.State == StateLive })
}

func (r *Runner) wait(ctx context.Context, done func(Status) bool) error {
	for {
		r.mu.Lock()
		status, moved := r.status, r.moved
		r.mu.Unlock()
		switch {
		case done(status):
			return nil
		case status.State == StateStopped:
			return fmt.Errorf("%w at event %d: %w", ErrStopped, status.Position, status.Err)
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// FullyBehind is the age of an event that nobody knows.
const FullyBehind = time.Duration(math.MaxInt64)

// Lag is how many events are not applied, and how long ago the oldest of them
// was recorded: 0 when caught up. It asks the ledger. While that is not to be
// found out, or the ledger is not the one that was applied, it is [FullyBehind].
func (r *Runner) Lag(ctx context.Context) (uint64, time.Duration) {
	head, err := r.o.Head(ctx)
	r.mu.Lock()
	if err == nil {
		r.know(head)
	}
	status, behind, next, since := r.status, r.head-min(r.head, r.status.Position), r.next, r.since
	r.mu.Unlock()
	if status.Err != nil && kindOfStop(status.Err) == stopHistory {
		return behind, FullyBehind
	}
	if behind == 0 && err == nil {
		return 0, 0
	}
	if next.IsZero() {
		next = r.recordedTime(ctx, status.Position+1)
	}
	if next.IsZero() {
		return behind, FullyBehind
	}
	// It was recorded before it was known here, whatever the clocks say: this one may
	// have been set back since, or the one it was recorded by be ahead.
	return behind, max(r.o.Now().Sub(next), r.o.Now().Sub(since))
}

// recordedTime is when an event was recorded, zero when that cannot be read.
func (r *Runner) recordedTime(ctx context.Context, seq uint64) time.Time {
	raw, err := r.o.Get(ctx, seq)
	if err != nil {
		return time.Time{}
	}
	e, _ := events.Decode(seq, raw) // of an unknown type, too, the time is known
	if e == nil {
		return time.Time{}
	}
	return e.RecordedTime
}
