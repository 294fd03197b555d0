package projections_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"shiplog/events"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// runs is a runner under test with what it runs on.
type runs struct {
	*projections.Runner
	m   *projections.Model
	reg *prometheus.Registry
}

func options(l *kit.Ledger) projections.RunnerOptions {
	return projections.RunnerOptions{Follow: l.Follow, Head: l.Head, Get: l.Get, Retry: 5 * time.Millisecond, CountsLedger: true}
}

// run runs a model on a ledger until the test ends.
func run(t *testing.T, p projections.Projection, o projections.RunnerOptions) *runs {
	t.Helper()
	r := &runs{reg: prometheus.NewRegistry()}
	r.m, _ = p.(*projections.Model)
	o.Metrics = projections.NewMetrics(r.reg)
	r.Runner = projections.NewRunner(p, o)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		wg.Wait()
		if r.m == nil {
			return
		}
		if err := r.m.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func model(t *testing.T) *projections.Model {
	t.Helper()
	return must[*projections.Model](t)(projections.Open(t.TempDir(), projections.Options{}))
}

func waitFor(t *testing.T, r *runs, seq uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		err := r.WaitFor(ctx, seq)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("position %d, want %d: %v", r.Status().Position, seq, r.Status().Err)
		}
	}
}

// waitStopped waits until the runner is stopped and returns why.
func waitStopped(t *testing.T, r *runs) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err := r.WaitFor(ctx, 1<<60)
	if !errors.Is(err, projections.ErrStopped) {
		t.Fatalf("not stopped: %v", err)
	}
	return err
}

func TestRunnerFollows(t *testing.T) {
	l := panel(t)
	o := options(l)
	now := kit.Time(30)
	o.Now = func() time.Time { return now }
	r := run(t, model(t), o)
	waitFor(t, r, 20)
	if err := r.WaitLive(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.Append(kit.Match("grommet", "thimble"), kit.Review("thimble", "ann", events.Ship))
	waitFor(t, r, 22)
	status := r.Status()
	if status.State != projections.StateLive || status.LiveFrom != 20 || status.Recorded != kit.Time(22) {
		t.Errorf("status: %+v", status)
	}
	want := map[string]float64{
		"shiplog_ledger_gaps_total":                              0,
		"shiplog_matchups_opened_total":                          1,
		"shiplog_verdict_changes_total":                          0,
		"shiplog_projection_events_total panel":                  2,
		"shiplog_projection_lag_events panel":                    0,
		"shiplog_projection_lag_seconds panel":                   0,
		"shiplog_projection_position panel":                      22,
		"shiplog_projection_state panel catching_up":             0,
		"shiplog_projection_state panel live":                    1,
		"shiplog_projection_state panel starting":                0,
		"shiplog_projection_state panel stopped":                 0,
		"shiplog_ledger_events_total shiplog.matchup.opened.v1":  1,
		"shiplog_ledger_events_total shiplog.reviewer.seated.v1": 0,
	}
	got := values(t, r.reg)
	for name, value := range want {
		if v, ok := got[name]; !ok || v != value {
			t.Errorf("%s: %v, want %v", name, v, value)
		}
	}
}

// values are the counters and gauges by name and values of labels.
func values(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families := must[[]*dto.MetricFamily](t)(reg.Gather())
	all := make(map[string]float64)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			all[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return all
}

func TestRunnerGoesOnWhereItWas(t *testing.T) {
	l := panel(t)
	dir := t.TempDir()
	m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	if err := m.Apply(t.Context(), l.Events(t, 1, 11)); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	if seq, _ := m.Position(); seq != 11 {
		t.Fatalf("position %d, want 11", seq)
	}
	r := run(t, m, options(l))
	waitFor(t, r, 20)
	whole := kit.Model(t, l)
	if diff := cmp.Diff(text(t, whole), text(t, m)); diff != "" {
		t.Errorf("tables (-whole +two runs):\n%s", diff)
	}
}

func text(t *testing.T, m *projections.Model) string {
	t.Helper()
	s := must[*projections.Snapshot](t)(m.At(t.Context(), 0))
	var b bytes.Buffer
	if err := errors.Join(s.Dump(t.Context(), &b), s.Check(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRunnerStopsAtAGap(t *testing.T) {
	l := panel(t)
	o := options(l)
	o.Follow = func(ctx context.Context, from uint64, fn func([]projections.Entry) error) error {
		return l.Follow(ctx, from, func(batch []projections.Entry) error {
			return fn(slices.DeleteFunc(slices.Clone(batch), func(e projections.Entry) bool { return e.Seq == 10 }))
		})
	}
	r := run(t, model(t), o)
	err := waitStopped(t, r)
	var gap *projections.GapError
	if !errors.As(err, &gap) || gap.Want != 10 || gap.Got != 11 || r.Status().Position != 9 {
		t.Errorf("%v at %d", err, r.Status().Position)
	}
	if got := values(t, r.reg)["shiplog_ledger_gaps_total"]; got != 1 {
		t.Errorf("gaps: %v", got)
	}
	s := must[*projections.Snapshot](t)(r.m.At(t.Context(), 0))
	if s.Seq() != 9 {
		t.Errorf("readers see %d, want 9", s.Seq())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestRunnerStopsAtABrokenChain(t *testing.T) {
	l := panel(t)
	o := options(l)
	alter := func(e *projections.Entry) {
		if e.Seq == 10 {
			e.Raw = bytes.Replace(e.Raw, []byte(`"verdict":"ship"`), []byte(`"verdict":"skip"`), 1)
		}
	}
	o.Follow = func(ctx context.Context, from uint64, fn func([]projections.Entry) error) error {
		return l.Follow(ctx, from, func(batch []projections.Entry) error {
			batch = slices.Clone(batch)
			for i := range batch {
				alter(&batch[i])
			}
			return fn(batch)
		})
	}
	o.Get = func(ctx context.Context, seq uint64) ([]byte, error) {
		raw, err := l.Get(ctx, seq)
		e := projections.Entry{Seq: seq, Raw: raw}
		alter(&e)
		return e.Raw, err
	}
	r := run(t, model(t), o)
	err := waitStopped(t, r)
	var chain *projections.ChainError
	if !errors.As(err, &chain) || chain.Seq != 11 {
		t.Errorf("%v", err)
	}
}

func TestRunnerKnowsAnotherHistory(t *testing.T) {
	other := kit.Given(t, kit.Seat("zoe"))
	tests := []struct {
		name string
		l    *kit.Ledger
	}{
		{"behind", other},
		{"another leaf", kit.Given(t, kit.Seat("a"), kit.Seat("b"), kit.Seat("c"), kit.Seat("d"))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := model(t)
			if err := m.Apply(t.Context(), panel(t).Events(t, 1, 4)); err != nil {
				t.Fatal(err)
			}
			r := run(t, m, options(test.l))
			var history *projections.HistoryError
			if err := waitStopped(t, r); !errors.As(err, &history) || history.Seq != 4 {
				t.Errorf("%v", err)
			}
		})
	}
}

// unknown appends an event of a type that only a newer version knows.
func unknown(t *testing.T, l *kit.Ledger) uint64 {
	t.Helper()
	scratch := l.Append(&events.ToolRetired{Tool: "thimble"})
	raw := must[[]byte](t)(l.Get(t.Context(), scratch))
	l.Drop()
	raw = bytes.Replace(raw, []byte("shiplog.tool.retired.v1"), []byte("shiplog.tool.retired.v9"), 1)
	e, err := events.Decode(scratch, raw)
	if !errors.Is(err, events.ErrUnknownType) {
		t.Fatal(err)
	}
	return l.AppendRaw(raw, e.Leaf)
}

func TestRunnerStopsAtAnUnknownEventUntilItIsSkipped(t *testing.T) {
	l := panel(t)
	seq := unknown(t, l)
	l.Append(kit.Review("thimble", "ann", events.Ship))
	r := run(t, model(t), options(l))
	err := waitStopped(t, r)
	var bad *projections.EventError
	if !errors.As(err, &bad) || bad.Seq != seq || !errors.Is(err, events.ErrUnknownType) || r.Status().Position != seq-1 {
		t.Fatalf("%v at %d", err, r.Status().Position)
	}
	if behind, age := r.Lag(t.Context()); behind != 2 || age < time.Hour {
		t.Errorf("lag: %d events, %s", behind, age)
	}
	head := l.Append(&events.EventSkipped{Seq: int64(seq), Reason: "from a version taken back"})
	waitFor(t, r, head)
	s := must[*projections.Snapshot](t)(r.m.At(t.Context(), 0))
	skip := must[*projections.Skip](t)(s.Skipped(t.Context(), seq))
	if skip == nil || skip.Event.Seq != head {
		t.Errorf("skip: %+v", skip)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestRunnerStopsAtWhatCannotBeApplied(t *testing.T) {
	l := panel(t)
	seq := l.Append(kit.Review("never-registered", "ann", events.Ship))
	l.Append(kit.Review("thimble", "ann", events.Ship))
	r := run(t, model(t), options(l))
	var bad *projections.EventError
	if err := waitStopped(t, r); !errors.As(err, &bad) || bad.Seq != seq || r.Status().Position != seq-1 {
		t.Fatalf("%v at %d", err, r.Status().Position)
	}
	head := l.Append(&events.EventSkipped{Seq: int64(seq), Reason: "no such tool"})
	waitFor(t, r, head)
}

func TestRunnerRebuildsWhenWhatItAppliedIsSkipped(t *testing.T) {
	l := panel(t)
	r := run(t, model(t), options(l))
	waitFor(t, r, 20)
	head := l.Append(&events.EventSkipped{Seq: 19, Reason: "other nodes cannot apply it"})
	waitFor(t, r, head)
	s := must[*projections.Snapshot](t)(r.m.At(t.Context(), 0))
	tool := must[*projections.Tool](t)(s.Tool(t.Context(), "ferrule"))
	if tool.Verdict.Ships != 2 { // ben's withdrawal was passed over
		t.Errorf("ferrule: %+v", tool.Verdict)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestRunnerRebuildsWhileItIsRead(t *testing.T) {
	l := panel(t)
	r := run(t, model(t), options(l))
	waitFor(t, r, 20)
	s := must[*projections.Snapshot](t)(r.m.At(t.Context(), 0))
	path, before := r.m.Path(), text(t, r.m)
	done := make(chan error, 1)
	go func() {
		found, err := r.Rebuild(t.Context(), nil)
		if found.Seq != 20 || found.Different != 0 {
			t.Errorf("compared: %+v", found)
		}
		done <- err
	}()
	if _, err := s.Tool(t.Context(), "ferrule"); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if r.m.Path() == path {
		t.Error("the file is the old one")
	}
	if diff := cmp.Diff(before, text(t, r.m)); diff != "" {
		t.Errorf("tables (-before +after):\n%s", diff)
	}
	waitFor(t, r, l.Append(kit.Review("thimble", "ann", events.Ship)))
}

// panics is a projection that panics at one event.
type panics struct {
	seq, at uint64
	leaf    events.Hash
}

func (p *panics) Name() string                    { return "panics" }
func (p *panics) Position() (uint64, events.Hash) { return p.seq, p.leaf }
func (p *panics) Apply(_ context.Context, batch []*events.Event) error {
	for _, e := range batch {
		if e.Seq == p.at && e.Data != nil {
			panic("no")
		}
	}
	last := batch[len(batch)-1]
	p.seq, p.leaf = last.Seq, last.Leaf
	return nil
}

func TestRunnerOutlivesAPanic(t *testing.T) {
	l := panel(t)
	r := run(t, &panics{at: 7}, options(l))
	var bad *projections.EventError
	if err := waitStopped(t, r); !errors.As(err, &bad) || bad.Seq != 7 || r.Status().Position != 6 {
		t.Errorf("%v at %d", err, r.Status().Position)
	}
}

func TestRunnerTriesAFaultAgain(t *testing.T) {
	l := panel(t)
	var mu sync.Mutex
	broken := true
	o := options(l)
	o.Head = func(ctx context.Context) (uint64, error) {
		mu.Lock()
		defer mu.Unlock()
		if broken {
			return 0, errors.New("no connection")
		}
		return l.Head(ctx)
	}
	r := run(t, model(t), o)
	_ = waitStopped(t, r)
	if behind, age := r.Lag(t.Context()); age <= 0 {
		t.Errorf("lag is unknown, but reads %d events, %s", behind, age)
	}
	mu.Lock()
	broken = false
	mu.Unlock()
	r.Poke()
	waitFor(t, r, 20)
}

// A clock that is set back makes nothing that waits any younger than it is.
func TestRunnerLagIsNoneOfTheClock(t *testing.T) {
	l := panel(t)
	var ahead atomic.Int64
	o := options(l)
	o.Now = func() time.Time { return kit.Time(20).Add(time.Duration(ahead.Load())) }
	r := run(t, model(t), o)
	waitFor(t, r, 20)
	l.Clock = func(seq uint64) time.Time { return kit.Time(seq).Add(time.Hour) }
	unknown(t, l)
	_ = waitStopped(t, r)
	for _, known := range []time.Duration{time.Second, time.Minute} {
		ahead.Store(int64(known))
		if behind, age := r.Lag(t.Context()); behind != 1 || age != known {
			t.Errorf("an event that has been known for %s, recorded by a clock an hour ahead: %d behind, for %s", known, behind, age)
		}
	}
}
