package ledgertest

import (
	"net"
	"strconv"
	"testing"
)

// ReservePort is a port of 127.0.0.1 that is the test's until it ends: for what has
// to be known before a server listens there, or while it is away. Whoever is told of
// it can listen there, time and again; nobody else is given it, and where nobody
// listens connections are refused.
//
// Only Linux can reserve a port. Elsewhere it is one that was free a moment ago.
func ReservePort(tb testing.TB) int {
	tb.Helper()
	port, release, err := reserve()
	if err != nil {
		tb.Fatalf("reserve a port: %v", err)
	}
	tb.Cleanup(release)
	return port
}

// ReserveAddr is [ReservePort] as HOST:PORT.
func ReserveAddr(tb testing.TB) string {
	tb.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(ReservePort(tb)))
}
