package feeds_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/feeds"
)

// A leaf is one document of a feed as a reader of archives sees it.
type leaf struct {
	archived, older, newer, current, self string
	ids                                   []string
}

// leaf reads a document in one format.
func (p *panel) leaf(path string) leaf {
	p.t.Helper()
	body := p.ok(path).body
	var l leaf
	if strings.HasSuffix(path, ".json") {
		var f struct {
			Self  string `json:"feed_url"`
			Next  string `json:"next_url"`
			Items []struct{ ID string }
		}
		if err := json.Unmarshal([]byte(body), &f); err != nil {
			p.t.Fatal(err)
		}
		l.self, l.older = f.Self, f.Next
		for _, item := range f.Items {
			l.ids = append(l.ids, item.ID)
		}
		return l
	}
	d := xml.NewDecoder(strings.NewReader(body))
	d.Strict = true
	inItem := false
	for {
		token, err := d.Token()
		if token == nil {
			break
		}
		if err != nil {
			p.t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch name := start.Name; {
		case name.Local == "entry" || name.Local == "item":
			inItem = true
		case name.Space == "http://purl.org/syndication/history/1.0":
			l.archived += name.Local
		case inItem && (name.Local == "id" || name.Local == "guid"):
			var id string
			if err := d.DecodeElement(&id, &start); err != nil {
				p.t.Fatal(err)
			}
			l.ids = append(l.ids, id)
		case name.Local == "link" && name.Space == "http://www.w3.org/2005/Atom" && !inItem:
			l.link(start.Attr)
		}
	}
	return l
}

func (l *leaf) link(attributes []xml.Attr) {
	href := ""
	for _, a := range attributes {
		if a.Name.Local == "href" {
			href = a.Value
		}
	}
	for _, a := range attributes {
		switch a.Value {
		case "self":
			l.self = href
		case "prev-archive":
			l.older = href
		case "next-archive":
			l.newer = href
		case "current":
			l.current = href
		}
	}
}

// walk follows a feed into its archive and returns all ids, sorted, and the
// paths of the documents.
func (p *panel) walk(path string) (ids, documents []string) {
	p.t.Helper()
	for path != "" {
		documents = append(documents, path)
		l := p.leaf(path)
		if l.self != base+path {
			p.t.Errorf("%s calls itself %s", path, l.self)
		}
		ids = append(ids, l.ids...)
		path = strings.TrimPrefix(l.older, base)
	}
	slices.Sort(ids)
	return slices.Compact(ids), documents
}

// crowd registers tools and lets one reviewer judge each: from and to are the
// first and the last.
func crowd(from, to int, body string) []events.Payload {
	var list []events.Payload
	for i := from; i <= to; i++ {
		slug := "tool-" + strconv.Itoa(i)
		list = append(list, tool(slug, "Tool "+strconv.Itoa(i)), submit(slug, "builder", "ship", body))
	}
	return list
}

func crowded(t testing.TB, n int, body string) *panel {
	t.Helper()
	p := newPanel(t, seat("builder", "The Builder", 1))
	p.record(crowd(1, n, body)...)
	return p
}

// TestArchiveReachesEverything follows each feed in each format to its first
// item: nothing is left out, and the ids are those the feed gives.
func TestArchiveReachesEverything(t *testing.T) {
	p := crowded(t, 345, "Fine.")
	var want []string
	for i := range 345 {
		want = append(want, fmt.Sprintf("tag:panel.example,2026-03-02:review/%d", 4+2*i))
	}
	slices.Sort(want)
	for _, name := range []string{"/feeds/reviews", "/feeds/reviewers/builder", "/feeds/categories/ai-agents"} {
		for _, format := range feeds.Formats() {
			ids, documents := p.walk(name + "." + string(format))
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Errorf("%s.%s and its archive (-want +got):\n%s", name, format, diff)
			}
			// The feed shows 200 of one burst: those of 300 are its best way on.
			wanted := []string{name, name + "/archive/300", name + "/archive/200", name + "/archive/100"}
			for i := range wanted {
				wanted[i] += "." + string(format)
			}
			if diff := cmp.Diff(wanted, documents); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
		}
	}
}

// TestArchiveCoversWhatTheWindowLeaves checks the items that are neither in the
// window nor in a full block: long ones, and such as say an old date.
func TestArchiveCoversWhatTheWindowLeaves(t *testing.T) {
	p := crowded(t, 60, strings.Repeat("A long text. ", 2000))
	shown := len(p.leaf("/feeds/reviews.atom").ids)
	if shown >= 50 {
		t.Fatalf("the window holds %d items, want fewer for their size", shown)
	}
	ids, _ := p.walk("/feeds/reviews.atom")
	if len(ids) != 60 {
		t.Errorf("%d items can be reached, want 60", len(ids))
	}
	p = crowded(t, 230, "Fine.")
	p.ledger.Written = "2021-01-01T00:00:00Z"
	p.record(crowd(231, 233, "An import.")...)
	ids, documents := p.walk("/feeds/reviews.json")
	if len(ids) != 233 || documents[1] != "/feeds/reviews/archive/233.json" || documents[2] != "/feeds/reviews/archive/200.json" {
		t.Errorf("%d items of 233 can be reached, by %v", len(ids), documents)
	}
}

// TestArchiveStaysSmall has a block of texts that are long and grow when they are
// escaped: every document of it is one that readers accept, and nothing is left
// out or told twice.
func TestArchiveStaysSmall(t *testing.T) {
	p := crowded(t, 130, strings.Repeat(`"<&>" `, 3<<10))
	for _, format := range feeds.Formats() {
		_, documents := p.walk("/feeds/reviews." + string(format))
		seen := map[string]string{}
		for i, path := range documents {
			if body := p.ok(path).body; len(body) > 512<<10 {
				t.Errorf("%s has %d bytes, over 512 KiB", path, len(body))
			}
			for _, id := range p.leaf(path).ids {
				if other := seen[id]; i > 1 && other != "" && other != documents[0] {
					t.Errorf("%s is in %s and in %s", id, other, path)
				}
				seen[id] = path
			}
		}
		if len(seen) != 130 {
			t.Errorf("%s: %d items of 130 can be reached by %v", format, len(seen), documents)
		}
	}
}

// TestArchiveNeverChanges checks that whatever comes later, a document of the
// archive stays as it is.
func TestArchiveNeverChanges(t *testing.T) {
	p := crowded(t, 120, "Fine.")
	paths := []string{"/feeds/reviews/archive/100.atom", "/feeds/reviewers/builder/archive/100.rss", "/feeds/categories/ai-agents/archive/100.json", "/feeds/reviews/archive/113.atom"}
	before := map[string]answer{}
	for _, path := range paths {
		before[path] = p.ok(path)
	}
	p.record(
		revise("tool-7", "builder", "ship", "Still fine.", 2, 16), &events.ToolRegistered{Tool: "tool-8", Name: "Other"},
		&events.ReviewerSeated{Reviewer: "builder", Name: "Somebody"}, &events.ReviewWithdrawn{Tool: "tool-9", Reviewer: "builder", Reason: "Wrong."},
	)
	p.record(crowd(121, 210, "Fine.")...)
	p.serve(feeds.Options{})
	for _, path := range paths {
		after := p.ok(path)
		if diff := cmp.Diff(before[path].body, after.body); diff != "" {
			t.Errorf("%s changed (-before +after):\n%s", path, diff)
		}
		if after.etag() != before[path].etag() || after.header.Get("Cache-Control") != "public, max-age=2592000, immutable" {
			t.Errorf("%s: %v", path, after.header)
		}
		again := p.get(path, "If-None-Match", after.etag())
		if again.status != http.StatusNotModified || again.header.Get("Cache-Control") != after.header.Get("Cache-Control") {
			t.Errorf("%s again: %d %v", path, again.status, again.header)
		}
	}
}

// TestArchiveLinks checks what a document says of itself and its neighbours.
func TestArchiveLinks(t *testing.T) {
	p := crowded(t, 250, "Fine.")
	for _, format := range []string{".atom", ".rss"} {
		got := p.leaf("/feeds/reviews/archive/200" + format)
		got.ids = got.ids[:1]
		want := leaf{
			archived: "archive", self: base + "/feeds/reviews/archive/200" + format, current: base + "/feeds/reviews" + format,
			older: base + "/feeds/reviews/archive/100" + format, newer: base + "/feeds/reviews/archive/300" + format,
			ids: []string{"tag:panel.example,2026-03-02:review/402"},
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(leaf{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
		if main := p.leaf("/feeds/reviews" + format); main.archived != "" || main.current != "" || main.newer != "" {
			t.Errorf("the feed says it is an archive: %+v", main)
		}
	}
	if first := p.leaf("/feeds/reviews/archive/100.atom"); first.older != "" {
		t.Errorf("the first document leads on to %s", first.older)
	}
	p.record(tool("named", "Named", "alias"))
	for path, want := range map[string]string{
		"/feeds/reviews/archive/300.atom":           "307 /feeds/reviews.atom",
		"/feeds/reviews/archive/400.atom":           "404 ",
		"/feeds/reviews/archive/251.atom":           "404 ",
		"/feeds/reviews/archive/0.atom":             "404 ",
		"/feeds/reviews/archive/0100.atom":          "404 ",
		"/feeds/reviews/archive/-100.atom":          "404 ",
		"/feeds/reviews/archive/100.opml":           "404 ",
		"/feeds/reviews/archive/100":                "404 ",
		"/feeds/nothing/archive/100.atom":           "404 ",
		"/feeds/verdicts/archive/100.atom":          "404 ",
		"/feeds/tools/nobody/archive/100.atom":      "404 ",
		"/feeds/tools/alias/archive/100.atom":       "301 /feeds/tools/named/archive/100.atom",
		"/feeds/categories/nothing/archive/1.atom":  "404 ",
		"/feeds/tools/tool-1/archive/1.json":        "200 ",
		"/feeds/reviewers/builder/archive/250.atom": "200 ",
	} {
		a := p.get(path)
		if got := fmt.Sprint(a.status, " ", a.header.Get("Location")); got != want {
			t.Errorf("GET %s: %s, want %s", path, got, want)
		}
	}
}
