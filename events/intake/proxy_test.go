package intake_test

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// A proxy stands between a client and a NATS server and can lose what the
// server answers.
type proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	mark  []byte        // once a client sends this, it hears nothing more
	seen  chan struct{} // closed then
	conns []net.Conn

	left    int           // bytes from the server until nothing more is heard
	reached chan struct{} // closed then; nil when all is heard
	silent  bool          // that is so
	closes  bool          // the connections end then, and there are no new ones
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, server: strings.TrimPrefix(server, "nats://")}
	var done sync.WaitGroup
	done.Go(func() { p.accept(&done) })
	t.Cleanup(func() {
		l.Close()
		p.cut()
		done.Wait()
	})
	return p
}

func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

// deafen loses every answer to whoever sends mark, from then on.
func (p *proxy) deafen(mark string) (seen <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mark, p.seen = []byte(mark), make(chan struct{})
	return p.seen
}

// stopAfter lets clients hear so many more bytes, and then nothing; or it closes
// their connections and takes no new ones.
func (p *proxy) stopAfter(bytes int, closes bool) (reached <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left, p.closes, p.reached = bytes, closes, make(chan struct{})
	return p.reached
}

// heard is how many of some bytes from the server go on to the client.
func (p *proxy) heard(bytes int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.silent:
		return 0
	case p.reached == nil:
		return bytes
	case bytes < p.left:
		p.left -= bytes
		return bytes
	}
	p.silent = true
	close(p.reached)
	if p.closes {
		p.closeAll()
	}
	return p.left
}

// cut closes every connection and hears clients again.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mark, p.reached, p.silent, p.closes = nil, nil, false, false
	p.closeAll()
}

func (p *proxy) closeAll() {
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

func (p *proxy) accept(done *sync.WaitGroup) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		if p.silent && p.closes {
			p.closeAll()
		}
		p.mu.Unlock()
		deaf := make(chan struct{})
		done.Go(func() { p.toServer(server, client, deaf) })
		done.Go(func() { p.toClient(client, server, deaf) })
	}
}

func (p *proxy) toServer(server io.Writer, client io.Reader, deaf chan struct{}) {
	buf := make([]byte, 1<<20)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		if p.mark != nil && bytes.Contains(buf[:n], p.mark) {
			close(deaf)
			close(p.seen)
			p.mark = nil
		}
		p.mu.Unlock()
		if _, err := server.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) toClient(client io.Writer, server io.Reader, deaf chan struct{}) {
	buf := make([]byte, 1<<20)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		select {
		case <-deaf:
			continue
		default:
		}
		if _, err := client.Write(buf[:p.heard(n)]); err != nil {
			return
		}
	}
}
