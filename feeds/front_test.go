package feeds_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/projections/pages"
	"shiplog/projections/readhttp"
)

// TestFrontAnswersAsRoutes asks two handlers of one model the same, of which one
// has a front, and compares all that is seen of it: by clients, by who wraps the
// mux, and in metrics. Events come in between that change feeds and that do not,
// and a rebuild.
func TestFrontAnswersAsRoutes(t *testing.T) {
	p := newPanel(t, append(story(), tool("agency-2", "Agency II"), seat("critic", "The Critic", 4))...)
	routes, front := p.side(false), p.side(true)
	tags := map[string][]string{} // by path, those that have been
	compare := func(stage string, least int) {
		t.Helper()
		front.short = 0
		for _, path := range append(askedPaths(), "/feeds/tools/nothing.atom", "/feeds/verdicts.html", "/feeds/tools%2Fsmolvm.atom", "/feeds/verdicts%2Eatom", "//feeds/reviews.atom") {
			for _, ask := range askings(tags[path]) {
				got := front.ask(path, ask)
				if diff := cmp.Diff(routes.ask(path, ask), got); diff != "" {
					t.Fatalf("%s: %v %s (-by the routes +by the front):\n%s", stage, ask, path, diff)
				}
				if tag := got.Header.Get("Etag"); tag != "" && !slices.Contains(tags[path], tag) {
					tags[path] = append(tags[path], tag)
				}
			}
		}
		if diff := cmp.Diff(routes.requests(t), front.requests(t)); diff != "" {
			t.Errorf("%s: metrics (-by the routes +by the front):\n%s", stage, diff)
		}
		if front.short < least {
			t.Errorf("%s: %d answers came from the front, want at least %d", stage, front.short, least)
		}
	}
	feeds := len(askedPaths())
	compare("first", 0)
	compare("unchanged", 10*feeds)
	p.record(submit("other", "builder", "skip", "In some feeds."))
	compare("after an event", 3*feeds)
	p.record(&events.ToolMerged{Tool: "agency-2", Into: "agency"})
	compare("after a merge", 3*feeds)
	compare("unchanged since", 10*(feeds-1))
	fresh, err := p.model.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	head, _ := p.model.Position()
	if err := fresh.Apply(t.Context(), p.ledger.Events(t, 1, head)); err != nil {
		t.Fatal(err)
	}
	if err := fresh.Switch(); err != nil {
		t.Fatal(err)
	}
	compare("after a rebuild", 3*feeds)
}

func askedPaths() []string {
	list := []string{"/feeds.opml", "/feeds/categories/ai-agents.opml", "/feeds/tools/agency-2.atom"}
	for path := range paths() {
		for _, format := range feeds.Formats() {
			list = append(list, path+"."+string(format))
		}
	}
	slices.Sort(list)
	return list
}

// An asking is a method with headers in pairs.
type asking struct {
	method  string
	headers []string
}

// askings are those of readers that know validators, from without to all at once.
func askings(tags []string) (list []asking) {
	conditions := [][]string{
		nil,
		{"If-None-Match", "*"},
		{"If-None-Match", ""},
		{"If-None-Match", "nonsense"},
		{"If-None-Match", `"other"`},
		{"If-Modified-Since", "yesterday"},
		{"If-Modified-Since", "Mon, 02 Mar 2026 09:00:00 GMT"},
		{"If-Modified-Since", "Wed, 01 Apr 2026 09:00:00 GMT"},
		{"If-None-Match", `"other"`, "If-Modified-Since", "Wed, 01 Apr 2026 09:00:00 GMT"},
		{"If-None-Match", "*", readhttp.MinSeqHeader, "3"},
		{"If-None-Match", "*", readhttp.MinSeqHeader, ""},
		{"If-None-Match", "*", readhttp.MinSeqHeader, "soon"},
	}
	for _, tag := range tags {
		strong := strings.TrimPrefix(tag, "W/")
		conditions = append(conditions, []string{"If-None-Match", tag}, []string{"If-None-Match", strong}, []string{"If-None-Match", `"a", ` + tag},
			[]string{"If-None-Match", strings.TrimSuffix(strong, `"`) + `-gzip"`}, []string{"If-None-Match", tag + " x"},
			[]string{"If-None-Match", tag, "If-Modified-Since", "Mon, 02 Mar 2026 09:00:00 GMT"},
			[]string{"If-None-Match", tag, "User-Agent", "Feedbin feed-id:1 - 7 subscribers", "Accept-Encoding", "gzip", "Range", "bytes=0-9", "A-IM", "feed"})
	}
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		for _, headers := range conditions {
			list = append(list, asking{method, headers})
		}
	}
	return list
}

// A side is a handler of its own, asked with or without its front.
type side struct {
	handler  http.Handler
	registry *prometheus.Registry
	short    int // answers that the routes did not give
}

func (p *panel) side(withFront bool) *side {
	p.t.Helper()
	s := &side{registry: prometheus.NewPedanticRegistry()}
	h, err := feeds.New(feeds.Options{
		Model: p.model, Site: pages.Site{BaseURL: base, Title: "The Panel"}, Registry: s.registry, Hub: "https://hub.example/",
		Gate: readhttp.New(readhttp.Options{Model: p.model, Head: p.ledger.Head}),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	mux := http.NewServeMux()
	h.Register(mux)
	s.handler = mux
	if withFront {
		s.handler = h.Front(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.short--
			mux.ServeHTTP(w, r)
		}))
	}
	return s
}

// seen is what there is to see of an answer.
type seen struct {
	Status        int
	Header        http.Header
	Body, Pattern string
}

func (s *side) ask(path string, a asking) seen {
	r, w := httptest.NewRequest(a.method, path, http.NoBody), httptest.NewRecorder()
	for i := 0; i+1 < len(a.headers); i += 2 {
		r.Header[http.CanonicalHeaderKey(a.headers[i])] = []string{a.headers[i+1]}
	}
	s.short++
	s.handler.ServeHTTP(w, r)
	return seen{w.Code, w.Header(), w.Body.String(), r.Pattern}
}

// requests are all metrics but of how often feeds were built.
func (s *side) requests(t *testing.T) map[string]string {
	t.Helper()
	families, err := s.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range families {
		if f.GetName() == "shiplog_feed_builds_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			if m.GetCounter() != nil {
				m.GetCounter().CreatedTimestamp = nil
			}
		}
		texts[f.GetName()] = f.String()
	}
	return texts
}
