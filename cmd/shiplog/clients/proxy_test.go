//go:build clients

package clients_test

import (
	"net"
	"strings"
	"sync"
	"testing"
)

// A proxy is the network between a node and a NATS server, which can be cut and
// mended.
type proxy struct {
	url    string
	target string

	mu      sync.Mutex
	changed *sync.Cond
	silent  bool // nothing passes, nothing is closed
	open    map[net.Conn]bool
}

// newProxy passes connections on to a server until the test ends.
func newProxy(t *testing.T, server *natsServer) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{url: "nats://" + l.Addr().String(), target: strings.TrimPrefix(server.url, "nats://"), open: map[net.Conn]bool{}}
	p.changed = sync.NewCond(&p.mu)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.pass(client) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.silence(false)
		p.reset()
		all.Wait()
	})
	return p
}

func (p *proxy) pass(client net.Conn) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.open[client], p.open[server] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.copy(server, client) })
	both.Go(func() { p.copy(client, server) })
	both.Wait()
	p.mu.Lock()
	delete(p.open, client)
	delete(p.open, server)
	p.mu.Unlock()
}

// copy passes bytes on, and keeps them back while the network is silent. Either
// side that ends, ends both.
func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	for buffer := make([]byte, 32<<10); ; {
		n, err := from.Read(buffer)
		p.mu.Lock()
		for p.silent {
			p.changed.Wait()
		}
		p.mu.Unlock()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// silence has nothing pass any more, and nothing be closed: what is sent is
// swallowed, as by a broken switch. What was kept back passes when it ends.
func (p *proxy) silence(silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = silent
	p.changed.Broadcast()
}

// reset closes what is open.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.Close()
	}
}
