package ops_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
	"shiplog/ops"
)

// The watch tells the figures of the ledger and when its last event was
// recorded, by the event itself.
func TestLedgerWatch(t *testing.T) {
	in, l := intaketest.New(t)
	intaketest.Accept(t, in, intaketest.Event("tool", "tool.registered", map[string]any{"tool": "watched", "name": "Watched"}))
	var log bytes.Buffer
	w := ops.NewLedgerWatch(ops.NewRegistry(ops.Build{}), l, ops.DiskWatch{Dir: t.TempDir(), MinFree: 1 << 62}, slog.New(slog.NewTextHandler(&log, nil)))
	stop := running(t, w)
	until(t, "the watch sees the ledger", func() bool { return w.Info().Last > 0 && !w.LastAppend().IsZero() })
	seen := w.Info().Last
	intaketest.Accept(t, in, intaketest.Event("another", "tool.registered", map[string]any{"tool": "again", "name": "Again"}))
	until(t, "the watch looks again", func() bool { return w.Info().Last > seen })
	stop()

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
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "level=WARN") ||
		!strings.Contains(text, `free="`) || !strings.Contains(text, `min_free="4.0 EiB"`) || !strings.Contains(text, "data=/") {
		t.Errorf("the log is %s", text)
	}
	if w.Drift() != nil || w.Err() != nil {
		t.Errorf("drift %v, error %v", w.Drift(), w.Err())
	}
}

// That submissions are refused for want of room is logged when it begins and
// when it ends, not with each look.
func TestLedgerWatchLogsTheDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	var log bytes.Buffer
	w := ops.NewLedgerWatch(ops.NewRegistry(ops.Build{}), ledgertest.New(t), ops.DiskWatch{Dir: dir, MinFree: 1}, slog.New(slog.NewTextHandler(&log, nil)))
	stop := running(t, w)
	until(t, "the disk cannot be looked at", w.LowDisk)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	until(t, "there is room", func() bool { return !w.LowDisk() })
	stop()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "level=WARN") || !strings.Contains(lines[0], dir) ||
		!strings.Contains(lines[1], "level=INFO") || !strings.Contains(lines[1], "taken again") {
		t.Errorf("the log is %s", &log)
	}
}

// A server that leads the ledger and hears from nobody any more goes on answering for
// ten seconds and more. The watch says before what that is worth.
func TestLedgerWatchFindsALeaderAlone(t *testing.T) {
	cluster := ledgertest.NewCluster(t)
	l, err := ledger.Open(t.Context(), ledgertest.ConnectURL(t, ledgertest.URLs(cluster)), ledger.Options{Create: true, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(l.Conn())
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), ledger.Stream)
	if err != nil {
		t.Fatal(err)
	}
	w := ops.NewLedgerWatch(ops.NewRegistry(ops.Build{}), l, ops.DiskWatch{}, slog.New(slog.DiscardHandler))
	running(t, w)
	until(t, "all is well", func() bool { return w.Info().Replicas == 3 && w.Err() == nil && w.Alone() == nil })
	for _, e := range cluster {
		if e.Name() != stream.CachedInfo().Cluster.Leader {
			e.Stop()
		}
	}
	until(t, "the leader is found alone", func() bool { return w.Alone() != nil })
	if got, want := w.Alone().Error(), "the NATS server that leads the ledger hears of 1 of 3 replicas"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if err := w.Err(); err != nil {
		t.Errorf("it does not answer any more: %v", err)
	}
}

// running runs a watch until the returned function, or the test, ends it.
func running(t *testing.T, w *ops.LedgerWatch) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-deadline:
			t.Fatalf("it did not happen that %s", what)
		case <-tick.C:
		}
	}
}
