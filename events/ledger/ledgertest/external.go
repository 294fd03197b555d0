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

// readyTimeout bounds the start of a server.
const readyTimeout = 30 * time.Second

// An External is a plain NATS server, as an operator would run it: it can be
// stopped and started again on the same port and store.
type External struct {
	tb      testing.TB
	options server.Options
	server  *server.Server
}

// plenty is more than any test records. Else it is what the disk has free, which may be
// less than a ledger may have.
const plenty = 1 << 40

// NewExternal starts an external server, stopped when the test ends.
func NewExternal(tb testing.TB) *External {
	tb.Helper()
	return NewSmallExternal(tb, plenty)
}

// NewSmallExternal starts one that has so many bytes for streams.
func NewSmallExternal(tb testing.TB, store int64) *External {
	tb.Helper()
	e := newExternal(tb)
	e.options.JetStreamMaxStore = store
	e.Start()
	tb.Cleanup(e.Stop)
	return e
}

func newExternal(tb testing.TB) *External {
	tb.Helper()
	return &External{tb: tb, options: server.Options{
		Host:              "127.0.0.1",
		Port:              ReservePort(tb),
		JetStream:         true,
		StoreDir:          tb.TempDir(),
		SyncAlways:        true,
		JetStreamMaxStore: plenty,
		NoSigs:            true,
		NoLog:             true,
		MaxPayload:        ledger.MaxPayload,
	}}
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
	if !s.ReadyForConnections(readyTimeout) {
		e.tb.Fatalf("the NATS server is not ready after %s", readyTimeout)
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
	return ConnectURL(e.tb, e.URL())
}

// ConnectURL connects as Shiplog does, until the test ends.
func ConnectURL(tb testing.TB, url string) *nats.Conn {
	tb.Helper()
	nc, err := ledger.Connect(tb.Context(), ledger.ConnectOptions{URL: url, Name: tb.Name()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(nc.Close)
	return nc
}

// Name is the server's name.
func (e *External) Name() string { return e.server.Name() }

// Map has the server lead what is published to a subject to another, as an operator
// can by the mappings of an account.
func (e *External) Map(from, to string) {
	e.tb.Helper()
	if err := e.server.GlobalAccount().AddMapping(from, to); err != nil {
		e.tb.Fatal(err)
	}
}
