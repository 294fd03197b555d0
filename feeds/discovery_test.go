package feeds_test

import (
	"image/png"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/projections/pages"
	"shiplog/projections/readhttp"
	"shiplog/projections/web"
)

// withPages serves the pages beside the feeds.
func (p *panel) withPages() {
	p.t.Helper()
	site := pages.Site{Title: "The Panel", BaseURL: base}
	drawn, err := pages.New(site)
	if err != nil {
		p.t.Fatal(err)
	}
	browsing, err := web.New(web.Options{
		Model: p.model, Pages: drawn, Event: p.ledger.Get,
		Gate: readhttp.New(readhttp.Options{Model: p.model, Head: p.ledger.Head}),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	syndication, err := feeds.New(feeds.Options{Model: p.model, Site: site, Icon: "/favicon.ico"})
	if err != nil {
		p.t.Fatal(err)
	}
	mux := http.NewServeMux()
	browsing.Register(mux)
	syndication.Register(mux)
	p.server = httptest.NewServer(mux)
	p.t.Cleanup(p.server.Close)
}

// An announced feed is one that a page's head names.
type announced struct{ title, mediaType, href string }

func announcements(t *testing.T, page string) (list []announced) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "link" || n.Parent.Data != "head" {
			continue
		}
		values := map[string]string{}
		for _, a := range n.Attr {
			values[a.Key] = a.Val
		}
		if values["rel"] == "alternate" {
			list = append(list, announced{values["title"], values["type"], values["href"]})
		}
	}
	return list
}

// TestPagesAnnounceTheirFeeds follows what each page announces: the feed is
// there, of the type and the title that were announced, its own first, Atom
// before the others.
func TestPagesAnnounceTheirFeeds(t *testing.T) {
	p := newPanel(t, story()...)
	p.withPages()
	titles := map[string]string{}
	for page, first := range map[string]string{
		"/":                         "/feeds/",
		"/tools":                    "/feeds/",
		"/tools/smolvm":             "/feeds/tools/smolvm.atom",
		"/reviewers":                "/feeds/reviews.atom",
		"/reviewers/builder":        "/feeds/reviewers/builder.atom",
		"/categories/ai-agents":     "/feeds/categories/ai-agents.atom",
		"/compare":                  "/feeds/matchups.atom",
		"/compare/agency-vs-smolvm": "/feeds/",
		"/events/8":                 "/feeds/",
		"/rules":                    "/feeds/",
		"/feeds":                    "/feeds/",
	} {
		list := announcements(t, p.ok(page).body)
		if len(list) == 0 || list[0].mediaType != "application/atom+xml" || !strings.HasPrefix(list[0].href, base+first) {
			t.Errorf("%s announces %+v, want %s first", page, list, first)
		}
		for _, feed := range list {
			path, ok := strings.CutPrefix(feed.href, base)
			if !ok {
				t.Errorf("%s announces %s, which is not below %s", page, feed.href, base)
				continue
			}
			a := p.ok(path)
			if a.header.Get("Content-Type") != feed.mediaType+"; charset=utf-8" {
				t.Errorf("%s announces %s as %s, which is %s", page, path, feed.mediaType, a.header.Get("Content-Type"))
			}
			parsed, err := gofeed.NewParser().ParseString(a.body)
			if err != nil {
				t.Fatal(err)
			}
			named := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(feed.title, " (Atom)"), " (RSS)"), " (JSON)")
			if named != parsed.Title {
				t.Errorf("%s announces %q, which is called %q", page, feed.title, parsed.Title)
			}
			stem := path[:strings.LastIndexByte(path, '.')]
			if other, ok := titles[named]; ok && other != stem {
				t.Errorf("%s and %s are both called %q", stem, other, named)
			}
			titles[named] = stem
		}
	}
}

// TestIconIsThere checks that the icon that feeds name can be fetched.
func TestIconIsThere(t *testing.T) {
	p := newPanel(t, story()...)
	p.withPages()
	for path, want := range map[string]string{
		"/feeds/reviews.atom": "<icon>" + base + "/favicon.ico</icon>",
		"/feeds/reviews.json": `"favicon": "` + base + `/favicon.ico"`,
	} {
		if !strings.Contains(p.ok(path).body, want) {
			t.Errorf("%s does not have %s", path, want)
		}
	}
	res, err := http.Get(p.server.URL + "/favicon.ico") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the icon: %s, %s, want a PNG, which all readers draw", res.Status, res.Header.Get("Content-Type"))
	}
	if icon, err := png.DecodeConfig(res.Body); err != nil || icon.Width != icon.Height {
		t.Errorf("the icon measures %d by %d (%v), want a square", icon.Width, icon.Height, err)
	}
}

// TestFeedsPageListsEveryFeed checks that the page for people has each feed in
// each format, and the list for readers.
func TestFeedsPageListsEveryFeed(t *testing.T) {
	p := newPanel(t, story()...)
	p.withPages()
	page := p.ok("/feeds").body
	for path := range paths() {
		for _, format := range feeds.Formats() {
			if address := path + "." + string(format); !strings.Contains(page, address+`"`) {
				t.Errorf("/feeds does not link to %s", address)
			}
		}
	}
	for _, want := range []string{
		`href="` + base + `/feeds.opml"`, `href="` + base + `/feeds/categories/ai-agents.opml"`, `href="feed:` + base + `/feeds/tools/smolvm.atom"`,
		`<link rel="outline" type="text/x-opml" title="The Panel: all feeds" href="` + base + `/feeds.opml">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("/feeds does not have %s", want)
		}
	}
}

// TestCategoryPageHasItsList checks that the list of a category's feeds is
// linked from its page, under the title it has.
func TestCategoryPageHasItsList(t *testing.T) {
	p := newPanel(t, story()...)
	p.withPages()
	page := p.ok("/categories/ai-agents").body
	if strings.Count(page, `href="`+base+`/feeds/categories/ai-agents.opml"`) != 2 {
		t.Error("the page does not link to the list, in its head and in its text")
	}
	title := "The Panel: feeds of AI agents"
	if !strings.Contains(page, `title="`+title+`"`) || !strings.Contains(p.ok("/feeds/categories/ai-agents.opml").body, "<title>"+title+"</title>") {
		t.Errorf("page and list do not both call it %q", title)
	}
}

// TestTitlesAreUnique has a tool, a reviewer and a category of one name, a tool
// named like a feed of everything, and two tools that are called the same.
func TestTitlesAreUnique(t *testing.T) {
	p := newPanel(t,
		seat("builder", "Builder", 1),
		&events.ToolRegistered{Tool: "builder", Name: "Builder", Category: "builder"},
		&events.ToolRegistered{Tool: "builder-2", Name: "Builder", Category: "reviews"},
		&events.ToolRegistered{Tool: "reviews", Name: "Reviews", Category: "builder"},
		&events.ToolRegistered{Tool: "matchups", Name: "Matchups"},
	)
	called := map[string]string{}
	lines := regexp.MustCompile(`title="([^"]*)" type="rss" xmlUrl="([^"]*)"`).FindAllStringSubmatch(p.ok("/feeds.opml").body, -1)
	if len(lines) != 3+2+4+1 {
		t.Fatalf("%d feeds are listed", len(lines))
	}
	for _, line := range lines {
		title, address := line[1], line[2]
		if called[title] != "" {
			t.Errorf("%s and %s are both called %q", called[title], address, title)
		}
		called[title] = address
		if !strings.Contains(p.ok(strings.TrimPrefix(address, base)).body, "<title>"+title+"</title>") {
			t.Errorf("%s is not called %q", address, title)
		}
	}
}

// TestItemsHavePictures follows the picture of each item that has one, in each
// format: it is there, and all formats name the same.
func TestItemsHavePictures(t *testing.T) {
	p := newPanel(t, story()...)
	p.withPages()
	find := map[string]*regexp.Regexp{
		"atom": regexp.MustCompile(`<media:thumbnail url="([^"]*)" width="1200" height="630">`),
		"rss":  regexp.MustCompile(`<media:thumbnail url="([^"]*)" width="1200" height="630">`),
		"json": regexp.MustCompile(`"image": "([^"]*)"`),
	}
	for stem, want := range map[string][]string{
		"/feeds/matchups": {base + "/pictures/compare/agency-vs-smolvm.png"},
		"/feeds/verdicts": {base + "/pictures/tools/agency.png?at=13", base + "/pictures/tools/smolvm.png?at=10"},
		"/feeds/reviews":  nil,
	} {
		for format, pattern := range find {
			var got []string
			for _, match := range pattern.FindAllStringSubmatch(p.ok(stem+"."+format).body, -1) {
				got = append(got, match[1])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("pictures in %s.%s (-want +got):\n%s", stem, format, diff)
			}
		}
		for _, address := range want {
			if a := p.ok(strings.TrimPrefix(address, base)); a.header.Get("Content-Type") != "image/png" || !strings.HasPrefix(a.body, "\x89PNG") {
				t.Errorf("%s is %s", address, a.header.Get("Content-Type"))
			}
		}
	}
}
