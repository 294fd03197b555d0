package ledgertest

import (
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"shiplog/events/ledger"
)

// An External is a plain NATS server, as an operator would run it: it can be
// stopped and started again on the same port and store.
type External struct {
	tb      testing.TB
	options server.Options
	server  *server.Server
}

// NewExternal starts an external server, stopped when the test ends.
func NewExternal(tb testing.TB) *External {
	tb.Helper()
	e := &External{tb: tb, options: server.Options{
		Host:       "127.0.0.1",
		Port:       freePort(tb),
		JetStream:  true,
		StoreDir:   tb.TempDir(),
		SyncAlways: true,
		NoSigs:     true,
		NoLog:      true,
		MaxPayload: ledger.MaxPayload,
	}}
	e.Start()
	tb.Cleanup(e.Stop)
	return e
}

// Start starts the server, on what the last one left.
func (e *External) Start() {
	e.tb.Helper()
	options := e.options
	s, err := server.NewServer(&options)
	if err != nil {
		e.tb.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		e.tb.Fatal("the NATS server is not ready after 10 s")
	}
	e.server = s
}

// Stop stops the server; its connections are lost.
func (e *External) Stop() {
	e.server.Shutdown()
	e.server.WaitForShutdown()
}

// URL is where the server listens.
func (e *External) URL() string {
	return "nats://" + net.JoinHostPort(e.options.Host, strconv.Itoa(e.options.Port))
}

// StoreDir is where the server keeps its streams.
func (e *External) StoreDir() string { return e.options.StoreDir }

// Connect connects as Shiplog does, until the test ends.
func (e *External) Connect() *nats.Conn {
	e.tb.Helper()
	nc, err := ledger.Connect(e.tb.Context(), ledger.ConnectOptions{URL: e.URL(), Name: e.tb.Name()})
	if err != nil {
		e.tb.Fatal(err)
	}
	e.tb.Cleanup(nc.Close)
	return nc
}

// freePort is a port that was free a moment ago: a server that comes back must
// know its port beforehand.
func freePort(tb testing.TB) int {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
