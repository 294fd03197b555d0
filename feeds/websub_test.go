package feeds_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events"
	"shiplog/events/logtest"
	"shiplog/feeds"
	"shiplog/projections"
	"shiplog/projections/pages"
)

// A hub is a WebSub hub as publishers see it. It answers with what answer says.
type hub struct {
	t      *testing.T
	server *httptest.Server
	answer atomic.Pointer[func(w http.ResponseWriter, topic string)]
	topics chan string
}

func newHub(t *testing.T) *hub {
	h := &hub{t: t, topics: make(chan string, 1000)}
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		topic := r.PostFormValue("hub.url")
		if r.Method != http.MethodPost || r.PostFormValue("hub.mode") != "publish" || r.PostFormValue("hub.topic") != topic {
			t.Errorf("%s %s: %v", r.Method, r.Header.Get("Content-Type"), r.PostForm)
		}
		if answer := h.answer.Load(); answer != nil {
			(*answer)(w, topic)
		} else {
			w.WriteHeader(http.StatusNoContent)
		}
		h.topics <- topic
	}))
	t.Cleanup(h.server.Close)
	return h
}

// answers sets how the hub answers from now on.
func (h *hub) answers(fn func(w http.ResponseWriter, topic string)) { h.answer.Store(&fn) }

// hears waits for n notifications and returns their paths, sorted.
func (h *hub) hears(n int) []string {
	h.t.Helper()
	var got []string
	for range n {
		select {
		case topic := <-h.topics:
			got = append(got, strings.TrimPrefix(topic, base))
		case <-h.t.Context().Done():
			h.t.Fatal("the test ended")
		case <-time.After(20 * time.Second):
			h.t.Fatalf("the hub heard %d times of %d: %v", len(got), n, got)
		}
	}
	slices.Sort(got)
	return got
}

// herald follows the panel's ledger and tells the hub. The panel's events are
// applied by a projection from now on.
func (p *panel) herald(t *testing.T, h *hub) *prometheus.Registry {
	t.Helper()
	registry, stop := p.heraldOf(t, h, feeds.HeraldOptions{})
	t.Cleanup(stop)
	return registry
}

// heraldOf is the same with a bookmark or a log. When it is stopped it leaves
// everything as it stands.
func (p *panel) heraldOf(t *testing.T, h *hub, o feeds.HeraldOptions) (_ *prometheus.Registry, stop func()) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	runner := projections.NewRunner(p.model, projections.RunnerOptions{Follow: p.ledger.Follow, Head: p.ledger.Head, Get: p.ledger.Get})
	follows := make(chan struct{}) // closed when the herald knows where it begins
	begins := sync.OnceFunc(func() { close(follows) })
	o.Hub, o.BaseURL, o.Model, o.WaitLive = h.server.URL, base, p.model, runner.WaitLive
	o.WaitFor = func(ctx context.Context, seq uint64) error {
		begins()
		return runner.WaitFor(ctx, seq)
	}
	o.Gather, o.RetryLeast, o.RetryMost, o.Registry = 500*time.Millisecond, time.Millisecond, max(o.RetryMost, 20*time.Millisecond), registry
	herald, err := feeds.NewHerald(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 2)
	go func() { done <- runner.Run(ctx) }()
	go func() { done <- herald.Run(ctx) }()
	<-follows
	return registry, func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	}
}

// inAllFormats are the addresses of feeds, sorted.
func inAllFormats(paths ...string) []string {
	var out []string
	for _, path := range paths {
		for _, format := range feeds.Formats() {
			out = append(out, path+"."+string(format))
		}
	}
	slices.Sort(out)
	return out
}

// TestHubIsTold checks that a hub hears of each feed that changed, once, and
// fetches what is new under the address it was told.
func TestHubIsTold(t *testing.T) {
	p := newPanel(t, story()...)
	h := newHub(t)
	p.serve(feeds.Options{Hub: h.server.URL})
	p.herald(t, h)
	p.ledger.Append(submit("other", "builder", "skip", "Elsewhere."), submit("other", "skeptic", "skip", "No."))
	want := inAllFormats("/feeds/reviews", "/feeds/verdicts", "/feeds/tools/other", "/feeds/reviewers/builder", "/feeds/reviewers/skeptic", "/feeds/categories/ai-agents")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	for _, path := range want {
		feed := p.ok(path)
		if !strings.Contains(feed.body, "other") && !strings.Contains(path, "verdicts") {
			t.Errorf("%s, fetched when told, has nothing new", path)
		}
		if link := feed.header.Get("Link"); link != "<"+h.server.URL+`>; rel="hub", <`+base+path+`>; rel="self"` {
			t.Errorf("%s has the header Link: %s", path, link)
		}
		if !strings.Contains(feed.body, h.server.URL) || !strings.Contains(feed.body, base+path) {
			t.Errorf("%s does not name the hub and itself", path)
		}
	}
	p.ledger.Append(submit("smolvm", "builder", "skip", "Not any more."))
	want = inAllFormats("/feeds/reviews", "/feeds/verdicts", "/feeds/matchups", "/feeds/tools/smolvm", "/feeds/tools/agency", "/feeds/reviewers/builder", "/feeds/categories/ai-agents")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told of a tool with matchups (-want +got):\n%s", diff)
	}
	p.ledger.Append(tool("smolvm", "Small VM"))
	want = inAllFormats("/feeds/reviews", "/feeds/verdicts", "/feeds/matchups", "/feeds/tools/smolvm", "/feeds/tools/agency",
		"/feeds/reviewers/builder", "/feeds/reviewers/skeptic", "/feeds/reviewers/futurist", "/feeds/categories/ai-agents")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told of a new name of a tool (-want +got):\n%s", diff)
	}
	p.ledger.Append(&events.ToolRetired{Tool: "smolvm", Reason: "Gone."})
	want = inAllFormats("/feeds/matchups", "/feeds/tools/smolvm", "/feeds/tools/agency", "/feeds/categories/ai-agents")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told of a retired tool (-want +got):\n%s", diff)
	}
	p.ledger.Append(&events.ReviewerUnseated{Reviewer: "futurist", Reason: "Left."})
	want = inAllFormats("/feeds/reviews", "/feeds/verdicts", "/feeds/matchups", "/feeds/reviewers/futurist",
		"/feeds/tools/smolvm", "/feeds/tools/agency", "/feeds/categories/ai-agents")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told of a reviewer who left (-want +got):\n%s", diff)
	}
	p.ledger.Append(seat("novice", "The Novice", 9), tool("fresh", "Fresh"))
	want = inAllFormats("/feeds/reviewers/novice", "/feeds/tools/fresh", "/feeds/categories/ai-agents")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told of what is new (-want +got):\n%s", diff)
	}
	p.ledger.Append(&events.RulesPublished{Version: 1, Quorum: 4})
	want = inAllFormats("/feeds/verdicts", "/feeds/matchups", "/feeds/tools/smolvm", "/feeds/tools/agency", "/feeds/tools/other", "/feeds/tools/fresh",
		"/feeds/categories/ai-agents")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told of rules (-want +got):\n%s", diff)
	}
}

// TestHubHearsOfTheNameOfAMergeTarget renames the tool that one side of a matchup was
// merged into, whose name the matchup shows.
func TestHubHearsOfTheNameOfAMergeTarget(t *testing.T) {
	p := newPanel(t, append(story(), tool("target", "Target"), &events.ToolMerged{Tool: "agency", Into: "target"})...)
	h := newHub(t)
	p.herald(t, h)
	p.ledger.Append(tool("target", "The Target"))
	want := inAllFormats("/feeds/matchups", "/feeds/verdicts", "/feeds/reviews", "/feeds/tools/target", "/feeds/tools/agency", "/feeds/tools/smolvm", "/feeds/categories/ai-agents")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestHubThatFails checks that a hub that is down hears of everything later,
// that one that refuses a feed is not asked for ever, and that neither keeps a
// feed from being served.
func TestHubThatFails(t *testing.T) {
	p := newPanel(t, story()...)
	h := newHub(t)
	registry := p.herald(t, h)
	var tries atomic.Int64
	h.answers(func(w http.ResponseWriter, _ string) {
		tries.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	p.ledger.Append(seat("novice", "The Novice", 4))
	h.hears(3) // the same one, again and again
	p.ok("/feeds/reviews.atom")
	h.answers(func(w http.ResponseWriter, topic string) {
		if strings.HasSuffix(topic, ".rss") {
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
	})
	heard := map[string]bool{}
	for len(heard) < 3 {
		heard[h.hears(1)[0]] = true
	}
	for _, path := range inAllFormats("/feeds/reviewers/novice") {
		if !heard[path] {
			t.Errorf("the hub did not hear of %s: %v", path, heard)
		}
	}
	p.ledger.Append(seat("guest", "The Guest", 5))
	for got := ""; got != "/feeds/reviewers/guest.json"; {
		got = h.hears(1)[0]
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.Metric {
			for _, label := range metric.Label {
				counts[label.GetValue()] = metric.Counter.GetValue()
			}
		}
	}
	if counts["refused"] != 2 || counts["failed"] < 3 || counts["failed"] != float64(tries.Load()) {
		t.Errorf("counted %v after %d failures", counts, tries.Load())
	}
}

// TestHubHearsWhatItMissed ends a herald before it could tell the hub, and once more
// before it could see what there was to tell: the one after it tells both, and
// nothing that the hub had heard.
func TestHubHearsWhatItMissed(t *testing.T) {
	p := newPanel(t, story()...)
	h := newHub(t)
	o := feeds.HeraldOptions{Bookmark: filepath.Join(t.TempDir(), "hub.json")}
	p.heard(h, o.Bookmark)
	_, stop := p.heraldOf(t, h, o)
	head := p.ledger.Append(seat("heard", "Heard Of", 4))
	h.hears(3)
	waitToKeep(t, o.Bookmark, head)
	h.answers(func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusServiceUnavailable) })
	p.ledger.Append(seat("novice", "The Novice", 5))
	h.hears(1)
	stop()
	p.record(seat("guest", "The Guest", 6))
	for len(h.topics) > 0 {
		<-h.topics
	}
	h.answers(func(http.ResponseWriter, string) {})
	_, stop = p.heraldOf(t, h, o)
	want := inAllFormats("/feeds/reviewers/guest", "/feeds/reviewers/novice")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told of what was missed (-want +got):\n%s", diff)
	}
	p.ledger.Append(seat("last", "The Last", 7))
	want = inAllFormats("/feeds/reviewers/last")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told after that (-want +got):\n%s", diff)
	}
	stop()
}

// TestHubHearsOfEveryFeedItMayHaveMissed tears the bookmark, or takes it away: how far
// the hub was told is not known, so it is told of all there is, once, and the log says
// why.
func TestHubHearsOfEveryFeedItMayHaveMissed(t *testing.T) {
	for name, torn := range map[string]string{
		"nothing": "", "half of it": `{"hub`, "zeros": "\x00\x00\x00\x00", "deleted": deleted, "of another hub": `{"hub":"https://hub.example/","ledger":"LEDGER","seq":13}`,
		"of another ledger": `{"hub":"HUB","ledger":"x","seq":13}`, "of events there are not": `{"hub":"HUB","ledger":"LEDGER","seq":15}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newPanel(t, story()...)
			h := newHub(t)
			var log logtest.Book
			o := feeds.HeraldOptions{Bookmark: filepath.Join(t.TempDir(), "hub.json"), Log: slog.New(slog.NewTextHandler(&log, nil))}
			if torn != deleted {
				spoil(t, o.Bookmark, p.fill(torn, h))
			}
			_, stop := p.heraldOf(t, h, o)
			want := inAllFormats(append(slices.Collect(maps.Keys(paths())), "/feeds/reviewers/skeptic", "/feeds/reviewers/futurist")...)
			if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			waitToKeep(t, o.Bookmark, 14)
			stop()
			if text := log.String(); !strings.Contains(text, "the hub is told of every feed") || !strings.Contains(text, o.Bookmark) {
				t.Errorf("logged: %s", text)
			}
			log = logtest.Book{}
			_, stop = p.heraldOf(t, h, o)
			p.ledger.Append(seat("newest", "The Newest", 8))
			want = inAllFormats("/feeds/reviewers/newest")
			if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
				t.Errorf("told after that (-want +got):\n%s", diff)
			}
			stop()
			if text := log.String(); text != "" {
				t.Errorf("logged with a whole bookmark: %s", text)
			}
		})
	}
}

// TestHubHearsOfALongAbsence has more feeds change while no herald runs than may wait
// to be told of, by thousands of events: the hub hears of each, once.
func TestHubHearsOfALongAbsence(t *testing.T) {
	p := newPanel(t, seat("builder", "The Builder", 1))
	h := newHub(t)
	o := feeds.HeraldOptions{Bookmark: filepath.Join(t.TempDir(), "hub.json")}
	p.heard(h, o.Bookmark)
	const tools = 1300
	list := crowd(1, tools, "Fine.")
	p.record(list...)
	changed := []string{"/feeds/reviews", "/feeds/verdicts", "/feeds/reviewers/builder", "/feeds/categories/ai-agents"}
	for _, e := range list {
		if e, ok := e.(*events.ToolRegistered); ok {
			changed = append(changed, "/feeds/tools/"+e.Tool)
		}
	}
	_, stop := p.heraldOf(t, h, o)
	defer stop()
	want := inAllFormats(changed...)
	if len(want) < 3*tools {
		t.Fatalf("%d feeds change, want %d", len(want), 3*tools)
	}
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	p.ledger.Append(seat("newest", "The Newest", 8))
	if got := h.hears(1); !strings.HasPrefix(got[0], "/feeds/reviewers/newest.") {
		t.Errorf("told of %s after that", got)
	}
}

// deleted is a file that is not there.
const deleted = "deleted"

// TestHubHearsNothingOfAnEmptyLedger begins to tell a hub of a ledger that was just
// opened: it hears of what is recorded then, and the log has no line.
func TestHubHearsNothingOfAnEmptyLedger(t *testing.T) {
	p := newPanel(t)
	h := newHub(t)
	var log logtest.Book
	_, stop := p.heraldOf(t, h, feeds.HeraldOptions{Bookmark: filepath.Join(t.TempDir(), "hub.json"), Log: slog.New(slog.NewTextHandler(&log, nil))})
	defer stop()
	p.ledger.Append(seat("first", "The First", 1))
	want := inAllFormats("/feeds/reviewers/first")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if text := log.String(); text != "" {
		t.Errorf("logged: %s", text)
	}
}

// heard writes a bookmark that says that a hub has heard of everything.
func (p *panel) heard(h *hub, bookmark string) {
	p.t.Helper()
	spoil(h.t, bookmark, p.fill(`{"hub":"HUB","ledger":"LEDGER","seq":SEQ}`, h))
}

// fill puts what there is into a bookmark.
func (p *panel) fill(bookmark string, h *hub) string {
	p.t.Helper()
	s, err := p.model.At(p.t.Context(), 0)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close()
	return strings.NewReplacer("HUB", h.server.URL, "LEDGER", s.Ledger().ID, "SEQ", fmt.Sprint(s.Seq())).Replace(bookmark)
}

func spoil(t *testing.T, bookmark, text string) {
	t.Helper()
	if err := os.WriteFile(bookmark, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func waitToKeep(t *testing.T, bookmark string, seq uint64) {
	t.Helper()
	for tick := time.Tick(time.Millisecond); !keeps(bookmark, seq); <-tick {
		if t.Context().Err() != nil {
			t.Fatal("the bookmark is not written")
		}
	}
}

// keeps reports whether a bookmark says that the hub has heard of everything up to
// an event.
func keeps(bookmark string, seq uint64) bool {
	raw, err := os.ReadFile(bookmark)
	return err == nil && strings.Contains(string(raw), fmt.Sprintf(`"seq":%d}`, seq))
}

// TestNoHub checks that nothing is announced unless there is a hub, and that
// archives, which never change, announce none.
func TestNoHub(t *testing.T) {
	p := newPanel(t, story()...)
	for path := range paths() {
		for _, format := range feeds.Formats() {
			a := p.ok(path + "." + string(format))
			if strings.Contains(a.body, `hub`) || a.header.Get("Link") != "" {
				t.Errorf("%s.%s announces a hub: %s", path, format, a.header.Get("Link"))
			}
		}
	}
	p.serve(feeds.Options{Hub: "https://hub.example/"})
	for _, path := range []string{"/feeds/reviews/archive/1.atom", "/feeds.opml"} {
		if a := p.ok(path); strings.Contains(a.body, "hub.example") || a.header.Get("Link") != "" {
			t.Errorf("%s announces a hub", path)
		}
	}
	for _, address := range []string{"hub.example", "ftp://hub.example/", "https:///x", "https://hub.example/#x", "https://hub.example/<x>", "::"} {
		if _, err := feeds.New(feeds.Options{Model: p.model, Site: pages.Site{BaseURL: base}, Hub: address}); err == nil {
			t.Errorf("the hub %q is taken", address)
		}
	}
}

func TestCheckHub(t *testing.T) {
	for address, want := range map[string]bool{
		"https://hub.example/": true, "http://127.0.0.1:8080/hub?a=b": true, "https://[::1]:65535/": true,
		"hub.example": false, "ftp://hub.example/": false, "https:///": false, "https://hub.example:65536/": false,
		"https://hub.example:0/": false, "https://hub.example/#a": false, "https://hub.example/<a>": false, "https://me:secret@hub.example/": false,
	} {
		if err := feeds.CheckHub(address); (err == nil) != want {
			t.Errorf("%q: %v, want an address of a hub: %v", address, err, want)
		}
	}
}
