// Package ledgertest gives tests a real ledger on a real embedded server.
package ledgertest

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"shiplog/events/ledger"
)

// closeTimeout bounds the shutdown of a server.
const closeTimeout = 30 * time.Second

// New returns an empty ledger on a server of its own, which does not listen.
// Both are closed when the test ends.
func New(tb testing.TB) *ledger.Ledger {
	tb.Helper()
	return Open(tb, Connect(tb, start(tb, "")))
}

// NewServer returns an embedded server that listens on a loopback port of the
// test's, and is closed when the test ends.
func NewServer(tb testing.TB) *ledger.Server {
	tb.Helper()
	return start(tb, ReserveAddr(tb))
}

// Connect returns a connection within the process, closed when the test ends.
func Connect(tb testing.TB, s *ledger.Server) *nats.Conn {
	tb.Helper()
	nc, err := s.Connect(ledger.ConnectOptions{Name: tb.Name()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(nc.Close)
	return nc
}

// Guest returns a connection without credentials, closed when the test ends.
func Guest(tb testing.TB, s *ledger.Server, options ...nats.Option) *nats.Conn {
	tb.Helper()
	nc, err := nats.Connect(s.Addr(), options...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(nc.Close)
	return nc
}

// Staged returns an empty ledger like [New], on a server with its files in dir,
// that stages batches in memory where there is room.
func Staged(tb testing.TB, dir string) *ledger.Ledger {
	tb.Helper()
	s := startIn(tb, dir, "")
	l, err := ledger.Open(tb.Context(), Connect(tb, s), ledger.Options{Create: true, Server: s})
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// Open creates the ledger, or opens the one that is there.
func Open(tb testing.TB, nc *nats.Conn) *ledger.Ledger {
	tb.Helper()
	l, err := ledger.Open(tb.Context(), nc, ledger.Options{Create: true})
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func start(tb testing.TB, listen string) *ledger.Server {
	tb.Helper()
	return startIn(tb, tb.TempDir(), listen)
}

func startIn(tb testing.TB, dir, listen string) *ledger.Server {
	tb.Helper()
	s, err := ledger.StartServer(ledger.ServerOptions{Dir: dir, Listen: listen})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			tb.Error(err)
		}
	})
	return s
}
