package feeds_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"
	"pgregory.net/rapid"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/events/decide/decidetest"
	"shiplog/feeds"
	"shiplog/projections"
	"shiplog/projections/projectionstest"
)

// history draws submissions and decides them, as the intake does, after what was
// recorded before. Texts are such as break feeds elsewhere.
func history(t *rapid.T, least int, before ...*events.Event) []*events.Event {
	state := decide.New(nil)
	for _, e := range before {
		if err := state.Evolve(e); err != nil {
			t.Fatal(err)
		}
	}
	log := slices.Clone(before)
	for range rapid.IntRange(least, 60).Draw(t, "submissions") {
		sub := decidetest.Submission(t, state.Head().Seq)
		disturb(t, sub.Data)
		d, err := decide.Decide(state, sub, decidetest.Now)
		if err != nil {
			t.Fatal(err)
		}
		list, err := decidetest.Record(state, d, sub.Input)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, list...)
	}
	return log
}

// disturb puts hostile texts into a payload, or leaves it as it is: what is sent
// again with the same texts is to be met, too.
func disturb(t *rapid.T, p events.Payload) {
	if rapid.Bool().Draw(t, "plain") {
		return
	}
	text := func() string {
		return written(hostile[rapid.SampledFrom(slices.Sorted(maps.Keys(hostile))).Draw(t, "text")])
	}
	name := func() string { return strings.Join(strings.Fields(text()), " ") }
	switch p := p.(type) {
	case *events.ReviewSubmitted:
		p.Body = text()
		if events.Has(p, "tool_name") {
			p.ToolName = name()
		}
	case *events.ToolRegistered:
		p.Name = name()
	case *events.ReviewerSeated:
		p.Name = name()
	case *events.ReviewWithdrawn:
		p.Reason = text()
	}
}

// A said item is what all formats say of an item.
type saidItem struct {
	ID, Title, Link, Summary, Content, Published, Updated string
	Authors, Categories                                   []string
	Picture                                               string
}

func readItem(item *gofeed.Item, format feeds.Format) saidItem {
	said := saidItem{
		ID: item.GUID, Title: item.Title, Link: item.Link, Summary: item.Description, Content: item.Content,
		Published: item.PublishedParsed.Format(time.RFC3339), Updated: item.UpdatedParsed.Format(time.RFC3339),
		Categories: item.Categories,
	}
	for _, author := range item.Authors {
		said.Authors = append(said.Authors, author.Name)
	}
	if format == feeds.JSON {
		if item.Image != nil {
			said.Picture = item.Image.URL
		}
	} else if thumbnails := item.Extensions["media"]["thumbnail"]; len(thumbnails) > 0 {
		said.Picture = thumbnails[0].Attrs["url"]
	}
	switch format {
	case feeds.RSS:
		// The parser looks for e-mail addresses in names here, too; the element
		// has them whole, all in one. The description is markup.
		said.Authors = nil
		if item.DublinCoreExt != nil {
			said.Authors = item.DublinCoreExt.Creator
		}
		said.Summary = html.UnescapeString(said.Summary)
		said.Updated = item.Extensions["atom"]["updated"][0].Value[:len("2006-01-02T15:04:05")] + "Z"
	case feeds.Atom, feeds.JSON:
		said.Authors = []string{strings.Join(said.Authors, ", ")}
		if said.Authors[0] == "" {
			said.Authors = nil
		}
	}
	return said
}

// jsonAuthors puts in the authors as they are written. The parser looks for
// e-mail addresses in their names.
func jsonAuthors(t *rapid.T, body []byte, parsed *gofeed.Feed) {
	var doc struct {
		Items []struct{ Authors []struct{ Name string } }
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	for i, item := range doc.Items {
		parsed.Items[i].Authors = nil
		for _, author := range item.Authors {
			parsed.Items[i].Authors = append(parsed.Items[i].Authors, &gofeed.Person{Name: author.Name})
		}
	}
}

// A reading asks a handler for feeds without a network.
type reading struct {
	t       *rapid.T
	handler http.Handler
	known   map[string]saidItem
}

func (r *reading) get(path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	return w
}

// feed reads one feed in all formats: each is well formed, all say the same,
// and of an item what other feeds say of it.
func (r *reading) feed(stem string) {
	var first []saidItem
	for _, format := range feeds.Formats() {
		w := r.get(stem + "." + string(format))
		switch w.Code {
		case http.StatusOK:
		case http.StatusNotFound, http.StatusMovedPermanently:
			return
		default:
			r.t.Fatalf("%s.%s: %d %s", stem, format, w.Code, w.Body)
		}
		if format != feeds.JSON {
			wellFormed(r.t, w.Body.Bytes())
		}
		parsed, err := gofeed.NewParser().ParseString(w.Body.String())
		if err != nil {
			r.t.Fatalf("%s.%s: %v\n%s", stem, format, err, w.Body)
		}
		if format == feeds.JSON {
			jsonAuthors(r.t, w.Body.Bytes(), parsed)
		}
		items := make([]saidItem, 0, len(parsed.Items))
		for _, item := range parsed.Items {
			items = append(items, readItem(item, format))
		}
		if first == nil {
			first = items
		}
		if diff := cmp.Diff(first, items); diff != "" {
			r.t.Fatalf("%s: atom and %s differ (-atom +%s):\n%s", stem, format, format, diff)
		}
	}
	seen := map[string]bool{}
	for _, item := range first {
		if seen[item.ID] || item.Title == "" || item.Link == "" || item.Content == "" || item.Summary == "" {
			r.t.Fatalf("%s: an item twice or without a part: %+v", stem, item)
		}
		seen[item.ID] = true
		if known, ok := r.known[item.ID]; ok {
			if diff := cmp.Diff(known, item); diff != "" {
				r.t.Fatalf("%s says of %s what other feeds do not:\n%s", stem, item.ID, diff)
			}
		}
		r.known[item.ID] = item
	}
	r.archive(stem, first)
}

// archive checks that the archive counts the items of a feed that shows all.
func (r *reading) archive(stem string, items []saidItem) {
	if w := r.get(fmt.Sprintf("%s/archive/%d.atom", stem, len(items)+1)); w.Code == http.StatusOK {
		r.t.Fatalf("%s shows %d items, but has more in its archive", stem, len(items))
	}
	if len(items) == 0 {
		return
	}
	w := r.get(fmt.Sprintf("%s/archive/%d.atom", stem, len(items)))
	if w.Code != http.StatusOK {
		r.t.Fatalf("%s shows %d items, its archive fewer: %d %s", stem, len(items), w.Code, w.Body)
	}
	parsed, err := gofeed.NewParser().ParseString(w.Body.String())
	if err != nil {
		r.t.Fatal(err)
	}
	var want, got []string
	for _, item := range items {
		want = append(want, item.ID)
	}
	for _, item := range parsed.Items {
		got = append(got, item.GUID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Fatalf("%s and its archive (-feed +archive):\n%s", stem, diff)
	}
}

// emptyModel is a model that goes with the draw.
func emptyModel(t *rapid.T) *projections.Model {
	dir, err := os.MkdirTemp("", "feeds")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	model, err := projections.Open(dir, projections.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	return model
}

// TestAnyHistoryGivesWholeFeeds lets any events happen that the intake takes.
func TestAnyHistoryGivesWholeFeeds(t *testing.T) { rapid.Check(t, wholeFeeds(t)) }

// FuzzAnyHistoryGivesWholeFeeds is the same, steered by what code it reaches.
func FuzzAnyHistoryGivesWholeFeeds(f *testing.F) { f.Fuzz(rapid.MakeFuzz(wholeFeeds(f))) }

// wholeFeeds reads all feeds of a history, in all formats.
func wholeFeeds(t testing.TB) func(*rapid.T) {
	opened := projectionstest.Given(t).Events(t, 1, 1)[0]
	return func(t *rapid.T) {
		model := emptyModel(t)
		if err := model.Apply(context.Background(), history(t, 0, opened)); err != nil {
			t.Fatal(err)
		}
		r := &reading{t: t, handler: handlerOf(t, model), known: map[string]saidItem{}}
		stems := []string{"/feeds/matchups", "/feeds/verdicts", "/feeds/reviews", "/feeds/categories/x", "/feeds/categories/y"}
		for _, slug := range []string{"a", "b", "c", "d", "e", "f", "one", "two"} {
			stems = append(stems, "/feeds/tools/"+slug)
		}
		for _, slug := range []string{"p", "q", "r"} {
			stems = append(stems, "/feeds/reviewers/"+slug)
		}
		for _, stem := range stems {
			r.feed(stem)
		}
		for _, path := range []string{"/feeds.opml", "/feeds/categories/x.opml"} {
			if w := r.get(path); w.Code == http.StatusOK {
				wellFormed(t, w.Body.Bytes())
			}
		}
	}
}
