package feeds_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/projections/readhttp"
)

func mediaTypes() map[feeds.Format]string {
	return map[feeds.Format]string{
		feeds.Atom: "application/atom+xml; charset=utf-8",
		feeds.RSS:  "application/rss+xml; charset=utf-8",
		feeds.JSON: "application/feed+json; charset=utf-8",
	}
}

func TestEveryFeedIsServed(t *testing.T) {
	p := newPanel(t, story()...)
	ids := map[string]string{}
	for path, title := range paths() {
		for _, format := range feeds.Formats() {
			address := path + "." + string(format)
			a := p.ok(address)
			want := map[string]string{
				"Content-Type": mediaTypes()[format], "Cache-Control": "public, max-age=300", "Vary": "Accept-Encoding",
				"X-Content-Type-Options": "nosniff", "Shiplog-Seq": "14", "Set-Cookie": "", "Content-Disposition": "", "Content-Encoding": "",
			}
			for name, value := range want {
				if got := a.header.Get(name); got != value {
					t.Errorf("%s: %s is %q, want %q", address, name, got, value)
				}
			}
			if format != feeds.JSON {
				strict(t, []byte(a.body))
			}
			f, err := gofeed.NewParser().ParseString(a.body)
			if err != nil {
				t.Fatalf("%s: %v", address, err)
			}
			if f.Title != title || f.FeedLink != base+address {
				t.Errorf("%s: title %q, self %q; want %q, %q", address, f.Title, f.FeedLink, title, base+address)
			}
			if format == feeds.Atom {
				_, id, _ := strings.Cut(a.body, "<id>")
				id, _, _ = strings.Cut(id, "</id>")
				if ids[id] != "" || !strings.HasPrefix(id, "tag:panel.example,2026-03-02:feed/") {
					t.Errorf("%s has the id %q, as %q has", address, id, ids[id])
				}
				ids[id] = address
			}
		}
	}
}

func TestItemsOfTheStory(t *testing.T) {
	p := newPanel(t, story()...)
	id := func(s string) string { return "tag:panel.example,2026-03-02:" + s }
	want := map[string][]string{
		"/feeds/matchups": {id("matchup/14") + " Agency <beta> vs smolvm"},
		"/feeds/verdicts": {
			id("verdict/13/agency") + " Agency <beta>: Pending → Ship, 3 of 3",
			id("verdict/10/smolvm") + " smolvm: Pending → Ship, 2 of 3",
		},
		"/feeds/reviewers/skeptic": {
			id("review/12") + " The Skeptic on Agency <beta>: Ship",
			id("review/9") + " The Skeptic on smolvm: Skip",
		},
		"/feeds/tools/smolvm": {
			id("matchup/14") + " Agency <beta> vs smolvm",
			id("review/10") + " The Futurist on smolvm: Ship",
			id("verdict/10/smolvm") + " smolvm: Pending → Ship, 2 of 3",
			id("review/9") + " The Skeptic on smolvm: Skip",
			id("review/8") + " The Builder on smolvm: Ship",
		},
		"/feeds/tools/other": nil,
	}
	for path, items := range want {
		for _, format := range feeds.Formats() {
			f, err := gofeed.NewParser().ParseString(p.ok(path + "." + string(format)).body)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, item := range f.Items {
				got = append(got, item.GUID+" "+item.Title)
			}
			if diff := cmp.Diff(items, got); diff != "" {
				t.Errorf("%s.%s (-want +got):\n%s", path, format, diff)
			}
		}
	}
	category, err := gofeed.NewParser().ParseString(p.ok("/feeds/categories/ai-agents.atom").body)
	if err != nil {
		t.Fatal(err)
	}
	if len(category.Items) != 9 {
		t.Errorf("the category has %d items, want 1 matchup, 2 verdict changes and 6 reviews", len(category.Items))
	}
}

func TestConditionalRequests(t *testing.T) {
	p := newPanel(t, story()...)
	const path = "/feeds/matchups.atom"
	first := p.ok(path)
	tag, modified := first.etag(), first.header.Get("Last-Modified")
	if modified != "Mon, 02 Mar 2026 09:00:13 GMT" || !strings.HasPrefix(first.header.Get("Etag"), `W/"`) {
		t.Fatalf("Last-Modified %q, ETag %q", modified, first.header.Get("Etag"))
	}
	later, earlier := "Mon, 02 Mar 2026 09:00:14 GMT", "Mon, 02 Mar 2026 09:00:12 GMT"
	tests := []struct {
		name    string
		headers []string
		want    int
	}{
		{"Unconditional", nil, 200},
		{"Weak", []string{"If-None-Match", "W/" + tag}, 304},
		{"Strong", []string{"If-None-Match", tag}, 304},
		{"Star", []string{"If-None-Match", "*"}, 304},
		{"List", []string{"If-None-Match", `"a", W/"b,c" ,` + tag + `,"d"`}, 304},
		{"ListWithout", []string{"If-None-Match", `"a", W/"b"`}, 200},
		{"MarkedByProxy", []string{"If-None-Match", strings.TrimSuffix(tag, `"`) + `-gzip"`}, 304},
		{"OtherSuffix", []string{"If-None-Match", strings.TrimSuffix(tag, `"`) + `x"`}, 200},
		{"Malformed", []string{"If-None-Match", strings.Trim(tag, `"`)}, 200},
		{"MalformedAfterMatch", []string{"If-None-Match", tag + ` nonsense`}, 200},
		{"Empty", []string{"If-None-Match", ""}, 200},
		{"Unclosed", []string{"If-None-Match", `"`}, 200},
		{"Since", []string{"If-Modified-Since", modified}, 304},
		{"SinceLater", []string{"If-Modified-Since", later}, 304},
		{"SinceEarlier", []string{"If-Modified-Since", earlier}, 200},
		{"SinceNonsense", []string{"If-Modified-Since", "yesterday"}, 200},
		{"TagBeforeDateNo", []string{"If-None-Match", `"x"`, "If-Modified-Since", later}, 200},
		{"TagBeforeDateYes", []string{"If-None-Match", tag, "If-Modified-Since", earlier}, 304},
		{"Range", []string{"Range", "bytes=0-9"}, 200},
		{"Delta", []string{"A-IM", "feed"}, 200},
		{"DeltaMatch", []string{"A-IM", "feed", "If-None-Match", tag}, 304},
		{"Query", nil, 200},
	}
	for _, test := range tests {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			t.Run(test.name+method, func(t *testing.T) {
				a := p.ask(method, path, test.headers...)
				if a.status != test.want {
					t.Fatalf("status %d, want %d", a.status, test.want)
				}
				for _, name := range []string{"Etag", "Last-Modified", "Cache-Control", "Vary", "Shiplog-Seq"} {
					if a.header.Get(name) != first.header.Get(name) {
						t.Errorf("%s is %q, want %q", name, a.header.Get(name), first.header.Get(name))
					}
				}
				if a.header.Get("Date") == "" {
					t.Error("no Date")
				}
				switch {
				case a.status == 200 && a.header.Get("Content-Length") != first.header.Get("Content-Length"):
					t.Errorf("Content-Length %q, want %q", a.header.Get("Content-Length"), first.header.Get("Content-Length"))
				case a.status == 200 && method == http.MethodGet && a.body != first.body:
					t.Error("not the whole feed")
				case (a.status == 304 || method == http.MethodHead) && a.body != "":
					t.Errorf("a body: %q", a.body)
				}
			})
		}
	}
}

// TestDateNeverHidesAChange has clients poll with nothing but a date: what changes
// beside the items of a feed, whose last change is its date, is not kept from them.
func TestDateNeverHidesAChange(t *testing.T) {
	p := newPanel(t, append(story(), seat("novice", "The Novice", 4),
		&events.ToolRegistered{Tool: "moved", Name: "Moved", Category: "vms"}, &events.ToolRegistered{Tool: "stays", Name: "Stays", Category: "vms"})...)
	for i := range 60 {
		slug := fmt.Sprintf("tool-%d", i)
		p.record(tool(slug, slug), submit(slug, "builder", "ship", "Fine."))
	}
	for _, tt := range []struct {
		name, path string
		written    string
		event      events.Payload
		dated      bool // still, by the change
	}{
		{"a tool without items has another name", "/feeds/tools/other.atom", "", tool("other", "The Other"), false},
		{"a reviewer without items has another name", "/feeds/reviewers/novice.rss", "", seat("novice", "The Beginner", 4), false},
		{"a tool with items has another name", "/feeds/tools/smolvm.json", "", tool("smolvm", "SmolVM"), true},
		{"an old review leads to another archive", "/feeds/reviewers/builder.atom", "2020-01-01T00:00:00Z", submit("other", "builder", "skip", "Of old."), false},
		{"a tool leaves a category", "/feeds/categories/vms.opml", "", &events.ToolRegistered{Tool: "moved", Name: "Moved", Category: "ai-agents"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := p.ok(tt.path)
			modified := before.header.Get("Last-Modified")
			if modified == "" {
				t.Fatal("no date before the change")
			}
			p.ledger.Written = tt.written
			p.record(tt.event)
			p.ledger.Written = ""
			a := p.get(tt.path, "If-Modified-Since", modified)
			if a.status != http.StatusOK || a.body == before.body {
				t.Errorf("%d, the same bytes: %v", a.status, a.body == before.body)
			}
			if got := a.header.Get("Last-Modified"); (got != "") != tt.dated || got == modified {
				t.Errorf("Last-Modified %q after %q, want one: %v", got, modified, tt.dated)
			}
		})
	}
}

func TestLastModifiedWaitsForItsSecond(t *testing.T) {
	p := newPanel(t, story()...)
	p.now = moment("2026-03-02T09:00:13.999Z")
	a := p.ok("/feeds/matchups.atom")
	if got := a.header.Get("Last-Modified"); got != "" {
		t.Errorf("Last-Modified %q within its own second", got)
	}
	if a := p.get("/feeds/matchups.atom", "If-Modified-Since", "Mon, 02 Mar 2026 09:00:13 GMT"); a.status != 200 {
		t.Errorf("status %d for a date whose second is not over, want 200", a.status)
	}
	p.now = moment("2026-03-02T09:00:14Z")
	if got := p.ok("/feeds/matchups.atom").header.Get("Last-Modified"); got == "" {
		t.Error("no Last-Modified after the second")
	}
}

// An event of a second that is over may still be on its way to the read model.
func TestLastModifiedWaitsForTheReadModel(t *testing.T) {
	p := newPanel(t, story()...)
	applied := moment("2026-03-02T09:00:13.999Z")
	p.serve(feeds.Options{Applied: func() time.Time { return applied }})
	const path, second = "/feeds/matchups.atom", "Mon, 02 Mar 2026 09:00:13 GMT"
	for _, want := range []struct {
		date   string
		status int
	}{{"", http.StatusOK}, {second, http.StatusNotModified}} {
		if got := p.ok(path).header.Get("Last-Modified"); got != want.date {
			t.Errorf("applied up to %s: Last-Modified %q, want %q", applied, got, want.date)
		}
		if a := p.get(path, "If-Modified-Since", second); a.status != want.status {
			t.Errorf("applied up to %s: who has that second is answered %d, want %d", applied, a.status, want.status)
		}
		applied = moment("2026-03-02T09:00:14Z")
	}
}

func TestCompression(t *testing.T) {
	p := newPanel(t, story()...)
	plain := p.ok("/feeds/reviews.rss")
	tests := map[string]bool{
		"gzip": true, "GZIP": true, "br, gzip;q=0.5": true, "gzip, deflate, br, zstd": true, "*": true, "x-gzip": true, "gzip; q=1.0": true,
		"": false, "identity": false, "gzip;q=0": false, "gzip; q=0.000, *": false, "*;q=0": false, "br": false, "gzipped": false, "*;q=0, gzip": true,
	}
	for header, want := range tests {
		t.Run(header, func(t *testing.T) {
			a := p.ok("/feeds/reviews.rss", "Accept-Encoding", header)
			if got := a.header.Get("Content-Encoding") == "gzip"; got != want {
				t.Fatalf("compressed: %v, want %v", got, want)
			}
			if a.header.Get("Etag") != plain.header.Get("Etag") || a.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("ETag %q, Vary %q", a.header.Get("Etag"), a.header.Get("Vary"))
			}
			body := a.body
			if want {
				z, err := gzip.NewReader(strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				unpacked, err := io.ReadAll(z)
				if err != nil {
					t.Fatal(err)
				}
				body = string(unpacked)
			}
			if body != plain.body {
				t.Error("not the bytes of the plain answer")
			}
		})
	}
}

func TestOtherMethods(t *testing.T) {
	p := newPanel(t, story()...)
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"} {
		for _, path := range []string{"/feeds/matchups.atom", "/feeds/tools/smolvm.json", "/feeds.opml"} {
			a := p.ask(method, path)
			if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d, Allow %q", method, path, a.status, a.header.Get("Allow"))
			}
		}
	}
}

func TestUnknownAndMovedFeeds(t *testing.T) {
	p := newPanel(t, append(story(),
		tool("agency-2", "Agency II"),
		&events.ToolMerged{Tool: "agency-2", Into: "agency"},
	)...)
	for path, want := range map[string]string{
		"/feeds/tools/small-vm.atom":         "/feeds/tools/smolvm.atom",
		"/feeds/tools/agency-2.json":         "/feeds/tools/agency.json",
		"/feeds/tools/SmolVM.rss":            "/feeds/tools/smolvm.rss",
		"/feeds/tools/SMALL-VM.json":         "/feeds/tools/small-vm.json",
		"/feeds/reviewers/Builder.atom":      "/feeds/reviewers/builder.atom",
		"/feeds/categories/AI-Agents.rss":    "/feeds/categories/ai-agents.rss",
		"/feeds/categories/AI-Agents.opml":   "/feeds/categories/ai-agents.opml",
		"/feeds/tools/SmolVM/archive/1.atom": "/feeds/tools/smolvm/archive/1.atom",
		"/feeds/tools/nothing.atom":          "",
		"/feeds/tools/Sm*l.atom":             "",
		"/feeds/tools/smolvm":                "",
		"/feeds/tools/smolvm.html":           "",
		"/feeds/tools/.atom":                 "",
		"/feeds/categories/.opml":            "",
		"/feeds/tools/smolvm.atom.gz":        "",
		"/feeds/reviewers/nobody.rss":        "",
		"/feeds/categories/none.json":        "",
		"/feeds/tool.atom":                   "",
		"/feeds/opml.opml":                   "",
		"/feeds/everything.atom":             "",
		"/feeds/matchups":                    "",
		"/feeds/matchups.xml":                "",
	} {
		a := p.get(path)
		switch {
		case want == "" && a.status != http.StatusNotFound:
			t.Errorf("GET %s: %d, want 404", path, a.status)
		case want != "" && (a.status != http.StatusMovedPermanently || a.header.Get("Location") != want):
			t.Errorf("GET %s: %d to %q, want 301 to %q", path, a.status, a.header.Get("Location"), want)
		case want != "" && a.header.Get("Cache-Control") != "public, max-age=300":
			t.Errorf("GET %s: Cache-Control %q; a merge can be taken back, so no longer than a feed", path, a.header.Get("Cache-Control"))
		case a.header.Get("Shiplog-Seq") != "16":
			t.Errorf("GET %s: as of %q, want 16", path, a.header.Get("Shiplog-Seq"))
		case a.header.Get("Etag") != "" || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain"):
			t.Errorf("GET %s: ETag %q, type %q", path, a.header.Get("Etag"), a.header.Get("Content-Type"))
		}
	}
}

func TestOPMLListsEveryFeed(t *testing.T) {
	p := newPanel(t, story()...)
	a := p.ok("/feeds.opml")
	if got := a.header.Get("Content-Type"); got != "text/x-opml; charset=utf-8" {
		t.Errorf("type %q", got)
	}
	strict(t, []byte(a.body))
	for path := range paths() {
		if !strings.Contains(a.body, `xmlUrl="`+base+path+`.atom"`) {
			t.Errorf("no line for %s", path)
		}
	}
	if b := p.get("/feeds.opml", "If-None-Match", a.header.Get("Etag")); b.status != http.StatusNotModified {
		t.Errorf("status %d, want 304", b.status)
	}
}

// TestOPMLOfACategory checks that a category's list has its feed and those of
// its tools, and no others.
func TestOPMLOfACategory(t *testing.T) {
	p := newPanel(t, story()...)
	p.record(&events.ToolRegistered{Tool: "elsewhere", Name: "Elsewhere", Category: "editors"})
	a := p.ok("/feeds/categories/ai-agents.opml")
	strict(t, []byte(a.body))
	var got []string
	for _, match := range regexp.MustCompile(`xmlUrl="([^"]*)"`).FindAllStringSubmatch(a.body, -1) {
		got = append(got, strings.TrimPrefix(match[1], base+"/feeds/"))
	}
	want := []string{"categories/ai-agents.atom", "tools/agency.atom", "tools/other.atom", "tools/smolvm.atom"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("feeds of the category (-want +got):\n%s", diff)
	}
	if b := p.get("/feeds/categories/nothing.opml"); b.status != http.StatusNotFound || !strings.Contains(b.body, `category "nothing"`) {
		t.Errorf("a category that is not there: %d %s", b.status, b.body)
	}
	if b := p.get("/feeds/tools/smolvm.opml"); b.status != http.StatusNotFound {
		t.Errorf("a tool's list: %d, want 404", b.status)
	}
}

func TestMinSeq(t *testing.T) {
	p := newPanel(t, story()...)
	p.serve(feeds.Options{Gate: readhttp.New(readhttp.Options{
		Model:    p.model,
		Position: func() uint64 { seq, _ := p.model.Position(); return seq },
		Head:     p.ledger.Head,
		WaitFor: func(_ context.Context, seq uint64) error {
			return p.model.Apply(t.Context(), p.ledger.Events(t, 15, seq))
		},
	})})
	seq := p.ledger.Append(submit("other", "builder", "skip", "Not yet."))
	for _, test := range []struct {
		want string
		code int
	}{{"14", 200}, {"15", 200}, {"16", 503}, {"soon", 400}, {"-1", 400}, {"", 400}} {
		a := p.get("/feeds/tools/other.atom", "Shiplog-Min-Seq", test.want)
		if a.status != test.code {
			t.Errorf("Shiplog-Min-Seq %s: %d %s, want %d", test.want, a.status, a.body, test.code)
		}
		if test.want == "15" && (a.header.Get("Shiplog-Seq") != "15" || !strings.Contains(a.body, fmt.Sprintf("review/%d<", seq))) {
			t.Errorf("the feed does not show event 15: %s", a.body)
		}
	}
}

// A client that does not wait for its feed is no fault of the node.
func TestClientGone(t *testing.T) {
	p := newPanel(t, story()...)
	p.serve(feeds.Options{Gate: readhttp.New(readhttp.Options{
		Model: p.model,
		Head:  func(ctx context.Context) (uint64, error) { return 0, ctx.Err() },
	})})
	gone, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(gone, http.MethodGet, "/feeds/tools/smolvm.atom", http.NoBody)
	r.Header.Set(readhttp.MinSeqHeader, "900")
	w := httptest.NewRecorder()
	p.server.Config.Handler.ServeHTTP(w, r)
	if w.Code != readhttp.StatusGivenUp {
		t.Errorf("got %d, want %d", w.Code, readhttp.StatusGivenUp)
	}
}
