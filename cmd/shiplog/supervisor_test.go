package main

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// supervising listens as a supervisor does to those that are started from now on.
func supervising(t *testing.T) *net.UnixConn {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	t.Setenv("NOTIFY_SOCKET", socket)
	return l
}

// notified makes a supervisor of those that are started from now on. Hear waits
// until it is told something, and not that they stop before.
func notified(t *testing.T) (hear func(want string)) {
	t.Helper()
	l := supervising(t)
	heard := make(chan string, 1000)
	go func() {
		defer close(heard)
		for b := make([]byte, 64); ; {
			size, err := l.Read(b)
			if err != nil {
				return // the test is over
			}
			heard <- string(b[:size])
		}
	}()
	return func(want string) {
		t.Helper()
		deadline := time.After(waitTime)
		for {
			select {
			case got := <-heard:
				if got == want {
					return
				}
				if got == notifyStopping {
					t.Fatalf("heard %s before %s", got, want)
				}
			case <-deadline:
				t.Fatalf("not heard: %s", want)
			}
		}
	}
}

// A supervisor hears when the node is ready, that it is alive, and that it stops.
func TestSupervisorIsTold(t *testing.T) {
	hear := notified(t)
	t.Setenv("WATCHDOG_USEC", "40000")
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	n := startNode(t, t.TempDir())
	hear(notifyReady)
	hear(notifyAlive)
	if err := n.Stop(); err != nil {
		t.Error(err)
	}
	hear(notifyStopping)
}

// A supervisor that does not listen is not waited for.
func TestSupervisorIsDeaf(t *testing.T) {
	supervising(t)
	s := newSupervisor()
	defer s.close()
	start := time.Now()
	for range 20 { // more than the socket holds
		s.tell(notifyAlive)
	}
	if took := time.Since(start); took > waitTime {
		t.Errorf("telling took %s", took)
	}
}
