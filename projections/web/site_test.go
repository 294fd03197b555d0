package web_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/projections"
	"shiplog/projections/pages"
	kit "shiplog/projections/projectionstest"
	"shiplog/projections/readhttp"
	"shiplog/projections/web"
)

const baseURL = "https://panel.example"

// site is the pages of a ledger, served over HTTP.
type site struct {
	tb     testing.TB
	ledger *kit.Ledger
	model  *projections.Model
	url    string
	close  func()
	read   func(context.Context, uint64) ([]byte, error) // of the ledger
	log    *bytes.Buffer
	mux    *http.ServeMux

	mu      sync.Mutex
	applied chan struct{} // closed when events are applied
}

// serve serves what a ledger holds.
func serve(tb testing.TB, l *kit.Ledger) *site {
	tb.Helper()
	return serveModel(tb, l, kit.Model(tb, l))
}

func serveModel(tb testing.TB, l *kit.Ledger, m *projections.Model) *site {
	tb.Helper()
	return serveWith(tb, l, web.Options{Model: m, Pages: newPages(tb)})
}

func newPages(tb testing.TB) *pages.Pages {
	tb.Helper()
	p, err := pages.New(pages.Site{Title: "The Panel", BaseURL: baseURL})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// serveWith serves with options of which the site adds what belongs to the
// ledger.
func serveWith(tb testing.TB, l *kit.Ledger, o web.Options) *site {
	tb.Helper()
	m := o.Model
	s := &site{read: l.Get, tb: tb, ledger: l, model: m, log: new(bytes.Buffer), applied: make(chan struct{})}
	o.Gate = readhttp.New(readhttp.Options{
		Model: m, Position: s.position, Head: l.Head, WaitFor: s.waitFor, Wait: 50 * time.Millisecond,
	})
	o.Log = slog.New(slog.NewTextHandler(s.log, nil))
	o.Event = func(ctx context.Context, seq uint64) ([]byte, error) { return s.read(ctx, seq) }
	h, err := web.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	mux := http.NewServeMux()
	h.Register(mux)
	s.mux = mux
	server := httptest.NewServer(mux)
	tb.Cleanup(func() {
		server.Close()
		if s.log.Len() > 0 {
			tb.Errorf("the log holds:\n%s", s.log)
		}
	})
	s.url, s.close = server.URL, server.Close
	return s
}

func (s *site) position() uint64 {
	seq, _ := s.model.Position()
	return seq
}

func (s *site) waitFor(ctx context.Context, seq uint64) error {
	for {
		s.mu.Lock()
		applied := s.applied
		s.mu.Unlock()
		if s.position() >= seq {
			return nil
		}
		select {
		case <-applied:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// record appends payloads and applies them.
func (s *site) record(payloads ...events.Payload) {
	s.tb.Helper()
	s.ledger.Append(payloads...)
	s.apply()
}

func (s *site) apply() {
	s.tb.Helper()
	head, _ := s.ledger.Head(s.tb.Context())
	if err := s.model.Apply(s.tb.Context(), s.ledger.Events(s.tb, s.position()+1, head)); err != nil {
		s.tb.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.applied)
	s.applied = make(chan struct{})
}

// answer is what a request got.
type answer struct {
	*http.Response
	body []byte
}

// get asks for a page and follows no redirect. Headers are names and values in
// turn.
func (s *site) get(path string, headers ...string) answer {
	s.tb.Helper()
	return s.do(http.MethodGet, path, headers...)
}

func (s *site) do(method, path string, headers ...string) answer {
	s.tb.Helper()
	req, err := http.NewRequestWithContext(s.tb.Context(), method, s.url+path, http.NoBody)
	if err != nil {
		s.tb.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.tb.Fatal(err)
	}
	return answer{resp, body}
}

// page asks for a page that has to be there.
func (s *site) page(path string, headers ...string) answer {
	s.tb.Helper()
	a := s.get(path, headers...)
	if a.StatusCode != http.StatusOK {
		s.tb.Fatalf("%s: got status %d %s\n%s", path, a.StatusCode, a.Header.Get("Location"), a.body)
	}
	return a
}

// demo is the ledger that `shiplog serve --demo` begins with, decided as the
// intake would.
func demo(tb testing.TB) *kit.Ledger {
	tb.Helper()
	file, err := os.ReadFile("../../cmd/shiplog/demo/events.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	l := kit.Given(tb)
	state := decide.New(nil)
	evolve := func() {
		head, _ := l.Head(tb.Context())
		for _, e := range l.Events(tb, state.Head().Seq+1, head) {
			if err := state.Evolve(e); err != nil {
				tb.Fatal(err)
			}
		}
	}
	evolve()
	for i, line := range strings.Split(strings.TrimSpace(string(file)), "\n") {
		sub, problems := events.Parse([]byte(line))
		if len(problems) > 0 {
			tb.Fatalf("line %d: %v", i+1, problems)
		}
		d, err := decide.Decide(state, sub, time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC))
		if err != nil || d.Status != decide.Accepted {
			tb.Fatalf("line %d: %s %v %v", i+1, d.Status, d.Problems, err)
		}
		for _, e := range d.Events {
			l.Source, l.Written = e.Source, e.Time
			l.Append(e.Data)
		}
		evolve()
	}
	l.Source, l.Written = "", ""
	return l
}
