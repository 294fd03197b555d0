//go:build clients

package clients_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A lan is a network of hosts by name, as containers have: each host is a network
// namespace on a bridge. It needs root, and nothing leaves the machine.
type lan struct {
	t      *testing.T
	prefix string
	hosts  map[string]*host
}

// A host is one of its names, with an address that this process reaches too.
type host struct {
	name, namespace, addr string
}

// newLAN makes the network, until the test ends.
func newLAN(t *testing.T, names ...string) *lan {
	t.Helper()
	l := &lan{t: t, prefix: fmt.Sprintf("sl%d", os.Getpid()), hosts: map[string]*host{}}
	l.ip("link", "add", l.prefix, "type", "bridge")
	t.Cleanup(func() { l.ip("link", "del", l.prefix) })
	l.ip("addr", "add", "10.203.91.1/24", "dev", l.prefix)
	l.ip("link", "set", l.prefix, "up")
	var known strings.Builder
	fmt.Fprintln(&known, "127.0.0.1 localhost")
	for i, name := range names {
		h := &host{name: name, namespace: l.prefix + "-" + name, addr: fmt.Sprintf("10.203.91.%d", 10+i)}
		l.hosts[name] = h
		fmt.Fprintln(&known, h.addr, name)
	}
	for i, name := range names {
		l.join(l.hosts[name], fmt.Sprintf("%s-%d", l.prefix, i), known.String())
	}
	return l
}

// join connects a host by a cable.
func (l *lan) join(h *host, cable, known string) {
	l.t.Helper()
	l.ip("netns", "add", h.namespace)
	l.t.Cleanup(func() { l.ip("netns", "del", h.namespace) })
	l.ip("link", "add", cable, "master", l.prefix, "type", "veth", "peer", "name", "eth0", "netns", h.namespace)
	l.ip("link", "set", cable, "up")
	l.ip("-n", h.namespace, "addr", "add", h.addr+"/24", "dev", "eth0")
	l.ip("-n", h.namespace, "link", "set", "eth0", "up")
	l.ip("-n", h.namespace, "link", "set", "lo", "up")
	// `ip netns exec` puts what lies there over /etc.
	etc := filepath.Join("/etc/netns", h.namespace)
	if err := os.MkdirAll(etc, 0o755); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { os.RemoveAll(etc) })
	if err := os.WriteFile(filepath.Join(etc, "hosts"), []byte(known), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lan) ip(args ...string) {
	l.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		l.t.Fatalf("ip %s: %v: %s; this test needs root and iproute2 (`make deps`)", strings.Join(args, " "), err, out)
	}
}

// command is a program on a host. It is that program's process, not one that waits
// for it.
func (l *lan) command(name string, args ...string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", l.hosts[name].namespace}, args...)...)
}

// A service is a program that runs on a host. When it ends by itself it is started
// again, as docker-compose.yml says of all of them.
type service struct {
	command func() *exec.Cmd
	log     bytes.Buffer
	killed  chan struct{}
	over    chan struct{}

	mu  sync.Mutex
	cmd *exec.Cmd
}

// serve runs one until the test ends.
func (l *lan) serve(name string, env []string, args ...string) *service {
	l.t.Helper()
	s := &service{killed: make(chan struct{}), over: make(chan struct{})}
	s.command = func() *exec.Cmd {
		cmd := l.command(name, args...)
		cmd.Env = append(os.Environ(), env...)
		cmd.Stdout, cmd.Stderr = &s.log, &s.log
		cmd.WaitDelay = 10 * time.Second
		return cmd
	}
	go s.keep()
	l.t.Cleanup(func() {
		s.kill()
		if l.t.Failed() {
			l.t.Logf("%s, %s said:\n%.4000s", name, args[0], s.log.String())
		}
	})
	return s
}

// keep starts it until it is killed.
func (s *service) keep() {
	defer close(s.over)
	for {
		s.mu.Lock()
		select {
		case <-s.killed:
			s.mu.Unlock()
			return
		default:
		}
		s.cmd = s.command()
		err := s.cmd.Start()
		s.mu.Unlock()
		if err == nil {
			err = s.cmd.Wait()
		}
		fmt.Fprintln(&s.log, "ended:", err)
		select {
		case <-s.killed:
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// kill ends it as a power cut would.
func (s *service) kill() {
	s.mu.Lock()
	select {
	case <-s.killed:
	default:
		close(s.killed)
		if s.cmd != nil && s.cmd.Process != nil {
			_ = s.cmd.Process.Kill()
		}
	}
	s.mu.Unlock()
	<-s.over
}
