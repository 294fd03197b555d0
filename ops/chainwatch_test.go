package ops_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
	"shiplog/ops"
)

// watchChain runs a watch until the test ends.
func watchChain(t *testing.T, l *ledger.Ledger, o ops.ChainOptions) *ops.ChainWatch {
	t.Helper()
	w := ops.NewChainWatch(l, o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return w
}

// waitCheck waits until the check says something.
func waitCheck(t *testing.T, w *ops.ChainWatch, well bool, says string) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		detail, err := w.Check(t.Context())
		if err != nil {
			detail = err.Error()
		}
		if well == (err == nil) && strings.HasPrefix(detail, says) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("it says %q (%v), want %q", detail, err, says)
		}
	}
}

func TestChainWatchReadsAgain(t *testing.T) {
	in, l := intaketest.New(t)
	w := watchChain(t, l, ops.ChainOptions{Every: 20 * time.Millisecond})
	waitCheck(t, w, true, "whole up to event 1 at the last full reading, ")
	intaketest.Accept(t, in, intaketest.Review("r1", "tool", "reviewer", "ship", "Good."))
	waitCheck(t, w, true, "whole up to event 4 at the last full reading, ")
	if err := w.Fault(); err != nil {
		t.Error(err)
	}
}

func TestChainWatchFindsDamage(t *testing.T) {
	in, l := intaketest.New(t)
	intaketest.Accept(t, in, intaketest.Review("r1", "tool", "reviewer", "ship", "Good."))
	var gaps atomic.Int64
	w := watchChain(t, l, ops.ChainOptions{Every: 20 * time.Millisecond, Gap: func() { gaps.Add(1) }})
	waitCheck(t, w, true, "whole up to event 4")
	// A copy of event 2 in place of the next.
	raw, err := l.Get(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), 4, []ledger.Message{{Subject: "shiplog.ledger.tool.tool", Data: raw}}); err != nil {
		t.Fatal(err)
	}
	waitCheck(t, w, false, "the ledger is damaged: event 5 does not follow event 4")
	if !strings.Contains(w.Fault().Error(), "restore it from a backup") {
		t.Errorf("it does not say what to do: %v", w.Fault())
	}
	if gaps.Load() != 0 {
		t.Errorf("%d gaps, but nothing is missing", gaps.Load())
	}
}

// TestChainWatchKeepsNobodyWaiting is about a ledger that cannot be read for
// long: a node is not ready for some seconds only.
func TestChainWatchKeepsNobodyWaiting(t *testing.T) {
	var now atomic.Int64
	w := ops.NewChainWatch(ledgertest.New(t), ops.ChainOptions{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	waitCheck(t, w, false, "re-reading the ledger")
	now.Store(4)
	waitCheck(t, w, false, "re-reading the ledger")
	now.Store(5)
	waitCheck(t, w, true, "re-reading the ledger")
}
