package ops_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

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
