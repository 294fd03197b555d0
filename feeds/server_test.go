package feeds_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/projections"
	"shiplog/projections/pages"
	"shiplog/projections/projectionstest"
)

// A panel is a ledger, its read model and a server of feeds.
type panel struct {
	t        testing.TB
	ledger   *projectionstest.Ledger
	model    *projections.Model
	registry *prometheus.Registry
	server   *httptest.Server
	now      time.Time
	busy     sync.WaitGroup // requests that are being answered
}

func newPanel(t testing.TB, payloads ...events.Payload) *panel {
	t.Helper()
	p := &panel{t: t, ledger: projectionstest.Given(t, payloads...), now: moment("2030-01-01T00:00:00Z")}
	p.model = projectionstest.Model(t, p.ledger)
	p.serve(feeds.Options{})
	return p
}

// serve starts another server of the same model.
func (p *panel) serve(o feeds.Options) {
	p.t.Helper()
	p.registry = prometheus.NewPedanticRegistry()
	o.Model, o.Registry, o.Now = p.model, p.registry, func() time.Time { return p.now }
	if o.Site.BaseURL == "" {
		o.Site.BaseURL = base + "/"
	}
	if o.Site.Title == "" {
		o.Site.Title = "The Panel"
	}
	h, err := feeds.New(o)
	if err != nil {
		p.t.Fatal(err)
	}
	mux := http.NewServeMux()
	h.Register(mux)
	front := h.Front(mux)
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.busy.Add(1)
		defer p.busy.Done()
		front.ServeHTTP(w, r)
	}))
	p.t.Cleanup(p.server.Close)
}

// metrics are all metrics, when what was asked for is counted: a client can
// have an answer before that.
func (p *panel) metrics() []*dto.MetricFamily {
	p.t.Helper()
	p.busy.Wait()
	families, err := p.registry.Gather()
	if err != nil {
		p.t.Fatal(err)
	}
	return families
}

// record appends events and applies them; it returns the last sequence.
func (p *panel) record(payloads ...events.Payload) uint64 {
	p.t.Helper()
	from, _ := p.model.Position()
	to := p.ledger.Append(payloads...)
	if err := p.model.Apply(p.t.Context(), p.ledger.Events(p.t, from+1, to)); err != nil {
		p.t.Fatal(err)
	}
	return to
}

// An answer is a response that was read.
type answer struct {
	status int
	header http.Header
	body   string
}

// get asks without following redirects or unpacking. Headers come in pairs.
func (p *panel) get(path string, headers ...string) answer {
	p.t.Helper()
	return p.ask(http.MethodGet, path, headers...)
}

func (p *panel) ask(method, path string, headers ...string) answer {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.server.URL+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "identity")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return p.send(r)
}

func (p *panel) send(r *http.Request) answer {
	p.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer{status: res.StatusCode, header: res.Header, body: string(body)}
}

// ok is get of what must be there.
func (p *panel) ok(path string, headers ...string) answer {
	p.t.Helper()
	a := p.get(path, headers...)
	if a.status != http.StatusOK {
		p.t.Fatalf("GET %s: %d %s", path, a.status, a.body)
	}
	return a
}

func seat(slug, name string, order int64) events.Payload {
	return &events.ReviewerSeated{Reviewer: slug, Name: name, Kind: "ai", Order: order}
}

func tool(slug, name string, aliases ...string) events.Payload {
	return &events.ToolRegistered{Tool: slug, Name: name, Category: "ai-agents", Aliases: aliases}
}

func submit(tool, reviewer, verdict, body string) events.Payload {
	return &events.ReviewSubmitted{Review: events.Review{Tool: tool, Reviewer: reviewer, Verdict: verdict, Body: body}}
}

func revise(tool, reviewer, verdict, body string, revision int64, replaces uint64) events.Payload {
	return &events.ReviewRevised{
		Review:   events.Review{Tool: tool, Reviewer: reviewer, Verdict: verdict, Body: body, Reason: "A new version."},
		Revision: revision, Replaces: int64(replaces), //nolint:gosec // small
	}
}

// story is a small panel: two tools judged by three reviewers, compared; a
// third one without reviews. Sequences begin at 2.
func story() []events.Payload {
	return []events.Payload{
		seat("builder", "The Builder", 1),                           // 2
		seat("skeptic", "The Skeptic", 2),                           // 3
		seat("futurist", "The Futurist", 3),                         // 4
		tool("smolvm", "smolvm", "small-vm"),                        // 5
		tool("agency", "Agency <beta>"),                             // 6
		tool("other", "Other"),                                      // 7
		submit("smolvm", "builder", "ship", "Starts in no time."),   // 8
		submit("smolvm", "skeptic", "skip", "Early & undocumented"), // 9
		submit("smolvm", "futurist", "ship", "A missing layer."),    // 10: Ship 2 of 3
		submit("agency", "builder", "ship", "A clean primitive."),   // 11
		submit("agency", "skeptic", "ship", "Fine."),                // 12
		submit("agency", "futurist", "ship", "Early to the bet."),   // 13: Ship 3 of 3
		&events.MatchupOpened{Left: "agency", Right: "smolvm"},      // 14
	}
}

// paths are all feeds of the story with their titles.
func paths() map[string]string {
	out := map[string]string{}
	for _, f := range []pages.Feed{
		pages.MatchupsFeed(), pages.VerdictsFeed(), pages.ReviewsFeed(), pages.ToolFeed("smolvm", "smolvm"),
		pages.ToolFeed("agency", "Agency <beta>"), pages.ToolFeed("other", "Other"), pages.ReviewerFeed("builder", "The Builder"), pages.CategoryFeed("ai-agents"),
	} {
		out[f.Path] = f.Title("The Panel")
	}
	return out
}

// etag is the validator of an answer without its W/.
func (a answer) etag() string { return strings.TrimPrefix(a.header.Get("Etag"), "W/") }
