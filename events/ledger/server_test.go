package ledger_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// startIn starts a server that the test closes itself.
func startIn(t *testing.T, dir string) *ledger.Server {
	t.Helper()
	s, err := ledger.StartServer(ledger.ServerOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeServer(t *testing.T, s *ledger.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestServerKeepsTheLedger(t *testing.T) {
	dir := t.TempDir()
	s := startIn(t, dir)
	if s.Addr() != "" {
		t.Errorf("listens on %s, told not to", s.Addr())
	}
	nc, err := s.Connect(ledger.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, ledgertest.Open(t, nc), 1100)
	nc.Close()
	closeServer(t, s)

	s = startIn(t, dir)
	defer closeServer(t, s)
	nc, err = s.Connect(ledger.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if head := fill(t, ledgertest.Open(t, nc), 1); head != 1101 {
		t.Errorf("head is %d after a restart, want 1101", head)
	}
}

func TestServerErrorsSayTheMend(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	running := t.TempDir()
	s := startIn(t, running)
	defer closeServer(t, s)

	tests := []struct {
		name    string
		options ledger.ServerOptions
		want    []string
	}{
		{"port in use", ledger.ServerOptions{Dir: t.TempDir(), Listen: taken.Addr().String()}, []string{"in use", "--nats-listen"}},
		{"no port", ledger.ServerOptions{Dir: t.TempDir(), Listen: "127.0.0.1"}, []string{"HOST:PORT", "--nats-listen"}},
		{"port too large", ledger.ServerOptions{Dir: t.TempDir(), Listen: "127.0.0.1:70000"}, []string{"65535", "--nats-listen"}},
		{"foreign address", ledger.ServerOptions{Dir: t.TempDir(), Listen: "192.0.2.1:4222"}, []string{"--nats-listen"}},
		{"locked", ledger.ServerOptions{Dir: running}, []string{running, "in use by another process", "--data"}},
		{"not a directory", ledger.ServerOptions{Dir: file}, []string{file, "--data"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ledger.StartServer(tt.options)
			if err == nil {
				t.Fatal("started")
			}
			for _, want := range append(tt.want, "") {
				if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%q: want one line with %q", err, want)
				}
			}
		})
	}
}

func TestFailedStartLeavesTheDirectory(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	if _, err := ledger.StartServer(ledger.ServerOptions{Dir: dir, Listen: taken.Addr().String()}); err == nil {
		t.Fatal("started on a port in use")
	}
	closeServer(t, startIn(t, dir))
}

func TestLockDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	lock, err := ledger.LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.LockDir(dir); !errors.Is(err, ledger.ErrLocked) {
		t.Errorf("second lock: got error %v, want %v", err, ledger.ErrLocked)
	}
	for range 2 {
		if err := lock.Close(); err != nil {
			t.Error(err)
		}
	}
	again, err := ledger.LockDir(dir)
	if err != nil {
		t.Fatalf("lock a released directory: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestConnectErrorsSayTheMend(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	external := ledgertest.NewExternal(t)
	tests := []struct {
		name    string
		options ledger.ConnectOptions
		want    string
	}{
		{"nobody there", ledger.ConnectOptions{URL: "nats://127.0.0.1:1"}, "--nats"},
		{"no credentials file", ledger.ConnectOptions{URL: external.URL(), Creds: missing}, "--nats-creds"},
		{"no CA file", ledger.ConnectOptions{URL: external.URL(), TLSCA: missing}, "--nats-tls-ca"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nc, err := ledger.Connect(t.Context(), tt.options)
			if err == nil {
				nc.Close()
				t.Fatal("connected")
			}
			if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: want one line with %q", err, tt.want)
			}
		})
	}
}

func TestConnectionReportsItsState(t *testing.T) {
	external := ledgertest.NewExternal(t)
	states := make(chan bool, 10)
	nc, err := ledger.Connect(t.Context(), ledger.ConnectOptions{
		URL: external.URL(), OnState: func(connected bool) { states <- connected },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	expect := func(want bool) {
		t.Helper()
		select {
		case got := <-states:
			if got != want {
				t.Fatalf("connected is %t, want %t", got, want)
			}
		case <-t.Context().Done():
		}
	}
	expect(true)
	external.Stop()
	expect(false)
	external.Start()
	expect(true)
}

// A NATS that has less room than a ledger reserves says what to give, and to whom.
func TestTooLittleStorage(t *testing.T) {
	nc, err := ledger.Connect(t.Context(), ledger.ConnectOptions{URL: ledgertest.NewSmallExternal(t, 64<<20).URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_, err = ledger.Open(t.Context(), nc, ledger.Options{Create: true, MaxBytes: 1 << 30})
	if err == nil || !strings.Contains(err.Error(), "reserves 1073741824 bytes") || !strings.Contains(err.Error(), "--max-bytes") {
		t.Errorf("opened: %v", err)
	}
}
