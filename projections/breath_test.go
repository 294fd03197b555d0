package projections

import (
	"math"
	"testing"
	"time"
)

// TestBreath holds the pause between transactions to the pace of events.
func TestBreath(t *testing.T) {
	for _, tt := range []struct {
		pace float64 // events a second
		want time.Duration
	}{
		{0, 20 * time.Millisecond},
		{500, 20 * time.Millisecond},
		{4000, 80 * time.Millisecond},
		{20_000, 200 * time.Millisecond},
		{math.MaxInt32, 200 * time.Millisecond},
	} {
		if got := (&Runner{pace: tt.pace}).breath(); got != tt.want {
			t.Errorf("at %.0f events a second: %s, want %s", tt.pace, got, tt.want)
		}
	}
	r := new(Runner)
	r.begins(1) // after a long rest
	if got := r.breath(); got != leastBreath {
		t.Errorf("after one event: %s", got)
	}
	r.begins(100_000) // at once
	if got := r.breath(); got != mostBreath {
		t.Errorf("after very many: %s", got)
	}
}
