package ops_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events/logtest"
	"shiplog/ops"
)

func TestHealthNamesWhatIsWrongAndForHowLong(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	fault := error(nil)
	h := ops.NewHealth(func() time.Time { return now },
		ops.Check{Name: "disk", Fn: func(context.Context) (string, error) { return "much room", nil }},
		ops.Check{Name: "nats", Fn: func(context.Context) (string, error) { return "connected", fault }},
	)
	check := func(wantReady bool, want ...ops.Finding) {
		t.Helper()
		ready, got := h.Ready(t.Context())
		if ready != wantReady {
			t.Errorf("ready %v, want %v", ready, wantReady)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("findings (-want +got):\n%s", diff)
		}
	}
	check(true, ops.Finding{Name: "disk", OK: true, Detail: "much room"}, ops.Finding{Name: "nats", OK: true, Detail: "connected"})

	now = now.Add(time.Minute)
	fault = errors.New("no answer")
	check(false, ops.Finding{Name: "disk", OK: true, Detail: "much room", Age: 60}, ops.Finding{Name: "nats", Detail: "no answer"})

	now = now.Add(7 * time.Second)
	check(false, ops.Finding{Name: "disk", OK: true, Detail: "much room", Age: 67}, ops.Finding{Name: "nats", Detail: "no answer", Age: 7})

	fault = nil
	h.Close()
	check(false, ops.Finding{Name: "disk", OK: true, Detail: "much room", Age: 67}, ops.Finding{Name: "nats", OK: true, Detail: "connected"},
		ops.Finding{Name: "shutdown", Detail: "the node is stopping"})
}

// A node that is not all there says what it waits for, and for how long.
func TestHealthWhileStarting(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	h := ops.NewHealth(func() time.Time { return now })
	check := func(wantReady bool, want ...ops.Finding) {
		t.Helper()
		ready, got := h.Ready(t.Context())
		if ready != wantReady {
			t.Errorf("ready %v, want %v", ready, wantReady)
		}
		if diff := cmp.Diff(append([]ops.Finding{}, want...), got); diff != "" {
			t.Errorf("findings (-want +got):\n%s", diff)
		}
	}
	h.Starting("nats")
	check(false, ops.Finding{Name: "start", Detail: "nats"})
	now = now.Add(3 * time.Second)
	h.Starting("ledger")
	check(false, ops.Finding{Name: "start", Detail: "ledger", Age: 3})
	h.Begin(ops.Check{Name: "disk", Fn: func(context.Context) (string, error) { return "much room", nil }})
	check(true, ops.Finding{Name: "disk", OK: true, Detail: "much room"})
}

// A check that pays no heed to its context is named, keeps none of the others
// back, and is not begun again before it has answered.
func TestHealthOutlivesACheckThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		free := make(chan struct{})
		h := ops.NewHealth(time.Now,
			ops.Check{Name: "disk", Fn: func(context.Context) (string, error) {
				begun.Add(1)
				<-free
				return "much room", nil
			}},
			ops.Check{Name: "nats", Fn: func(context.Context) (string, error) { return "connected", nil }},
		)
		for range 2 {
			ready, got := h.Ready(t.Context())
			if ready || got[0].OK || got[0].Detail != "it has not answered for 5s" || !got[1].OK {
				t.Errorf("ready %v: %+v", ready, got)
			}
		}
		if n := begun.Load(); n != 1 {
			t.Errorf("the check was begun %d times", n)
		}
		close(free)
		synctest.Wait()
		if ready, got := h.Ready(t.Context()); !ready {
			t.Errorf("not ready: %+v", got)
		}
	})
}

// What turns red is logged with its reason, and so is that it is over, each once. A
// check that comes and goes does not fill the log, however often it is asked.
func TestHealthLogsWhatChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Book
		lines := func(want ...string) {
			t.Helper()
			got := slices.Collect(strings.Lines(log.String()))
			if len(got) != len(want) {
				t.Fatalf("%d lines, want %d:\n%s", len(got), len(want), log.String())
			}
			for i, line := range want {
				if !strings.Contains(got[i], line) {
					t.Errorf("logged %s, want %s", got[i], line)
				}
			}
		}
		var fault atomic.Pointer[error]
		h := ops.NewHealth(time.Now,
			ops.Check{Name: "disk", Fn: func(context.Context) (string, error) {
				if err := fault.Load(); err != nil {
					return "", *err
				}
				return "much room", nil
			}},
			ops.Check{Name: "nats", Fn: func(context.Context) (string, error) { return "connected", nil }},
		)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- h.Run(ctx, slog.New(slog.NewTextHandler(&log, nil))) }()
		<-time.After(time.Minute + time.Second) // never at the very moment of a look: either may come first
		lines()
		err := errors.New("no answer")
		fault.Store(&err)
		<-time.After(time.Minute)
		red := `level=WARN msg="a check is red" check=disk reason="no answer"`
		lines(red)
		fault.Store(nil)
		<-time.After(time.Minute)
		well := `level=INFO msg="a check is well again" check=disk after=1m0s`
		lines(red, well)
		for range 100 { // it comes and goes, within a second, and is asked all the while
			fault.Store(&err)
			h.Ready(ctx)
			<-time.After(5 * time.Millisecond)
			fault.Store(nil)
			h.Ready(ctx)
			<-time.After(5 * time.Millisecond)
		}
		if n := strings.Count(log.String(), "\n"); n > 3 {
			t.Errorf("%d lines:\n%s", n, log.String())
		}
		h.Close() // that it stops is logged by who stops it
		<-time.After(time.Minute)
		if strings.Contains(log.String(), "shutdown") {
			t.Errorf("logged:\n%s", log.String())
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
