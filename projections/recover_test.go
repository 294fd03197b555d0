package projections_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/logtest"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// looked is a Follow that loses an event until it is restored, and tells when it
// was looked at again and again.
type looked struct {
	l        *kit.Ledger
	restored atomic.Bool
	looks    chan struct{}
}

func (f *looked) follow(ctx context.Context, from uint64, fn func([]projections.Entry) error) error {
	select {
	case f.looks <- struct{}{}:
	default:
	}
	return f.l.Follow(ctx, from, func(batch []projections.Entry) error {
		if at := int(10 - batch[0].Seq); !f.restored.Load() && at >= 0 && at < len(batch) {
			batch = append(batch[:at:at], batch[at+1:]...) // without event 10
		}
		return fn(batch)
	})
}

func TestRunnerGoesOnWithARestoredLedger(t *testing.T) {
	l := panel(t)
	f := &looked{l: l, looks: make(chan struct{})}
	log := new(logtest.Book)
	o := options(l)
	o.Follow, o.Log = f.follow, slog.New(slog.NewTextHandler(log, nil))
	r := run(t, model(t), o)
	for range 5 { // one session each, a while apart
		<-f.looks
	}
	status := r.Status()
	var gap *projections.GapError
	if status.State != projections.StateStopped || !errors.As(status.Err, &gap) || status.Position != 9 {
		t.Errorf("while it looks again: %+v", status)
	}
	if behind, age := r.Lag(t.Context()); behind != 11 || age != projections.FullyBehind {
		t.Errorf("lag: %d events, %s", behind, age)
	}
	if got := values(t, r.reg)["shiplog_ledger_gaps_total"]; got != 1 {
		t.Errorf("gaps: %v", got)
	}
	f.restored.Store(true)
	waitFor(t, r, 20)
	waitLive(t, r)
	if status := r.Status(); status.Err != nil {
		t.Errorf("after: %+v", status)
	}
	if behind, age := r.Lag(t.Context()); behind != 0 || age != 0 {
		t.Errorf("lag: %d events, %s", behind, age)
	}
	if n := strings.Count(log.String(), "projection stopped"); n != 1 {
		t.Errorf("it says %d times that it is stopped:\n%s", n, log.String())
	}
}

// waitUntil waits until the status is as wanted.
func waitUntil(t *testing.T, r *runs, done func(projections.Status) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for !done(r.Status()) {
		if ctx.Err() != nil {
			t.Fatalf("status: %+v", r.Status())
		}
		runtime.Gosched()
	}
}

// waitLive waits until a runner that was stopped has caught up.
func waitLive(t *testing.T, r *runs) {
	t.Helper()
	for {
		err := r.WaitLive(t.Context())
		if err == nil {
			return
		}
		if !errors.Is(err, projections.ErrStopped) {
			t.Fatal(err)
		}
	}
}

func TestRunnerGoesOnWithTheHistoryItKnows(t *testing.T) {
	whole := panel(t)
	m := model(t)
	if err := m.Apply(t.Context(), whole.Events(t, 1, 20)); err != nil {
		t.Fatal(err)
	}
	l := kit.Given(t) // restored from an older copy, it seems
	copyTo := func(to uint64) {
		head, _ := l.Head(t.Context())
		for seq := head + 1; seq <= to; seq++ {
			l.AppendRaw(must[[]byte](t)(whole.Get(t.Context(), seq)), whole.Events(t, seq, seq)[0].Leaf)
		}
	}
	copyTo(15)
	r := run(t, m, options(l))
	var history *projections.HistoryError
	if err := waitStopped(t, r); !errors.As(err, &history) || history.Seq != 20 {
		t.Fatalf("%v", err)
	}
	if _, age := r.Lag(t.Context()); age != projections.FullyBehind {
		t.Errorf("lag: %s", age)
	}
	copyTo(20)
	waitLive(t, r)
	waitFor(t, r, l.Append(kit.Review("thimble", "ann", events.Ship)))
}

// A registration that was applied is to be passed over, and what was said of its
// tool then cannot be applied: the runner says so, and each is passed over in its
// turn.
func TestRunnerRebuildsOnceItCan(t *testing.T) {
	l := panel(t)
	l.Append(kit.Tool("odd", ""))                                     // 21
	said := l.Append(kit.Review("odd", "ann", events.Ship))           // 22
	head := l.Append(&events.EventSkipped{Seq: 21, Reason: "a mend"}) // 23
	m := model(t)
	if err := m.Apply(t.Context(), l.Events(t, 1, 22)); err != nil {
		t.Fatal(err)
	}
	log := new(logtest.Book)
	o := options(l)
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	r := run(t, m, o)
	var bad *projections.EventError
	waitUntil(t, r, func(s projections.Status) bool { return errors.As(s.Err, &bad) })
	if status := r.Status(); bad.Seq != said || status.State != projections.StateStopped || status.Position != head-1 {
		t.Errorf("%+v", status)
	}
	stopped, inner := `msg="projection stopped"`, `msg="projection's replacement, which is being built, stopped"`
	if text := log.String(); strings.Count(text, stopped) != 1 || !strings.Contains(text, inner) {
		t.Errorf("the log does not tell which of the two stopped:\n%s", text)
	}
	s := must[*projections.Snapshot](t)(m.At(t.Context(), 0))
	if _, err := s.Tool(t.Context(), "odd"); err != nil {
		t.Errorf("readers keep what they had: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	head = l.Append(&events.EventSkipped{Seq: int64(said), Reason: "and what follows from it"})
	waitFor(t, r, head)
	waitLive(t, r)
	s = must[*projections.Snapshot](t)(m.At(t.Context(), 0))
	if _, err := s.Tool(t.Context(), "odd"); !errors.Is(err, projections.ErrNotFound) {
		t.Errorf("the tool is still there: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
