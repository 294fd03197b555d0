package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/events/schema"
	"shiplog/projections/api"
	"shiplog/projections/projectionstest"
	"shiplog/projections/readhttp"
)

func TestProblems(t *testing.T) {
	s := serve(t, panel()...)
	for _, test := range []struct {
		name, request string
		header        []string
		status        int
		detail        string // part of it
	}{
		{"tool", "GET /api/v1/tools/zzz", nil, 404, `there is no tool "zzz"; GET /api/v1/tools lists all`},
		{"tool, mistyped", "GET /api/v1/tools/bellos", nil, 404, `there is no tool "bellos"; did you mean bellows?`},
		{"tool, not then", "GET /api/v1/tools/dross?at=20", nil, 404, `there is no tool "dross" as of event 20`},
		{"tool, no slug", "GET /api/v1/tools/%00%ff", nil, 404, "there is no tool"},
		{"tool, endless", "GET /api/v1/tools/" + strings.Repeat("a", 5000), nil, 404, "there is no tool"},
		{"reviewer", "GET /api/v1/reviewers/zzz", nil, 404, `there is no reviewer "zzz"; GET /api/v1/reviewers lists all`},
		{"reviewer, mistyped", "GET /api/v1/reviewers/skeptik", nil, 404, "did you mean skeptic?"},
		{"matchup of a stranger", "GET /api/v1/matchups/anvil/zzz", nil, 404, `there is no tool "zzz"`},
		{"matchup never opened", "GET /api/v1/matchups/bellows/crucible", nil, 404, "there is no matchup of bellows and crucible; "},
		{"matchup with itself", "GET /api/v1/matchups/anvil/amb", nil, 404, "are the same tool"},
		{"matchups of a stranger", "GET /api/v1/matchups?tool=zzz", nil, 404, `there is no tool "zzz"`},
		{"after a stranger", "GET /api/v1/reviewers?after=zzz", nil, 400, `after: there is no reviewer "zzz"`},
		{"limit 0", "GET /api/v1/tools?limit=0", nil, 400, `limit must be a whole number from 1 to 1000; got "0"`},
		{"limit no number", "GET /api/v1/events?limit=x", nil, 400, `limit must be a whole number from 1 to 1000; got "x"`},
		{"after no number", "GET /api/v1/events?after=1e3", nil, 400, `after must be a whole number from 0 on; got "1e3"`},
		{"all no boolean", "GET /api/v1/tools?all=maybe", nil, 400, `all must be true or false; got "maybe"`},
		{"limit too large", "GET /api/v1/events?limit=1001", nil, 400, `limit must be a whole number from 1 to 1000; got "1001"`},
		{"limit of matchups no number", "GET /api/v1/matchups?limit=many", nil, 400, `limit must be a whole number from 1 to 1000; got "many"`},
		{"after negative", "GET /api/v1/events?after=-1", nil, 400, `after must be a whole number from 0 on; got "-1"`},
		{"label", "GET /api/v1/tools?label=best", nil, 400, "label: expected value to be one of"},
		{"two at once", "GET /api/v1/tools?label=best&limit=0", nil, 400, `; limit must be a whole number from 1 to 1000; got "0"`},
		{"at 0", "GET /api/v1/tools?at=0", nil, 404, "at=0 is before event 1"},
		{"at before", "GET /api/v1/tools?at=2026-03-02T08:59:59Z", nil, 404, "is before event 1"},
		{"at beyond", "GET /api/v1/tools?at=900", nil, 400, "there is no event 900: the last one is 27"},
		{"at too large", "GET /api/v1/tools?at=99999999999999999999999", nil, 400, "there is no event 99999999999999999999999: the last one is 27"},
		{"at endless", "GET /api/v1/tools?at=" + strings.Repeat("9", 5000), nil, 400, strings.Repeat("9", 64) + "…: the last one is 27"},
		{"parameter unknown", "GET /api/v1/tools?limits=5", nil, 400, `there is no parameter "limits" here; there are after, all, at, category, label, limit`},
		{"parameters unknown", "GET /api/v1/tools/anvil?utm_source=x&limit=1&at=9", nil, 400, `there is no parameter "limit" or "utm_source" here; there is at`},
		{"parameter in capitals", "GET /api/v1/events?Limit=5", nil, 400, `there is no parameter "Limit" here; there are after, at, limit`},
		{"parameter endless", "GET /api/v1/tools?" + strings.Repeat("x", 5000), nil, 400, `there is no parameter "` + strings.Repeat("x", 80) + `"… here`},
		{"query not to be decoded", "GET /api/v1/events?%zz", nil, 400, `the query cannot be read: invalid URL escape "%zz"`},
		{"at not to be decoded", "GET /api/v1/tools/anvil?at=%zz", nil, 400, `the query cannot be read: invalid URL escape "%zz"`},
		{"semicolon", "GET /api/v1/tools?at=9;limit=1", nil, 400, "the query cannot be read: invalid semicolon"},
		{"limit twice", "GET /api/v1/events?limit=1&limit=2", nil, 400, "limit is given 2 times; give it once"},
		{"at twice", "GET /api/v1/matchups?at=1&at=2&%61t=2", nil, 400, "at is given 3 times"},
		{"at without a value", "GET /api/v1/tools?at", nil, 400, "at needs a value; give it one, or leave it out"},
		{"at empty", "GET /api/v1/reviewers/builder?at=", nil, 400, "at needs a value"},
		{"limit and label empty", "GET /api/v1/tools?label=&limit=", nil, 400, "label needs a value; give it one, or leave it out; limit needs a value"},
		{"all without a value", "GET /api/v1/tools?all&limit=1", nil, 400, "all needs a value"},
		{"cursor without a value", "GET /api/v1/events?after", nil, 400, "after needs a value"},
		{"at nonsense", "GET /api/v1/tools?at=yesterday", nil, 400, `an RFC 3339 time such as 2026-05-01T09:00:00Z; got "yesterday"`},
		{"beyond the head", "GET /api/v1/tools", []string{"Shiplog-Min-Seq", "28"}, 503, "there is no event 28: the last one is 27"},
		{"min seq nonsense", "GET /api/v1/tools", []string{"Shiplog-Min-Seq", "x"}, 400, "Shiplog-Min-Seq must be the sequence"},
		{"no address", "GET /api/v2/tools", nil, 404, "GET /api/openapi.json describes all"},
		{"no address, posted", "POST /api/v1/reviews", nil, 404, "there is no such address"},
		{"method", "DELETE /api/v1/tools/anvil", nil, 405, "DELETE is not taken here; this address takes GET, HEAD"},
		{"method of events", "PUT /api/v1/events", nil, 405, "takes GET, HEAD, POST"},
		{"method of the document", "POST /api/openapi.json", nil, 405, "takes GET, HEAD"},
		{"schema", "GET /api/schema/shiplog.tool.painted.v1", nil, 404, `there is no event type "shiplog.tool.painted.v1"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			method, path, _ := strings.Cut(test.request, " ")
			resp, body := s.ask(t, method, path, test.header...)
			if got := resp.Header.Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("Content-Type %q", got)
			}
			var p api.ProblemDetails
			if err := json.Unmarshal(body, &p); err != nil {
				t.Fatalf("%v in %s", err, body)
			}
			if resp.StatusCode != test.status || p.Status != test.status || p.Title != http.StatusText(test.status) || p.Type != "about:blank" {
				t.Errorf("got %d with %+v, want %d", resp.StatusCode, p, test.status)
			}
			if !strings.Contains(p.Detail, test.detail) {
				t.Errorf("detail %q, want %q in it", p.Detail, test.detail)
			}
			if got := resp.Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control %q, want no-store", got)
			}
			if (resp.Header.Get("Retry-After") != "") != (test.status == 503) {
				t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
			}
			if (resp.Header.Get("Allow") != "") != (test.status == 405) {
				t.Errorf("Allow %q", resp.Header.Get("Allow"))
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	s := serve(t, panel()...)
	for _, test := range []struct{ path, to string }{
		{"/api/v1/tools/amb", "/api/v1/tools/anvil"},
		{"/api/v1/tools/amb?at=12", "/api/v1/tools/anvil?at=12"},
		{"/api/v1/tools/amb?at=2026-03-02T12:00:00%2B01:00", "/api/v1/tools/anvil?at=2026-03-02T12%3A00%3A00%2B01%3A00"},
		{"/api/v1/tools/anvil-app", "/api/v1/tools/anvil"},
		{"/api/v1/tools/anvil-app?at=23", ""},
		{"/api/v1/matchups/anvil/bellows", "/api/v1/matchups/bellows/anvil"},
		{"/api/v1/matchups/bellows/amb", "/api/v1/matchups/bellows/anvil"},
		{"/api/v1/matchups/amb/bellows?at=20", "/api/v1/matchups/bellows/anvil?at=20"},
	} {
		resp, body := s.ask(t, "GET", test.path)
		want := http.StatusMovedPermanently
		if test.to == "" {
			want = http.StatusOK
		}
		if resp.StatusCode != want || resp.Header.Get("Location") != test.to {
			t.Errorf("%s: got %d to %q, want %d to %q: %s", test.path, resp.StatusCode, resp.Header.Get("Location"), want, test.to, body)
		}
		if resp.Header.Get(readhttp.SeqHeader) == "" {
			t.Errorf("%s: no %s", test.path, readhttp.SeqHeader)
		}
	}
}

func TestConditionalReads(t *testing.T) {
	s := serve(t, panel()...)
	for _, path := range []string{
		"/api/v1/events", "/api/v1/tools", "/api/v1/tools/anvil", "/api/v1/matchups", "/api/v1/matchups/bellows/anvil",
		"/api/v1/reviewers", "/api/v1/reviewers/builder", "/api/openapi.json", "/api/schema/shiplog.tool.merged.v1", "/api/asyncapi.yaml",
	} {
		resp, body := s.ask(t, "GET", path)
		tag := resp.Header.Get("Etag")
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(tag, `W/"`) || resp.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d, ETag %q, Cache-Control %q", path, resp.StatusCode, tag, resp.Header.Get("Cache-Control"))
		}
		head, none := s.ask(t, "HEAD", path)
		if head.StatusCode != http.StatusOK || len(none) > 0 || head.ContentLength != int64(len(body)) || head.Header.Get("Etag") != tag {
			t.Errorf("HEAD %s: %d with %d bytes, Content-Length %d, ETag %q", path, head.StatusCode, len(none), head.ContentLength, head.Header.Get("Etag"))
		}
		if same, _ := s.ask(t, "GET", path, "If-None-Match", tag); same.StatusCode != http.StatusNotModified || same.Header.Get("Etag") != tag {
			t.Errorf("%s again: %d", path, same.StatusCode)
		}
	}
}

func TestPositionIsOutsideTheTag(t *testing.T) {
	s := serve(t, panel()...)
	before, _ := s.ask(t, "GET", "/api/v1/tools/crucible")
	seq := s.ledger.Append(&events.ToolRegistered{Tool: "ember", Name: "Ember"})
	after, _ := s.ask(t, "GET", "/api/v1/tools/crucible", readhttp.MinSeqHeader, strconv.FormatUint(seq, 10))
	if got := after.Header.Get(readhttp.SeqHeader); got != strconv.FormatUint(seq, 10) {
		t.Errorf("%s is %s, want %d", readhttp.SeqHeader, got, seq)
	}
	if before.Header.Get("Etag") != after.Header.Get("Etag") {
		t.Error("an event elsewhere changed the ETag")
	}
	then, _ := s.ask(t, "GET", "/api/v1/tools/crucible?at=19")
	if got := then.Header.Get(readhttp.SeqHeader); got != "19" {
		t.Errorf("as of event 19 %s is %s", readhttp.SeqHeader, got)
	}
}

// A position that is asked for by at is waited for as well.
func TestAtWaits(t *testing.T) {
	s := serve(t, panel()...)
	seq := s.ledger.Append(&events.ToolRegistered{Tool: "ember", Name: "Ember"})
	if got := get[api.ToolDetail](t, s, fmt.Sprintf("/api/v1/tools/ember?at=%d", seq)); got.Name != "Ember" {
		t.Errorf("got %+v", got)
	}
}

func TestPages(t *testing.T) {
	s := serve(t, panel()...)
	var tools []string
	for after, more := "", true; more; {
		page := get[api.ToolPage](t, s, "/api/v1/tools?all=true&limit=2&after="+after)
		for _, tool := range page.Tools {
			tools = append(tools, tool.Tool)
		}
		if more = page.Next != nil; more {
			after = *page.Next
		}
	}
	if diff := cmp.Diff([]string{"anvil", "anvil-app", "bellows", "crucible", "dross"}, tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestMatchupPages(t *testing.T) {
	s := serve(t, panel()...)
	first := get[api.MatchupPage](t, s, "/api/v1/matchups?limit=1")
	if first.Total != 2 || len(first.Matchups) != 1 || first.Next == nil || first.Matchups[0].Seq != 21 {
		t.Fatalf("first page %+v", first)
	}
	second := get[api.MatchupPage](t, s, fmt.Sprintf("/api/v1/matchups?limit=1&before=%d", *first.Next))
	if len(second.Matchups) != 1 || second.Next != nil || second.Matchups[0].Seq != 20 {
		t.Errorf("second page %+v", second)
	}
	if of := get[api.MatchupPage](t, s, "/api/v1/matchups?tool=bellows"); len(of.Matchups) != 1 || of.Total != 1 {
		t.Errorf("of one tool: %+v", of)
	}
}

func TestReviewerPages(t *testing.T) {
	s := serve(t, panel()...)
	first := get[api.ReviewerPage](t, s, "/api/v1/reviewers?limit=3")
	if len(first.Reviewers) != 3 || first.Next == nil || *first.Next != "founder" || first.Total != 4 {
		t.Fatalf("first page %+v", first)
	}
	second := get[api.ReviewerPage](t, s, "/api/v1/reviewers?limit=3&after="+*first.Next)
	if len(second.Reviewers) != 1 || second.Next != nil || second.Reviewers[0].Reviewer != "creator" {
		t.Errorf("second page %+v", second)
	}
	reviews := get[api.ReviewerDetail](t, s, "/api/v1/reviewers/builder?limit=2")
	if len(reviews.Reviews) != 2 || reviews.Next == nil || reviews.ReviewsTotal != 3 {
		t.Fatalf("first reviews %+v", reviews)
	}
	rest := get[api.ReviewerDetail](t, s, fmt.Sprintf("/api/v1/reviewers/builder?limit=2&before=%d", *reviews.Next))
	if len(rest.Reviews) != 1 || rest.Next != nil || rest.Reviews[0].Seq >= reviews.Reviews[1].Seq {
		t.Errorf("second reviews %+v", rest)
	}
}

func TestEventsAreVerbatim(t *testing.T) {
	s := serve(t, panel()...)
	head, _ := s.ledger.Head(t.Context())
	var got uint64
	for after, more := uint64(0), true; more; {
		page := get[api.EventPage](t, s, fmt.Sprintf("/api/v1/events?limit=10&after=%d", after))
		for _, e := range page.Events {
			want, err := s.ledger.Get(t.Context(), e.Seq)
			if err != nil {
				t.Fatal(err)
			}
			if got++; e.Seq != got || !bytes.Equal(e.Event, want) {
				t.Errorf("event %d as %d: got %s, want %s", got, e.Seq, e.Event, want)
			}
		}
		if more = page.Next != nil; more {
			after = *page.Next
		}
	}
	if got != head {
		t.Errorf("the pages end at %d, want %d", got, head)
	}
	for path, want := range map[string]string{
		"/api/v1/events?after=27":         `{"events":[],"next":null}`,
		"/api/v1/events?after=4294967296": `{"events":[],"next":null}`,
		"/api/v1/events?after=5&at=5":     `{"events":[],"next":null}`,
	} {
		if _, body := s.ask(t, "GET", path); strings.TrimSpace(string(body)) != want {
			t.Errorf("%s: %s, want %s", path, body, want)
		}
	}
	if page := get[api.EventPage](t, s, "/api/v1/events?at=5"); len(page.Events) != 5 || page.Next != nil {
		t.Errorf("as of event 5 there are %d events, next %v", len(page.Events), page.Next)
	}
}

// Text is sent as it is stored, though it holds what HTML must escape.
func TestEventsKeepTheirCharacters(t *testing.T) {
	s := serve(t, &events.ToolRegistered{Tool: "a", Name: "<b> & 名\u2028\U0001f6a2"})
	_, body := s.ask(t, "GET", "/api/v1/events?after=1")
	want, _ := s.ledger.Get(t.Context(), 2)
	if !bytes.Contains(body, want) {
		t.Errorf("%s is not in %s", want, body)
	}
}

func TestLargeEventsMakeShortPages(t *testing.T) {
	var payloads []events.Payload
	for i := range 80 {
		payloads = append(payloads, &events.ToolRegistered{Tool: fmt.Sprintf("t%d", i), Name: "T", Description: strings.Repeat("x", events.MaxText)})
	}
	s := serve(t, payloads...)
	page := get[api.EventPage](t, s, "/api/v1/events")
	if n := len(page.Events); n == 0 || n > 64 || page.Next == nil || *page.Next != page.Events[n-1].Seq {
		t.Errorf("%d events on the page, next %v", n, page.Next)
	}
}

func TestWriteRouteIsTheIntakes(t *testing.T) {
	s := serve(t)
	resp, err := http.Post(s.url+"/api/v1/events", "application/cloudevents+json", strings.NewReader("sent"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil || body.String() != "sent" || resp.Header.Get("Etag") != "" {
		t.Errorf("got %d %q, ETag %q, %v", resp.StatusCode, body.String(), resp.Header.Get("Etag"), err)
	}
}

func TestDocumentIsServed(t *testing.T) {
	s := serve(t)
	resp, body := s.ask(t, "GET", "/api/openapi.json")
	if resp.Header.Get("Content-Type") != "application/openapi+json" || !json.Valid(body) {
		t.Errorf("%s: %.100s", resp.Header.Get("Content-Type"), body)
	}
	if bytes.Contains(body, []byte("unpkg")) {
		t.Error("the document loads from elsewhere")
	}
}

func TestSchemasAreServed(t *testing.T) {
	s := serve(t)
	for path, file := range map[string]string{
		"/api/schema/event":                              "event.schema.json",
		"/api/schema/shiplog.tool.merged.v1":             "shiplog.tool.merged.v1.schema.json",
		"/api/schema/shiplog.tool.merged.v1.schema.json": "shiplog.tool.merged.v1.schema.json",
	} {
		want, err := schema.FS.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if resp, body := s.ask(t, "GET", path); resp.StatusCode != http.StatusOK || !bytes.Equal(body, want) {
			t.Errorf("%s: %d %.60s", path, resp.StatusCode, body)
		}
	}
}

// Whoever begins at the top of the API is led to its description, and from the
// list of schemas to each.
func TestTheTopLeadsOn(t *testing.T) {
	s := serve(t)
	for path, to := range map[string]string{
		"/api": "/api/openapi.json", "/api/": "/api/openapi.json", "/api/schema/": "/api/schema",
	} {
		if resp, _ := s.ask(t, "GET", path); resp.StatusCode != http.StatusFound || resp.Header.Get("Location") != to {
			t.Errorf("%s: %d to %q, want %q", path, resp.StatusCode, resp.Header.Get("Location"), to)
		}
	}
	list := get[api.SchemaList](t, s, "/api/schema")
	if want := len(events.Types()) + 1; len(list.Schemas) != want {
		t.Errorf("%d schemas are listed, want %d", len(list.Schemas), want)
	}
	for _, link := range list.Schemas {
		if resp, body := s.ask(t, "GET", link.Href); resp.StatusCode != http.StatusOK || !json.Valid(body) {
			t.Errorf("%s: %d %.60s", link.Href, resp.StatusCode, body)
		}
	}
}

// Whatever the AsyncAPI document refers to is served.
func TestAsyncAPIRefersToWhatIsServed(t *testing.T) {
	s := serve(t)
	_, doc := s.ask(t, "GET", "/api/asyncapi.yaml")
	seen := 0
	for line := range strings.Lines(string(doc)) {
		_, ref, found := strings.Cut(strings.TrimSpace(line), "$ref: ")
		if !found || strings.HasPrefix(ref, `"#`) {
			continue
		}
		file, _, _ := strings.Cut(ref, "#")
		if resp, body := s.ask(t, "GET", "/api/"+file); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", ref, resp.StatusCode, body)
		}
		seen++
	}
	if seen == 0 {
		t.Errorf("no schema is referred to: %s", doc)
	}
}

func TestNothingToShowYet(t *testing.T) {
	l := projectionstest.Given(t)
	mux := http.NewServeMux()
	gate := readhttp.New(readhttp.Options{
		Model: projectionstest.ModelOf(t, l, 0), Head: l.Head,
		WaitFor: func(context.Context, uint64) error { return errors.New("stopped") },
	})
	if _, err := api.New(mux, api.Options{Gate: gate}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "?at=1", "?at=2026-03-02T09:00:00Z"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/tools"+query, nil))
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: got %d %s", query, w.Code, w.Body)
		}
	}
}

func TestLedgerAway(t *testing.T) {
	l := projectionstest.Given(t)
	var log bytes.Buffer
	mux := http.NewServeMux()
	_, err := api.New(mux, api.Options{
		Gate: readhttp.New(readhttp.Options{Model: projectionstest.Model(t, l)}),
		Events: func(context.Context, uint64, uint64, func(uint64, []byte) error) error {
			return errors.New("no responders")
		},
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/events", nil))
	if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "responders") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "no responders") {
		t.Errorf("the operator is not told: %q", log.String())
	}
}

// A client that does not wait for its answer is no fault of the node, so it is
// neither 5xx nor told to the operator.
func TestClientGone(t *testing.T) {
	l := projectionstest.Given(t, panel()...)
	var log bytes.Buffer
	mux := http.NewServeMux()
	_, err := api.New(mux, api.Options{
		Gate: readhttp.New(readhttp.Options{
			Model:   projectionstest.Model(t, l),
			Head:    func(ctx context.Context) (uint64, error) { return 0, ctx.Err() },
			WaitFor: func(ctx context.Context, _ uint64) error { return ctx.Err() },
		}),
		Events: func(ctx context.Context, _, _ uint64, _ func(uint64, []byte) error) error { return ctx.Err() },
		Log:    slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	for path, minSeq := range map[string]string{"/api/v1/tools": "", "/api/v1/events": "", "/api/v1/reviewers": "900"} {
		r := httptest.NewRequestWithContext(gone, http.MethodGet, path, http.NoBody)
		if minSeq != "" {
			r.Header.Set(readhttp.MinSeqHeader, minSeq)
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if w.Code != readhttp.StatusGivenUp {
			t.Errorf("%s: got %d %s, want %d", path, w.Code, w.Body, readhttp.StatusGivenUp)
		}
	}
	if log.Len() > 0 {
		t.Errorf("the operator is told of it: %s", log.String())
	}
}
