package web_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"shiplog/events"
	kit "shiplog/projections/projectionstest"
)

// BenchmarkKept measures a kept page and a 304 beside a handler that writes the
// same bytes with the same headers and does nothing else, over loopback and one
// connection kept alive, and says what part of its speed is left.
func BenchmarkKept(b *testing.B) {
	s := serve(b, demo(b))
	page := s.page("/compare/cogmill-vs-gantrel")
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), page.Header)
		if r.Header.Get("If-None-Match") != "" {
			w.Header().Del("Content-Type")
			w.Header().Del("Content-Length")
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(page.body)))
		_, _ = w.Write(page.body)
	}))
	b.Cleanup(bare.Close)
	for _, c := range []struct{ name, header string }{
		{"page", "Accept-Encoding: identity"},
		{"304", "If-None-Match: " + page.Header.Get("Etag")},
	} {
		b.Run(c.name, func(b *testing.B) {
			ours, theirs := newAsker(b, s.url, c.header), newAsker(b, bare.URL, c.header)
			var own, other time.Duration
			for b.Loop() {
				start := time.Now()
				ours.ask(b)
				middle := time.Now()
				theirs.ask(b)
				own, other = own+middle.Sub(start), other+time.Since(middle)
			}
			b.ReportMetric(float64(other)/float64(own), "of-bare")
			b.ReportMetric(float64(own.Nanoseconds())/float64(b.N), "page-ns/op")
		})
	}
}

// An asker asks for one page over one connection, with as little work of its own
// as can be.
type asker struct {
	conn    net.Conn
	r       *bufio.Reader
	request []byte
}

func newAsker(b *testing.B, url, header string) *asker {
	b.Helper()
	host := url[len("http://"):]
	conn, err := net.Dial("tcp", host)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return &asker{conn, bufio.NewReaderSize(conn, 64<<10), fmt.Appendf(nil, "GET /compare/cogmill-vs-gantrel HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n", host, header)}
}

func (a *asker) ask(b *testing.B) {
	b.Helper()
	if _, err := a.conn.Write(a.request); err != nil {
		b.Fatal(err)
	}
	length := 0
	for {
		line, err := a.r.ReadSlice('\n')
		if err != nil {
			b.Fatal(err)
		}
		if len(line) <= 2 {
			break
		}
		if v, ok := cutPrefixFold(line, "Content-Length: "); ok {
			length, _ = strconv.Atoi(v)
		}
	}
	if _, err := io.CopyN(io.Discard, a.r, int64(length)); err != nil {
		b.Fatal(err)
	}
}

func cutPrefixFold(line []byte, prefix string) (string, bool) {
	if len(line) < len(prefix) || string(line[:len(prefix)]) != prefix {
		return "", false
	}
	return string(line[len(prefix) : len(line)-2]), true
}

// BenchmarkDraw measures a page that has to be drawn, and one that only has to be
// looked at since an event about something else came.
func BenchmarkDraw(b *testing.B) {
	for _, path := range []string{"/", "/tools", "/tools/gantrel", "/compare/cogmill-vs-gantrel", "/compare?tools=gantrel,cogmill,hullmark", "/reviewers/skeptic", "/events/60", "/search?q=leaf"} {
		b.Run(path, func(b *testing.B) {
			s := serve(b, demo(b))
			other := kit.Seat("other")
			s.record(kit.Tool("other", ""), other)
			n := int64(1)
			s.record(kit.Review("other", "other", events.Ship))
			for b.Loop() {
				b.StopTimer()
				n++
				head, _ := s.ledger.Head(b.Context())
				s.record(kit.Revise("other", "other", events.Skip, n, head))
				b.StartTimer()
				s.page(path)
			}
		})
	}
}
