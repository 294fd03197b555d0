package ledgertest_test

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"shiplog/events/ledger/ledgertest"
)

// A reserved port is listened on time and again, by one at a time, and nobody is
// there in between.
func TestReserveAddr(t *testing.T) {
	addr := ledgertest.ReserveAddr(t)
	for range 3 {
		if _, err := net.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("where nobody listens: %v, want %v", err, syscall.ECONNREFUSED)
		}
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := net.Listen("tcp", addr); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("a second listener: %v, want %v", err, syscall.EADDRINUSE)
		}
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		l.Close()
	}
}

// Nobody who asks for any port gets one that is reserved. With so many, a
// port that could be given away would be among those here nearly always.
func TestReservedIsGivenToNobody(t *testing.T) {
	reserved := make(map[int]bool)
	for range 500 {
		reserved[ledgertest.ReservePort(t)] = true
	}
	if len(reserved) != 500 {
		t.Errorf("%d ports were reserved, want 500: one twice", len(reserved))
	}
	for range 500 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		for _, end := range []net.Addr{l.Addr(), c.LocalAddr()} {
			if reserved[end.(*net.TCPAddr).Port] {
				t.Fatalf("%s is reserved, and was given away", end)
			}
		}
	}
}
