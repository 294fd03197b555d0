//go:build clients

package clients_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// A natsServer is a NATS server as an operator runs it, of a cluster of three.
type natsServer struct {
	name   string
	url    string
	config string
	cmd    *exec.Cmd
}

type natsCluster []*natsServer

// natsProgram builds the server that the module pins.
var natsProgram = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(program), "nats-server")
	out, err := exec.Command("go", "build", "-o", path, "github.com/nats-io/nats-server/v2").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build nats-server: %w\n%s", err, out)
	}
	return path, nil
})

// natsConfig is ops/deploy/cluster/nats.conf on one machine. Clients are told of
// no other server, so that a node stays behind the proxy it was given.
const natsConfig = `server_name: %s
listen: 127.0.0.1:%d
jetstream { store_dir: %q, sync_interval: always, max_file_store: 1TB }
cluster { name: shiplog, listen: %s, advertise: %s, no_advertise: true, routes: [%s] }
`

// startNATS runs three servers until the test ends, and returns when they agree.
func startNATS(t *testing.T) natsCluster {
	t.Helper()
	return startNATSOver(t, func(listen [3]string) (advertised [3]string, routes [3][]string) {
		return listen, [3][]string{listen[:], listen[:], listen[:]}
	})
}

// startNATSOver does so over a network: where each server says that others find it,
// and where each finds others, by where they listen for each other.
func startNATSOver(t *testing.T, network func(listen [3]string) (advertised [3]string, routes [3][]string)) natsCluster {
	t.Helper()
	var listen [3]string
	for i := range listen {
		listen[i] = ledgertest.ReserveAddr(t)
	}
	advertised, routes := network(listen)
	dir := t.TempDir()
	var c natsCluster
	for i := range listen {
		port := ledgertest.ReservePort(t)
		s := &natsServer{name: fmt.Sprintf("n%d", i+1), url: fmt.Sprintf("nats://127.0.0.1:%d", port)}
		s.config = filepath.Join(dir, s.name+".conf")
		text := fmt.Sprintf(natsConfig, s.name, port, filepath.Join(dir, s.name), listen[i], advertised[i],
			"nats-route://"+strings.Join(routes[i], ", nats-route://"))
		if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.start(t)
		t.Cleanup(s.kill)
		c = append(c, s)
	}
	within(t, 30*time.Second, "the NATS servers agree", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.jetStream(t).AccountInfo(ctx)
		return err == nil
	})
	return c
}

// addr is where clients find it.
func (s *natsServer) addr() string { return strings.TrimPrefix(s.url, "nats://") }

// start starts the server on what it kept.
func (s *natsServer) start(t *testing.T) {
	t.Helper()
	path, err := natsProgram()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(path, "-c", s.config, "-l", s.config+".log")
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// kill ends the server as a power cut would.
func (s *natsServer) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // killed: the error says no more
}

// freeze stops the server without ending it: its connections stay open.
func (s *natsServer) freeze(t *testing.T) { s.signal(t, syscall.SIGSTOP) }

func (s *natsServer) thaw(t *testing.T) { s.signal(t, syscall.SIGCONT) }

func (s *natsServer) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// urls is what --nats takes.
func (c natsCluster) urls() string {
	var list []string
	for _, s := range c {
		list = append(list, s.url)
	}
	return strings.Join(list, ",")
}

func (c natsCluster) jetStream(t *testing.T) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(c.urls(), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// leader is the server that leads the ledger's stream.
func (c natsCluster) leader(t *testing.T) (leads *natsServer) {
	t.Helper()
	js := c.jetStream(t)
	within(t, 30*time.Second, "the ledger has a leader", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		stream, err := js.Stream(ctx, ledger.Stream)
		if err != nil || stream.CachedInfo().Cluster == nil {
			return false
		}
		for _, s := range c {
			if s.name == stream.CachedInfo().Cluster.Leader {
				leads = s
			}
		}
		return leads != nil
	})
	return leads
}

// head is the last sequence of the ledger, as its leader says.
func (c natsCluster) head(t *testing.T) uint64 {
	t.Helper()
	stream, err := c.jetStream(t).Stream(t.Context(), ledger.Stream)
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo().State.LastSeq
}
