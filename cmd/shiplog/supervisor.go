package main

import (
	"context"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// A supervisor is told how a node is, by the protocol of sd_notify(3): systemd
// names its socket in the environment. Nil is none.
type supervisor struct {
	conn     net.Conn
	watchdog time.Duration // 0 where none is wanted
}

// What a supervisor is told.
const (
	notifyReady    = "READY=1"
	notifyStopping = "STOPPING=1"
	notifyAlive    = "WATCHDOG=1"
	notifyPatience = "EXTEND_TIMEOUT_USEC=30000000" // the start takes so much longer, at most
)

// newSupervisor is the one that the environment names.
func newSupervisor() *supervisor {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return nil
	}
	if name, abstract := strings.CutPrefix(socket, "@"); abstract {
		socket = "\x00" + name
	}
	conn, err := net.Dial("unixgram", socket)
	if err != nil {
		return nil
	}
	s := &supervisor{conn: conn}
	pid := os.Getenv("WATCHDOG_PID") // it may be meant for a parent
	if micros, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64); err == nil && (pid == "" || pid == strconv.Itoa(os.Getpid())) {
		s.watchdog = time.Duration(micros) * time.Microsecond
	}
	return s
}

// tellTimeout bounds how long a supervisor that does not read is waited for.
const tellTimeout = 100 * time.Millisecond

func (s *supervisor) tell(state string) {
	if s != nil && s.conn.SetWriteDeadline(time.Now().Add(tellTimeout)) == nil {
		_, _ = s.conn.Write([]byte(state))
	}
}

// run tells that the process is alive, twice as often as is asked for, until the
// context ends. It speaks of the process alone, as /healthz does: restarting a
// node mends no NATS.
func (s *supervisor) run(ctx context.Context) error {
	if s == nil || s.watchdog <= 0 {
		return nil
	}
	tick := time.NewTicker(s.watchdog / 2)
	defer tick.Stop()
	for {
		s.tell(notifyAlive)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (s *supervisor) close() {
	if s != nil {
		_ = s.conn.Close()
	}
}
