package ops_test

import (
	"context"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/intake/intaketest"
	"shiplog/ops"
)

// The watch tells the figures of the ledger and when its last event was
// recorded, by the event itself.
func TestLedgerWatch(t *testing.T) {
	in, l := intaketest.New(t)
	intaketest.Accept(t, in, intaketest.Event("tool", "tool.registered", map[string]any{"tool": "watched", "name": "Watched"}))
	w := ops.NewLedgerWatch(ops.NewRegistry(ops.Build{}), l, ops.DiskWatch{Dir: t.TempDir(), MinFree: 1 << 62})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for w.Info().Last == 0 || w.LastAppend().IsZero() {
		select {
		case <-deadline:
			t.Fatal("the watch sees nothing")
		case <-tick.C:
		}
	}
	cancel()
	<-done

	info := w.Info()
	raw, err := l.Get(t.Context(), info.Last)
	if err != nil {
		t.Fatal(err)
	}
	e, err := events.Decode(info.Last, raw)
	if err != nil {
		t.Fatal(err)
	}
	if !w.LastAppend().Equal(e.RecordedTime) {
		t.Errorf("last append %s, want %s", w.LastAppend(), e.RecordedTime)
	}
	if !w.LowDisk() {
		t.Error("no disk has 4 EiB free")
	}
	if w.Drift() != nil || w.Err() != nil {
		t.Errorf("drift %v, error %v", w.Drift(), w.Err())
	}
}
