package ops_test

import (
	"context"
	"errors"
	"testing"
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
