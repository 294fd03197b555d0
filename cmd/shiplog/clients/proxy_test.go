//go:build clients

package clients_test

import (
	"bytes"
	"net"
	"sync"
	"testing"
)

// A proxy is the network between a node and a NATS server, or between two of those,
// which can be cut and mended.
type proxy struct {
	addr   string
	target string

	mu      sync.Mutex
	changed *sync.Cond
	silent  bool   // nothing passes, nothing is closed
	deaf    bool   // nothing passes from the server, nothing is closed
	mark    []byte // what has it be deaf once it has passed to the server
	refuses bool   // what was open is closed, and whatever comes
	open    map[net.Conn]bool
}

// newProxy passes connections on to an address until the test ends.
func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), target: target, open: map[net.Conn]bool{}}
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
		p.mend()
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
	if p.refuses {
		client.Close()
		server.Close()
	}
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.copy(server, client, false) })
	both.Go(func() { p.copy(client, server, true) })
	both.Wait()
	p.mu.Lock()
	delete(p.open, client)
	delete(p.open, server)
	p.mu.Unlock()
}

// copy passes bytes on, and keeps them back while the network is silent. Either
// side that ends, ends both.
func (p *proxy) copy(to, from net.Conn, answers bool) {
	defer to.Close()
	defer from.Close()
	for buffer := make([]byte, 32<<10); ; {
		n, err := from.Read(buffer)
		p.mu.Lock()
		if len(p.mark) > 0 && !answers && bytes.Contains(buffer[:n], p.mark) {
			p.deaf, p.mark = true, nil
		}
		for p.silent || p.deaf && answers {
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
// swallowed, as by a broken switch. What was kept back passes when it is mended.
func (p *proxy) silence() { p.set(func() { p.silent = true }) }

// deafen has nothing pass that the server sends, from when it is sent something on.
func (p *proxy) deafen(mark string) { p.set(func() { p.mark = []byte(mark) }) }

// refuse closes what is open, and whatever comes.
func (p *proxy) refuse() {
	p.set(func() { p.refuses = true })
	p.reset()
}

// mend has everything pass again.
func (p *proxy) mend() {
	p.set(func() { p.silent, p.deaf, p.mark, p.refuses = false, false, nil, false })
}

func (p *proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
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
