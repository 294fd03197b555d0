package feeds_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"

	"shiplog/events"
)

// rows finds the lines of the table of requirements.
var rows = regexp.MustCompile(`(?m)^\| R(\d+) \|.*\| ([^|]+) \|$`)

// testName finds a test that a row names, with its package if it is another.
var testName = regexp.MustCompile("`(?:([a-z/]+)\\.)?((?:Test|Fuzz|Benchmark)\\w+)`")

// TestEveryRequirementHasATest reads the table: each requirement is there, in
// order, and each test it names exists.
func TestEveryRequirementHasATest(t *testing.T) {
	table, err := os.ReadFile("REQUIREMENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	existing := map[string]string{} // the source of the tests of a package
	found := 0
	for _, row := range rows.FindAllStringSubmatch(string(table), -1) {
		found++
		if row[1] != fmt.Sprint(found) {
			t.Fatalf("row %d is of R%s", found, row[1])
		}
		names := testName.FindAllStringSubmatch(row[2], -1)
		if len(names) == 0 {
			t.Errorf("R%s names no test", row[1])
		}
		for _, name := range names {
			if _, ok := existing[name[1]]; !ok {
				existing[name[1]] = sourceOf(t, name[1])
			}
			if !strings.Contains(existing[name[1]], "\nfunc "+name[2]+"(") {
				t.Errorf("R%s names the test %s, which is not in %q", row[1], name[2], name[1])
			}
		}
	}
	if found != 47 {
		t.Errorf("%d requirements, want 47", found)
	}
	for _, name := range testName.FindAllStringSubmatch(string(table), -1) {
		if name[1] == "" && name[2] != "TestEveryRequirementHasATest" && !strings.Contains(existing[""], "\nfunc "+name[2]+"(") {
			t.Errorf("%s is named and not there", name[2])
		}
	}
}

// sourceOf is the text of all tests of a package; the empty one is this.
func sourceOf(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(map[bool]string{true: ".", false: "../" + name}[name == ""]), "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %q: %v", name, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// everywhere calls fn with each document of the story.
func everywhere(p *panel, fn func(path string, a answer)) {
	for _, path := range slices.Sorted(maps.Keys(paths())) {
		for _, format := range []string{"atom", "rss", "json"} {
			fn(path+"."+format, p.ok(path+"."+format))
		}
	}
}

// R8: a back-dated import takes its place below the window.
func TestImportDoesNotFlood(t *testing.T) {
	p := crowded(t, 60, "Fine.")
	before := p.items("/feeds/reviews.atom")
	p.ledger.Written = "2019-01-01T00:00:00Z"
	p.record(crowd(61, 200, "Long ago.")...)
	if diff := cmp.Diff(before, p.items("/feeds/reviews.atom")); diff != "" {
		t.Errorf("140 old reviews changed the feed (-before +after):\n%s", diff)
	}
}

// R11, R14: dates as each format wants them, in UTC, with fractions where the
// format has them.
func TestDatesAreWritten(t *testing.T) {
	rss := regexp.MustCompile(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d \+0000$`)
	atom := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	json := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$`)
	kinds := []struct{ find, want *regexp.Regexp }{
		{regexp.MustCompile(`<(?:pubDate|lastBuildDate)>([^<]*)<`), rss},
		{regexp.MustCompile(`<(?:atom:)?(?:updated|published)>([^<]*)<`), atom},
		{regexp.MustCompile(`"date_(?:published|modified)": "([^"]*)"`), json},
	}
	p := newPanel(t, story()...)
	p.ledger.Written = "2026-03-02T10:00:00.125+01:00"
	p.record(submit("other", "builder", "skip", "In another zone."))
	n := 0
	everywhere(p, func(path string, a answer) {
		for _, kind := range kinds {
			for _, match := range kind.find.FindAllStringSubmatch(a.body, -1) {
				n++
				if !kind.want.MatchString(match[1]) {
					t.Errorf("%s has the date %q", path, match[1])
				}
			}
		}
	})
	if n < 100 {
		t.Errorf("%d dates looked at", n)
	}
}

// R19, R20: whatever a review links to or brings along.
func TestBodiesAreSafeAndAbsolute(t *testing.T) {
	p := newPanel(t, story()...)
	p.record(&events.ReviewSubmitted{Review: events.Review{Tool: "other", Reviewer: "builder", Verdict: "skip", Format: events.FormatMarkdown, Body: strings.Join([]string{
		"[relative](/tools/x) [page](notes.html) [protocol](//cdn.example/x) [script](javascript:alert(1)) [data](data:text/html,x)",
		`![picture](/static/x.png) ![far](https://far.example/x.png) <iframe src="https://x.example"></iframe>`,
		`<p style="color:red" onclick="x()">styled</p> <form action="/"><input name="a"></form> <style>p{}</style>`,
		"[good](https://good.example/?a=1&b=2)",
	}, "\n\n")}})
	address := regexp.MustCompile(`(?:href|src)=\\?"([^"\\]*)`)
	everywhere(p, func(path string, a answer) {
		for _, match := range address.FindAllStringSubmatch(a.body, -1) {
			if !strings.HasPrefix(match[1], "https://") {
				t.Errorf("%s links to %q", path, match[1])
			}
		}
		parsed, err := gofeed.NewParser().ParseString(a.body)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, item := range parsed.Items {
			for _, bad := range forbidden(t, item.Content) {
				t.Errorf("%s has %s", path, bad)
			}
		}
	})
	body := p.ok("/feeds/tools/other.json").body
	for _, kept := range []string{"https://good.example/?a=1&amp;b=2", ">good<", "&lt;iframe src=", "&lt;/form&gt;"} {
		if !strings.Contains(body, kept) {
			t.Errorf("%s is gone:\n%s", kept, body)
		}
	}
	if bad := forbidden(t, `<p style="x" onclick="y"><a href="/z">z</a><iframe></iframe></p>`); len(bad) != 4 {
		t.Errorf("%q is found forbidden, want four things", bad)
	}
}

// forbidden names the elements and attributes of markup that no body may have.
func forbidden(t *testing.T, markup string) (bad []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader("<body>" + markup))
	if err != nil {
		t.Fatal(err)
	}
	elements := strings.Fields("html head body p br hr strong em code pre ul ol li div a span blockquote h3 h4")
	for n := range root.Descendants() {
		if n.Type == html.CommentNode || n.Type == html.ElementNode && !slices.Contains(elements, n.Data) {
			bad = append(bad, "<"+n.Data)
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "href":
				if !strings.HasPrefix(a.Val, "https://") {
					bad = append(bad, a.Key+" "+a.Val)
				}
			case "dir", "rel", "class", "start":
			default:
				bad = append(bad, a.Key)
			}
		}
	}
	return bad
}

// R22, R23, R24, R29, R40: what stands where in the documents.
func TestDocumentsAreLaidOut(t *testing.T) {
	p := newPanel(t, story()...)
	everywhere(p, func(path string, a answer) {
		if strings.HasSuffix(path, ".json") {
			head, items, _ := strings.Cut(a.body, `"items": [`)
			if !strings.Contains(head, `"version": "https://jsonfeed.org/version/1.1"`) || strings.Contains(head, `"authors"`) || strings.Contains(head, `"author"`) {
				t.Errorf("%s begins with\n%s", path, head)
			}
			if strings.Count(items, `"content_html": "<`) != strings.Count(items, `"id": "tag:`) {
				t.Errorf("%s has items without content or a textual id", path)
			}
			return
		}
		if !strings.HasPrefix(a.body, `<?xml version="1.0" encoding="UTF-8"?>`) || strings.Contains(a.body, "<?xml-stylesheet") {
			t.Errorf("%s begins with %.120s", path, a.body)
		}
		for _, item := range strings.Split(a.body, "<item>")[1:] {
			summary, content := strings.Index(item, "<description>"), strings.Index(item, "<content:encoded>")
			if summary < 0 || content < summary || strings.Count(item, "<dc:creator>") != 1 {
				t.Errorf("%s: description at %d, content at %d, authors %d", path, summary, content, strings.Count(item, "<dc:creator>"))
			}
			if !strings.Contains(item, `<guid isPermaLink="false">tag:`) || strings.Contains(item, "<author>") {
				t.Errorf("%s has the item\n%s", path, item)
			}
		}
	})
}

// R34: two events within one second change the validator, each time.
func TestTwoEventsInOneSecond(t *testing.T) {
	p := newPanel(t, story()...)
	p.ledger.Clock = func(seq uint64) time.Time {
		return moment("2026-03-02T09:00:13.100Z").Add(time.Duration(seq) * time.Millisecond)
	}
	p.now = moment("2026-03-02T09:00:13.9Z")
	seen := map[string]bool{}
	for i, verdict := range []string{"ship", "skip", "ship"} {
		if i == 0 {
			p.record(submit("other", "builder", verdict, "First."))
		} else {
			p.record(submit("other", "skeptic", verdict, fmt.Sprint("Then ", i)))
		}
		a := p.ok("/feeds/tools/other.atom")
		if seen[a.etag()] || a.header.Get("Last-Modified") != "" {
			t.Errorf("after event %d: ETag %s seen %v, Last-Modified %q", i, a.etag(), seen[a.etag()], a.header.Get("Last-Modified"))
		}
		if again := p.ok("/feeds/tools/other.atom"); again.etag() != a.etag() {
			t.Error("the validator changed without an event")
		}
		seen[a.etag()] = true
	}
}

// R14: entries of events that were recorded in one second have different dates
// of change. Those of one event, such as a review and the verdict it changed,
// have one: it is when that event was recorded.
func TestUpdatedDiffersWhereEventsDo(t *testing.T) {
	p := newPanel(t)
	p.ledger.Clock = func(seq uint64) time.Time {
		return moment("2026-03-02T09:00:13.100Z").Add(time.Duration(seq) * time.Millisecond)
	}
	p.record(story()...)
	dates := regexp.MustCompile(`<entry>\s*<title>[^<]*</title>\s*<updated>([^<]*)</updated>\s*<id>[^<]*:(\w+)/(\d+)`)
	for path, want := range map[string]int{"/feeds/reviews.atom": 6, "/feeds/verdicts.atom": 2, "/feeds/matchups.atom": 1, "/feeds/tools/smolvm.atom": 5} {
		seen := map[string]string{}
		found := dates.FindAllStringSubmatch(p.ok(path).body, -1)
		if len(found) != want {
			t.Errorf("%s has %d entries, want %d", path, len(found), want)
		}
		for _, match := range found {
			date, seq := match[1], match[3]
			if other, ok := seen[date]; ok && other != seq {
				t.Errorf("%s: entries of events %s and %s both have the date %s", path, other, seq, date)
			}
			seen[date] = seq
		}
	}
}

// R41: whoever asks, and however, is answered alike.
func TestEveryClientIsWelcome(t *testing.T) {
	p := newPanel(t, story()...)
	want := p.ok("/feeds/reviews.atom")
	for _, agent := range []string{"", "curl/8", "Feedly/1.0", "python-requests/2", "GPTBot/1.0", "Mozilla/5.0 (compatible; bot)"} {
		a := p.ok("/feeds/reviews.atom", "User-Agent", agent, "Cookie", "a=b", "Referer", "https://elsewhere.example/", "Accept", "text/html")
		if a.body != want.body || a.header.Get("Content-Type") != want.header.Get("Content-Type") || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%q is answered otherwise", agent)
		}
	}
}

// R36: no header that makes a reader wait for a day or forget validators.
func TestHeadersForReaders(t *testing.T) {
	p := newPanel(t, story()...)
	everywhere(p, func(path string, a answer) {
		if a.header.Get("Expires") != "" || a.header.Get("Pragma") != "" || a.header.Get("Cache-Control") != "public, max-age=300" {
			t.Errorf("%s: Expires %q, Pragma %q, Cache-Control %q", path, a.header.Get("Expires"), a.header.Get("Pragma"), a.header.Get("Cache-Control"))
		}
	})
}

// R43: what is no longer current keeps its feed; nothing is ever deleted, so
// nothing is ever gone.
func TestFeedsOutliveTheirSubjects(t *testing.T) {
	p := newPanel(t, story()...)
	p.record(
		&events.ToolRetired{Tool: "smolvm", Reason: "Unmaintained."}, &events.ReviewerUnseated{Reviewer: "skeptic", Reason: "Left."},
		tool("agency-2", "Agency II"), &events.ToolMerged{Tool: "agency-2", Into: "agency"},
	)
	for path, want := range map[string]int{
		"/feeds/tools/smolvm.atom":      http.StatusOK,
		"/feeds/reviewers/skeptic.json": http.StatusOK,
		"/feeds/tools/agency-2.rss":     http.StatusMovedPermanently,
		"/feeds/tools/nobody.rss":       http.StatusNotFound,
	} {
		if a := p.get(path); a.status != want {
			t.Errorf("GET %s: %d, want %d", path, a.status, want)
		}
	}
}

// R46: a feed is where the operator says, whatever host it was asked under.
func TestSelfIsNotTheHost(t *testing.T) {
	p := newPanel(t, story()...)
	want := p.ok("/feeds/reviews.rss").body
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.server.URL+"/feeds/reviews.rss", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example"
	r.Header.Set("X-Forwarded-Host", "evil.example")
	r.Header.Set("X-Forwarded-Proto", "gopher")
	if got := p.send(r).body; got != want || !strings.Contains(got, `href="`+base+`/feeds/reviews.rss" rel="self"`) {
		t.Errorf("asked under another host:\n%s", got)
	}
}
