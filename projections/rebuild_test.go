package projections_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// TestLiveCaughtUpAndRebuiltAreEqual has random stories reach a model one by one
// while it is live and being rebuilt, and others all at once: every row is equal.
func TestLiveCaughtUpAndRebuiltAreEqual(t *testing.T) {
	stories := rapid.Custom(func(rt *rapid.T) *kit.Ledger { return story(rt, t) })
	for seed := range 10 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			whole := stories.Example(seed)
			head := must[uint64](t)(whole.Head(t.Context()))
			list := whole.Events(t, 1, head)
			growing := kit.Given(t)
			live := run(t, model(t), options(growing))
			waitLive(t, live)
			rebuilt := make(chan error, 1)
			for _, e := range list[1:] {
				growing.AppendRaw(must[[]byte](t)(whole.Get(t.Context(), e.Seq)), e.Leaf)
				if e.Seq == head/2+1 {
					go func() {
						found, err := live.Rebuild(context.WithoutCancel(t.Context()), nil)
						if err == nil && found.Different > 0 {
							err = errors.New(found.First)
						}
						rebuilt <- err
					}()
				}
			}
			waitFor(t, live, head)
			if err := <-rebuilt; err != nil {
				t.Errorf("rebuilt under way: %v", err)
			}
			caughtUp := run(t, model(t), options(whole))
			waitFor(t, caughtUp, head)
			if diff := cmp.Diff(text(t, caughtUp.m), text(t, live.m)); diff != "" {
				t.Errorf("tables (-caught up +live, rebuilt under way):\n%s", diff)
			}
			if _, err := live.Rebuild(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(text(t, caughtUp.m), text(t, live.m)); diff != "" {
				t.Errorf("tables (-caught up +rebuilt):\n%s", diff)
			}
		})
	}
}

// TestRebuildTakesWhatIsShared hands events over that were read for others as well:
// as far as they are good, they are not read again.
func TestRebuildTakesWhatIsShared(t *testing.T) {
	l := panel(t)
	head := must[uint64](t)(l.Head(t.Context()))
	decoded := func(from, to uint64) (list []audit.Decoded) {
		for _, e := range l.Events(t, from, to) {
			list = append(list, audit.Decoded{Seq: e.Seq, Raw: must[[]byte](t)(l.Get(t.Context(), e.Seq)), Event: e})
		}
		return list
	}
	unknown := func(list []audit.Decoded) []audit.Decoded {
		list[0].Event.Data = &events.ToolRetired{Tool: "never-registered"}
		return list
	}
	for _, tt := range []struct {
		name   string
		shared [][]audit.Decoded
		reads  uint64 // from where the ledger is read
	}{
		{"all", [][]audit.Decoded{decoded(1, 9), decoded(10, head)}, head + 1},
		{"some", [][]audit.Decoded{decoded(1, 5), decoded(6, 9)}, 10},
		{"none", nil, 1},
		{"one that cannot be read", [][]audit.Decoded{append(decoded(1, 6), audit.Decoded{Seq: 7, Err: io.ErrUnexpectedEOF}), decoded(8, head)}, 7},
		{"a gap", [][]audit.Decoded{decoded(1, 6), decoded(8, head)}, 7},
		{"one that cannot be applied", [][]audit.Decoded{decoded(1, 6), unknown(decoded(7, head))}, 1},
		{"not the first", [][]audit.Decoded{decoded(2, head)}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var reads []uint64
			var mu sync.Mutex
			o := options(l)
			o.Skips = func(context.Context, uint64) ([]uint64, error) { return nil, nil }
			o.Follow = func(ctx context.Context, from uint64, fn func([]projections.Entry) error) error {
				mu.Lock()
				reads = append(reads, from)
				mu.Unlock()
				return l.Follow(ctx, from, fn)
			}
			r := run(t, model(t), o)
			waitFor(t, r, head)
			before := text(t, r.m)
			shared := make(chan []audit.Decoded, len(tt.shared))
			for _, list := range tt.shared {
				shared <- list
			}
			close(shared)
			mu.Lock()
			reads = nil
			mu.Unlock()
			found, err := r.Rebuild(t.Context(), shared)
			if err != nil || found.Seq != head || found.Different != 0 {
				t.Fatalf("compared: %+v (%v)", found, err)
			}
			if diff := cmp.Diff(before, text(t, r.m)); diff != "" {
				t.Errorf("tables (-before +after):\n%s", diff)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(reads) == 0 || reads[0] != tt.reads {
				t.Errorf("read from %v, want %d", reads, tt.reads)
			}
		})
	}
}

// ignores is a projection that takes one type of event, and counts how often it
// was asked to apply one that it panics at.
type ignores struct {
	panics
	took, met int
}

func (p *ignores) Apply(ctx context.Context, batch []*events.Event) error {
	for _, e := range batch {
		if _, ok := e.Data.(*events.ToolRegistered); ok {
			p.took++
		}
		if e.Seq == p.at && e.Data != nil {
			p.met++
		}
	}
	return p.panics.Apply(ctx, batch)
}

// shorter makes a ledger that has lost its last events for who begins to read it,
// while lost says so.
func shorter(l *kit.Ledger, by uint64, lost *atomic.Bool) projections.RunnerOptions {
	o := options(l)
	o.Head = func(ctx context.Context) (uint64, error) {
		head, err := l.Head(ctx)
		if lost.Load() {
			head -= by
		}
		return head, err
	}
	o.Follow = func(ctx context.Context, from uint64, fn func([]projections.Entry) error) error {
		if !lost.Load() {
			return l.Follow(ctx, from, fn)
		}
		head, _ := l.Head(ctx)
		return l.Follow(ctx, from, func(batch []projections.Entry) error {
			return fn(slices.DeleteFunc(slices.Clone(batch), func(e projections.Entry) bool { return e.Seq > head-by }))
		})
	}
	return o
}

// Of a ledger that has lost its end nothing is built: it would never come as far.
func TestRebuildOfAShorterLedger(t *testing.T) {
	var lost atomic.Bool
	r := run(t, model(t), shorter(panel(t), 2, &lost))
	waitFor(t, r, 20)
	lost.Store(true)
	_, err := r.Rebuild(t.Context(), nil)
	var history *projections.HistoryError
	if !errors.As(err, &history) || history.Seq != 20 || !history.Missing {
		t.Errorf("rebuilt: %v", err)
	}
	if at, under := r.Rebuilding(); under {
		t.Errorf("a rebuild is under way, at event %d", at)
	}
}

// One that is written while its head is asked for is not taken for that.
func TestRebuildBesideWhatIsApplied(t *testing.T) {
	l := panel(t)
	o := options(l)
	var r *runs
	var asked atomic.Bool
	o.Head = func(ctx context.Context) (uint64, error) {
		head, err := l.Head(ctx)
		if asked.CompareAndSwap(true, false) {
			waitFor(t, r, l.Append(kit.Review("thimble", "ann", events.Ship)))
		}
		return head, err
	}
	r = run(t, model(t), o)
	waitFor(t, r, 20)
	waitLive(t, r)
	asked.Store(true)
	if _, err := r.Rebuild(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if asked.Load() || r.Status().Position != 21 {
		t.Errorf("%s at event %d", r.Status().State, r.Status().Position)
	}
}

// Where it loses its end while a rebuild is under way, that waits no longer than its
// context, and what is in use goes on.
func TestRebuildIsGivenUp(t *testing.T) {
	for name, stopped := range map[string]bool{"live": false, "stopped": true} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { givesUp(t, stopped) }) })
	}
}

func givesUp(t *testing.T, stopped bool) {
	t.Helper()
	l := panel(t)
	var lost, asked, skip atomic.Bool
	o := shorter(l, 3, &lost)
	o.Skips = func(_ context.Context, after uint64) ([]uint64, error) {
		if after == 0 && asked.Load() {
			lost.Store(true) // the rebuild has begun
		}
		if skip.Load() {
			return []uint64{21}, nil
		}
		return nil, nil
	}
	r := run(t, model(t), o)
	waitFor(t, r, 20)
	var next events.Payload = kit.Review("thimble", "ann", events.Ship)
	if stopped {
		next = &events.EventSkipped{Seq: int64(unknown(t, l)), Reason: "of no use"}
		if err := waitStopped(t, r); !errors.Is(err, events.ErrUnknownType) {
			t.Fatal(err)
		}
	}
	asked.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.Rebuild(ctx, nil)
		ended <- err
	}()
	synctest.Wait()
	if at, _ := r.Rebuilding(); at < 17 {
		t.Errorf("the replacement waits at event %d", at)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	lost.Store(false)
	skip.Store(stopped)
	seq := l.Append(next)
	<-time.After(time.Second) // of the bubble: the runner has looked again
	if status := r.Status(); status.Position != seq {
		t.Errorf("%s at event %d, want %d: %v", status.State, status.Position, seq, status.Err)
	}
}

// TestNoLagAtTheHead has a projection that ignores nearly everything: at the head
// it is not behind.
func TestNoLagAtTheHead(t *testing.T) {
	l := panel(t)
	p := new(ignores)
	r := run(t, p, options(l))
	waitFor(t, r, l.Append(kit.Review("thimble", "ann", events.Ship)))
	waitLive(t, r)
	if behind, age := r.Lag(t.Context()); behind != 0 || age != 0 || p.took == 0 {
		t.Errorf("%d events and %s behind, %d taken", behind, age, p.took)
	}
}

// TestPanicIsSkipped mends a projection that panics at an event. Until then it is
// looked whether it was mended, but what panics is not tried again.
func TestPanicIsSkipped(t *testing.T) {
	l := panel(t)
	p := &ignores{panics: panics{at: 7}}
	o := options(l)
	asked := make(chan struct{})
	o.Skips = func(_ context.Context, after uint64) (list []uint64, err error) {
		for _, e := range l.Events(t, 1, must[uint64](t)(l.Head(t.Context()))) {
			if skip, ok := e.Data.(*events.EventSkipped); ok && e.Seq > after {
				list = append(list, uint64(skip.Seq))
			}
		}
		select {
		case asked <- struct{}{}:
		default:
		}
		return list, nil
	}
	r := run(t, p, o)
	_ = waitStopped(t, r)
	began := time.Now()
	for range 10 {
		<-asked
	}
	if took := time.Since(began); took < 9*o.Retry-o.Retry {
		t.Errorf("it was looked ten times within %s", took)
	}
	head := l.Append(&events.EventSkipped{Seq: 7, Reason: "it makes this version panic"})
	waitFor(t, r, head)
	waitLive(t, r)
	if p.met > 2 { // with its batch, and alone to see which it was
		t.Errorf("it was tried %d times", p.met)
	}
	again := run(t, &panics{at: 7}, o) // another node, or a rebuild
	waitFor(t, again, head)
}
