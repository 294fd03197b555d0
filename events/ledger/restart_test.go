package ledger_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// TestRestart starts the server anew under open connections and readers.
func TestRestart(t *testing.T) {
	server := ledgertest.NewServer(t)
	l := ledgertest.Open(t, ledgertest.Connect(t, server))
	guest := ledgertest.Guest(t, server)
	addr := server.Addr()
	if _, err := l.Append(t.Context(), 0, messages(3, 200)); err != nil {
		t.Fatal(err)
	}
	seen := make(chan uint64, 16)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = l.Follow(ctx, 1, func(batch []ledger.Entry) error {
			for _, e := range batch {
				seen <- e.Seq
			}
			return nil
		})
	}()
	for want := uint64(1); want <= 3; want++ {
		if got := <-seen; got != want {
			t.Fatalf("event %d, want %d", got, want)
		}
	}
	if err := server.Fault(); err != nil {
		t.Errorf("a sound server has the fault %v", err)
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	if server.Addr() != addr {
		t.Errorf("it listens on %s, not on %s as before", server.Addr(), addr)
	}
	eventually(t, "the connections are back", func() bool { return l.Conn().IsConnected() && guest.IsConnected() })
	eventually(t, "it takes events again", func() bool {
		_, err := l.Append(t.Context(), 3, messages(1, 200))
		return err == nil
	})
	if got := <-seen; got != 4 {
		t.Errorf("the reader was given event %d, want 4", got)
	}
	cancel()
	<-done
}

// TestVanishedFolder takes the files away under a running server.
func TestVanishedFolder(t *testing.T) {
	for _, gone := range []string{"", "jetstream"} {
		dir := filepath.Join(t.TempDir(), "nats")
		server, err := ledger.StartServer(ledger.ServerOptions{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		ledgertest.Open(t, ledgertest.Connect(t, server))
		if err := server.Intact(); err != nil {
			t.Fatalf("an untouched folder: %v", err)
		}
		if err := os.RemoveAll(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{"intact": server.Intact(), "fault": server.Fault(), "restart": server.Restart()} {
			if err == nil || !strings.Contains(err.Error(), "was taken away") {
				t.Errorf("%s without %q: %v", name, gone, err)
			}
		}
		if err := server.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestSkips finds what operators had ignored.
func TestSkips(t *testing.T) {
	l := ledgertest.New(t)
	skip := func(seq, target uint64) ledger.Message {
		p := &events.EventSkipped{Seq: int64(target), Reason: "It cannot be applied."}
		e := &events.Event{Seq: seq, ID: "x", Source: "/shiplog/operator", Time: "2026-11-30T09:00:00Z", Publisher: "shiplog", Data: p}
		return ledger.Message{Subject: e.LedgerSubject(), Data: e.AppendCanonical(nil)}
	}
	batch := append(messages(3, 200), skip(4, 2), messages(1, 200)[0], skip(6, 3), skip(7, 9))
	if _, err := l.Append(t.Context(), 0, batch); err != nil {
		t.Fatal(err)
	}
	for after, want := range map[uint64][]uint64{0: {2, 3}, 4: {3}, 6: nil, 50: nil} {
		got, err := l.Skips(t.Context(), after)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %d (-want +got):\n%s", after, diff)
		}
	}
}

// What cannot be changed any more is not intact from then on.
func TestChangeable(t *testing.T) {
	server := ledgertest.NewServer(t)
	for range 3 {
		if err := server.Changeable(); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Intact(); err != nil {
		t.Error(err)
	}
}
