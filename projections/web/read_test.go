package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"shiplog/events"
	"shiplog/projections/pages"
	kit "shiplog/projections/projectionstest"
	"shiplog/projections/readhttp"
	"shiplog/projections/web"
)

// A hangup is the context of a client that goes away once it has been asked for
// so many times.
type hangup struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func (h *hangup) Err() error {
	h.count()
	return h.Context.Err()
}

func (h *hangup) Done() <-chan struct{} {
	h.count()
	return h.Context.Done()
}

func (h *hangup) count() {
	if h.left.Add(-1) == 0 {
		h.cancel()
	}
}

// A client that goes away, at whatever moment while a page is looked for, is no
// fault: the log of the site stays empty.
func TestClientHangsUp(t *testing.T) {
	s := serve(t, demo(t))
	for after := int64(1); ; after++ {
		h := &hangup{}
		h.Context, h.cancel = context.WithCancel(t.Context())
		h.left.Store(after)
		s.mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(h, http.MethodGet, "/tools/ferule", http.NoBody))
		if h.left.Load() > 0 {
			break // it was answered before
		}
	}
}

func TestHeaders(t *testing.T) {
	s := serve(t, knots(t))
	for _, path := range []string{"/", "/tools/ferrule", "/compare/ferrule-vs-grommet", "/events/9", "/tools?at=12", "/nowhere"} {
		a := s.get(path)
		want := map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": pages.ContentSecurityPolicy,
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "strict-origin-when-cross-origin",
			"Content-Length": fmt.Sprint(len(a.body)), "Shiplog-Seq": "19",
		}
		if strings.Contains(path, "at=12") {
			want["Shiplog-Seq"] = "12"
		}
		for name, value := range want {
			if got := a.Header.Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", path, name, got, value)
			}
		}
	}
}

// TestValidator holds that a page is sent once to who keeps it, in whatever
// coding, and that HEAD has the headers of GET.
func TestValidator(t *testing.T) {
	s := serve(t, knots(t))
	for _, path := range []string{"/", "/tools/ferrule", "/search?q=ann", "/events/9", "/tools/washer?at=15"} {
		plain := s.page(path)
		tag := plain.Header.Get("Etag")
		if !strings.HasPrefix(tag, `W/"`) {
			t.Fatalf("%s: ETag %s is not weak", path, tag)
		}
		if a := s.get(path, "If-None-Match", `"other", `+tag); a.StatusCode != http.StatusNotModified || len(a.body) != 0 || a.Header.Get("Etag") != tag || a.Header.Get("Shiplog-Seq") == "" {
			t.Errorf("%s: got status %d, %d bytes, ETag %s for the page it has", path, a.StatusCode, len(a.body), a.Header.Get("Etag"))
		}
		if a := s.get(path, "If-None-Match", `W/"other"`); a.StatusCode != http.StatusOK {
			t.Errorf("%s: got status %d for a page it does not have", path, a.StatusCode)
		}
		head := s.do(http.MethodHead, path)
		if head.StatusCode != http.StatusOK || len(head.body) != 0 || head.Header.Get("Etag") != tag || head.ContentLength != int64(len(plain.body)) {
			t.Errorf("%s: HEAD differs from GET: %d %v", path, head.StatusCode, head.Header)
		}
		zipped := s.page(path, "Accept-Encoding", "gzip")
		if zipped.Header.Get("Content-Encoding") != "gzip" || zipped.Header.Get("Vary") != "Accept-Encoding" || zipped.Header.Get("Etag") != tag {
			t.Fatalf("%s: headers of the compressed page are %v", path, zipped.Header)
		}
		r, err := gzip.NewReader(bytes.NewReader(zipped.body))
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(r); err != nil || !bytes.Equal(body, plain.body) {
			t.Errorf("%s: the compressed page is another: %v", path, err)
		}
	}
}

// TestElsewhere holds that an event about something else leaves a page alone,
// and moves only the position it speaks as of.
func TestElsewhere(t *testing.T) {
	s := serve(t, knots(t))
	paths := []string{"/tools/ferrule", "/tools/grommet", "/compare/ferrule-vs-grommet", "/reviewers/cid", "/rules", "/events/9", "/compare?tools=ferrule,grommet"}
	before := map[string]answer{}
	for _, path := range paths {
		before[path] = s.page(path)
	}
	s.record(kit.Tool("other", "rings"), kit.Seat("dee"), kit.Review("other", "dee", events.Ship))
	for _, path := range paths {
		after := s.page(path)
		if after.Header.Get("Etag") != before[path].Header.Get("Etag") || after.Header.Get("Shiplog-Seq") != "22" {
			t.Errorf("%s: ETag %s, then %s at %s", path, before[path].Header.Get("Etag"), after.Header.Get("Etag"), after.Header.Get("Shiplog-Seq"))
		}
	}
	s.record(kit.Revise("ferrule", "ann", events.Skip, 2, 9))
	for _, path := range []string{"/tools/ferrule", "/tools/grommet", "/compare/ferrule-vs-grommet", "/compare?tools=ferrule,grommet"} {
		if after := s.page(path); after.Header.Get("Etag") == before[path].Header.Get("Etag") {
			t.Errorf("%s: stays as it was after a revision", path)
		}
	}
}

func TestMinSeq(t *testing.T) {
	s := serve(t, knots(t))
	s.page("/tools/ferrule", "Shiplog-Min-Seq", "19")
	a := s.get("/tools/ferrule", "Shiplog-Min-Seq", "20")
	if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" || !strings.Contains(string(a.body), "There is no event 20") {
		t.Errorf("beyond the head: got status %d\n%s", a.StatusCode, a.body)
	}
	if a := s.get("/", "Shiplog-Min-Seq", "many"); a.StatusCode != http.StatusBadRequest {
		t.Errorf("no number: got status %d", a.StatusCode)
	}

	s.ledger.Append(kit.Review("thimble", "ann", events.Ship))
	if a := s.get("/tools/thimble", "Shiplog-Min-Seq", "20"); a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(a.body), "is recorded but not shown here yet") {
		t.Errorf("recorded, not applied: got status %d\n%s", a.StatusCode, a.body)
	}
	var wait sync.WaitGroup
	wait.Go(s.apply)
	if a := s.get("/tools/thimble?at=20"); a.StatusCode != http.StatusOK || a.Header.Get("Shiplog-Seq") != "20" {
		t.Errorf("as of an event that is applied meanwhile: got status %d\n%s", a.StatusCode, a.body)
	}
	wait.Wait()
	if a := s.page("/tools/thimble", "Shiplog-Min-Seq", "20"); !strings.Contains(string(a.body), "Ann on Thimble: ship") {
		t.Error("the page does not hold the event it was asked for")
	}
}

// TestPast holds that a page of the past is what the page was then, but for the
// word that it is of the past.
func TestPast(t *testing.T) {
	l := knots(t)
	old := serveModel(t, l, kit.ModelOf(t, l, 14))
	now := serve(t, l)
	for _, path := range []string{"/tools/ferrule", "/tools", "/", "/compare?tools=ferrule,grommet", "/reviewers/ann", "/feeds", "/events/13"} {
		sign := "?"
		if strings.Contains(path, "?") {
			sign = "&"
		}
		then := main(old.page(path).body)
		for _, at := range []string{"14", "0014", kit.Time(14).Format("2006-01-02T15:04:05Z"), "2026-03-02T10:00:13%2B01:00", "2026-03-02T09:00:13.999Z"} {
			a := now.page(path + sign + "at=" + at)
			note := `<p class="note"><strong>As of event <a href="/events/14">`
			if !bytes.Contains(a.body, []byte(note)) || !bytes.Contains(a.body, []byte(`content="noindex"`)) {
				t.Errorf("%s at %s: the page does not say that it is of the past", path, at)
			}
			if a.Header.Get("Shiplog-Seq") != "14" || !strings.Contains(main(a.body), then) {
				t.Errorf("%s at %s: differs from what it was", path, at)
			}
		}
	}
	latest := now.page("/tools?at=2030-01-01T00:00:00Z")
	if latest.Header.Get("Shiplog-Seq") != "19" {
		t.Errorf("at a time to come: speaks as of %s", latest.Header.Get("Shiplog-Seq"))
	}
}

// main is what stands on a page after the note about the past.
func main(body []byte) string {
	_, rest, _ := strings.Cut(string(body), `<main id="main">`)
	rest, _, _ = strings.Cut(rest, "</main>")
	if strings.HasPrefix(strings.TrimSpace(rest), `<p class="note"><strong>As of`) {
		_, rest, _ = strings.Cut(rest, "</p>")
	}
	return strings.TrimSpace(rest)
}

func TestMethods(t *testing.T) {
	s := serve(t, knots(t))
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodOptions} {
		for _, path := range []string{"/", "/tools/ferrule", "/nowhere", "/robots.txt", "/favicon.ico", "/static/x"} {
			if a := s.do(method, path); a.StatusCode != http.StatusMethodNotAllowed || a.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: got status %d, Allow %q", method, path, a.StatusCode, a.Header.Get("Allow"))
			}
		}
	}
}

// TestFirstStart has a ledger that holds its opening alone, and one of which
// nothing is applied yet.
func TestFirstStart(t *testing.T) {
	s := serve(t, kit.Given(t))
	for _, path := range []string{"/", "/tools", "/compare", "/reviewers", "/feeds", "/rules", "/search", "/search?q=a", "/events/1", "/?at=1"} {
		checkHTML(t, path, s.page(path).body)
	}
	if a := s.page("/"); !strings.Contains(string(a.body), "The ledger is open") {
		t.Error("the front page does not say that nothing is reviewed")
	}
	s.record(kit.Seat("ann"), kit.Tool("ferrule", ""))
	if a := s.page("/"); !strings.Contains(string(a.body), `href="/events/3"`) {
		t.Error("the front page does not list the newest event")
	}
	s.record(kit.Review("ferrule", "ann", events.Ship), kit.Withdraw("ferrule", "ann"))
	if a := s.page("/"); strings.Contains(string(a.body), "The ledger is open") {
		t.Error("the front page forgets the review that was withdrawn")
	}

	none := serveModel(t, kit.Given(t), kit.ModelOf(t, kit.Given(t), 0))
	if a := none.get("/"); a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
		t.Errorf("nothing applied: got status %d", a.StatusCode)
	}
}

// TestMany asks for pages from many sides while events are applied.
func TestMany(t *testing.T) {
	s := serve(t, knots(t))
	paths := []string{"/", "/tools/ferrule", "/compare/ferrule-vs-grommet", "/events/19", "/search?q=ferr", "/tools?at=12", "/compare?tools=ferrule,thimble"}
	var wait sync.WaitGroup
	for i := range 12 {
		wait.Go(func() {
			for n := range 40 {
				path := paths[(i+n)%len(paths)]
				if a := s.get(path); a.StatusCode != http.StatusOK {
					t.Errorf("%s: got status %d\n%s", path, a.StatusCode, a.body)
				}
			}
		})
	}
	last := uint64(9)
	for n := range 30 {
		s.record(kit.Revise("ferrule", "ann", []events.Verdict{events.Ship, events.Skip}[n%2], int64(n+2), last))
		last = s.position()
	}
	wait.Wait()
	if a := s.page("/tools/ferrule"); a.Header.Get("Shiplog-Seq") != "49" || !strings.Contains(string(a.body), `Last changed by event <a href="/events/49">`) {
		t.Errorf("the page speaks as of %s", a.Header.Get("Shiplog-Seq"))
	}
}

// TestSmallCache holds that the bound of the cache changes no answer.
func TestSmallCache(t *testing.T) {
	l := demo(t)
	m := kit.Model(t, l)
	large := serveModel(t, l, m)
	paths := []string{"/", "/tools", "/tools/gantrel", "/compare", "/compare/cogmill-vs-gantrel", "/events/60", "/search?q=leaf"}
	for _, bytes := range []int64{1, 30_000, 70_000} {
		small := serveWith(t, l, web.Options{Model: m, Pages: newPages(t), CacheBytes: bytes})
		for range 3 {
			for _, path := range paths {
				if string(small.page(path).body) != string(large.page(path).body) {
					t.Errorf("%s: differs with %d bytes of cache", path, bytes)
				}
			}
		}
	}
}

func TestRoutes(t *testing.T) {
	l := kit.Given(t)
	m := kit.Model(t, l)
	if _, err := web.New(web.Options{Model: m}); err == nil {
		t.Error("a handler without pages was made")
	}
	gate := readhttp.New(readhttp.Options{Model: m})
	h, err := web.New(web.Options{Model: m, Pages: newPages(t), Gate: gate, Event: l.Get})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	h.Register(mux)
	known := map[string]bool{}
	for _, route := range h.Routes() {
		known[route] = true
	}
	for _, path := range []string{"/", "/search", "/tools/x", "/compare", "/compare/a-vs-b", "/categories/x", "/events/1", "/feeds", "/pictures/tools/x.png", "/pictures/compare/a-vs-b.png", "/static/x", "/favicon.ico", "/robots.txt", "/nowhere"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if _, pattern := mux.Handler(req); !known[pattern] {
			t.Errorf("%s is answered by %q, which is not among the routes", path, pattern)
		}
	}
}

// A client that does not wait for its page is no fault of the node, so it is neither
// 5xx nor told to the operator.
func TestClientGone(t *testing.T) {
	s := serve(t, kit.Given(t))
	s.read = func(ctx context.Context, _ uint64) ([]byte, error) { return nil, ctx.Err() }
	gone, leave := context.WithCancel(t.Context())
	leave()
	w := httptest.NewRecorder()
	s.mux.ServeHTTP(w, httptest.NewRequestWithContext(gone, http.MethodGet, "/events/1", http.NoBody))
	if w.Code != readhttp.StatusGivenUp {
		t.Errorf("got %d, want %d", w.Code, readhttp.StatusGivenUp)
	}
}
