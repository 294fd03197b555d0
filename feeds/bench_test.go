package feeds_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"shiplog/events"
)

// BenchmarkServing compares answers from the cache with the same bytes from a
// bare net/http handler, over loopback, and prints the ratio of requests a
// second.
func BenchmarkServing(b *testing.B) {
	p := newPanel(b, story()...)
	const path = "/feeds/matchups.atom"
	first := p.ok(path)
	bare := func(status int) *httptest.Server {
		body := []byte(first.body)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if status == http.StatusOK {
				w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
				w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			}
			w.WriteHeader(status)
			if status == http.StatusOK {
				_, _ = w.Write(body)
			}
		}))
		b.Cleanup(s.Close)
		return s
	}
	for _, test := range []struct {
		name, tag string
		status    int
	}{{"200", "", http.StatusOK}, {"304", first.header.Get("Etag"), http.StatusNotModified}} {
		b.Run(test.name, func(b *testing.B) {
			baseline := bare(test.status)
			b.ResetTimer()
			var ours, theirs time.Duration
			const turns = 10 // by turns, so that other work on the machine meets both
			for i := range turns {
				n := (b.N + i) / turns
				ours += drive(b, p.server.URL+path, test.tag, n)
				b.StopTimer()
				theirs += drive(b, baseline.URL+path, test.tag, n)
				b.StartTimer()
			}
			b.ReportMetric(theirs.Seconds()/ours.Seconds(), "of-bare")
		})
	}
}

// drive sends n requests over a few connections. It speaks just enough HTTP to
// cost little itself.
func drive(b *testing.B, url, tag string, n int) time.Duration {
	b.Helper()
	const clients = 8
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	request := "GET /" + path + " HTTP/1.1\r\nHost: " + host + "\r\n"
	if tag != "" {
		request += "If-None-Match: " + tag + "\r\n"
	}
	request += "\r\n"
	done := make(chan error, clients)
	begin := time.Now()
	for i := range clients {
		go func() { done <- exchange(host, request, (n+i)/clients) }()
	}
	for range clients {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(begin)
}

func exchange(host, request string, n int) error {
	conn, err := net.Dial("tcp", host) //nolint:noctx // loopback
	if err != nil {
		return err
	}
	defer conn.Close()
	r := bufio.NewReaderSize(conn, 64<<10)
	for range n {
		if _, err := io.WriteString(conn, request); err != nil {
			return err
		}
		length := 0
		for {
			line, err := r.ReadSlice('\n')
			if err != nil {
				return err
			}
			if len(line) <= 2 {
				break
			}
			if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
				if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
					return err
				}
			}
		}
		if _, err := r.Discard(length); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkRebuild asks for a feed of 200 items after every event, so that each
// answer is built anew.
func BenchmarkRebuild(b *testing.B) {
	payloads := []events.Payload{}
	reviewers := []string{"builder", "skeptic", "futurist", "founder", "creator"}
	for i, slug := range reviewers {
		payloads = append(payloads, seat(slug, slug, int64(i)+1))
	}
	name := func(i int) string { return "tool-" + strconv.Itoa(i) }
	for i := range 100 {
		payloads = append(payloads, tool(name(i), name(i)))
		for _, slug := range reviewers {
			payloads = append(payloads, submit(name(i), slug, "ship", strings.Repeat("What it says on the tin. ", 25)))
		}
		if i > 1 {
			payloads = append(payloads, &events.MatchupOpened{Left: name(i), Right: name(i - 1)}, &events.MatchupOpened{Left: name(i), Right: name(i - 2)})
		}
	}
	for _, path := range []string{"/feeds/matchups.atom", "/feeds/verdicts.atom", "/feeds/reviews.atom", "/feeds/tools/tool-7.atom", "/feeds.opml"} {
		b.Run(strings.ReplaceAll(path[1:], "/", "-"), func(b *testing.B) {
			p := newPanel(b, payloads...)
			p.ok(path)
			b.ResetTimer()
			var spent time.Duration
			for i := range b.N {
				b.StopTimer()
				p.record(revise(name(i%100), "builder", []string{"skip", "ship"}[i/100%2], "Number "+strconv.Itoa(i), int64(i/100)+2, 1))
				b.StartTimer()
				began := processor(b)
				p.ok(path)
				spent += processor(b) - began
			}
			b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}
