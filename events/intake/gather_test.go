package intake

import (
	"context"
	"testing"
	"time"
)

// gathering is a writer that expects so many callers, and decides nothing yet.
func gathering(callers int, price time.Duration) *writer {
	w := &writer{behind: true, pace: pace{single: price, batch: price, most: price}}
	w.pace.met(callers, 0)
	return w
}

// single is a source of requests of one item each.
func single(queue chan *request) source {
	return source{queue, func(entries []entry, r *request) []entry { return append(entries, entry{request: r}) }}
}

// TestGatherWaitsForItsShare holds a batch to wait for those who are on their way, and
// for no more.
func TestGatherWaitsForItsShare(t *testing.T) {
	w := gathering(32, time.Hour)
	queue := make(chan *request)
	go func() {
		for range w.pace.share() {
			queue <- newRequest(nil, false)
		}
	}()
	g, entries := w.gather(t.Context(), single(queue), nil, nil)
	if g != nil || callers(entries) != 28 {
		t.Errorf("gathered %d requests, want 28 of 32", callers(entries))
	}
}

// TestGatherTakesWhatWaits holds a batch not to wait where its share is there.
func TestGatherTakesWhatWaits(t *testing.T) {
	w := gathering(4, time.Hour)
	queue := make(chan *request, 8)
	for range cap(queue) {
		queue <- newRequest(nil, false)
	}
	if _, entries := w.gather(t.Context(), single(queue), nil, nil); callers(entries) != 8 {
		t.Errorf("gathered %d requests of the 8 that wait", callers(entries))
	}
}

// TestGatherTakesALargeRequest holds a batch not to wait where one request fills it.
func TestGatherTakesALargeRequest(t *testing.T) {
	w := gathering(32, time.Hour)
	large := newRequest(nil, false)
	var entries []entry
	for i := range fullBatch {
		entries = append(entries, entry{large, i})
	}
	if _, got := w.gather(t.Context(), single(make(chan *request)), nil, entries); len(got) != fullBatch {
		t.Errorf("gathered %d entries of a request of %d", len(got), fullBatch)
	}
}

// TestGatherTakesNoMoreThanFits holds a batch of a few large reviews not to wait for
// what has no room in it.
func TestGatherTakesNoMoreThanFits(t *testing.T) {
	w := gathering(32, time.Hour)
	g, _ := w.gather(t.Context(), single(make(chan *request)), &group{full: true}, nil)
	if !g.complete() || w.pace.callers != 32 {
		t.Errorf("complete: %t; expects %.0f callers, want the 32 of before", g.complete(), w.pace.callers)
	}
}

// TestGatherEnds holds the wait to its bounds, and what has come not to be lost.
func TestGatherEnds(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		price time.Duration
	}{
		{"nobody comes", t.Context(), time.Microsecond},
		{"the node ends", ended, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := gathering(32, tt.price)
			before := w.pace.callers
			queue := make(chan *request, 1)
			queue <- newRequest(nil, false)
			if _, entries := w.gather(tt.ctx, single(queue), nil, nil); callers(entries) != 1 {
				t.Errorf("gathered %d requests, want the one that waits", callers(entries))
			}
			if missed := w.pace.callers < before; missed != (tt.ctx.Err() == nil) {
				t.Errorf("expects %.0f callers, and %.0f before", w.pace.callers, before)
			}
		})
	}
}
