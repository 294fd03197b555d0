package feeds_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"

	"shiplog/events"
	"shiplog/feeds"
)

// fullFeed has an item with everything and one with as little as can be.
func fullFeed(t *testing.T) *feeds.Feed {
	t.Helper()
	c := newComposer()
	first := newReview("A runtime for Vec<T> & friends.\n\nSecond paragraph,\nwith a break; it's \"fine\" ]]> <3.")
	first.Condition = "Only with a lock file."
	first.Pros = []string{"starts in 200 ms", "AGENTS.md & docs"}
	first.Cons = []string{"sparse <docs>"}
	first.Evidence = []string{"https://example.com/?a=1&b=\"2\"", "isbn:123"}
	first.Disclosure = "Knows the author."
	first.Inferred = true
	first.Publisher = "newsroom"
	second := newReview("# Verdict\n\nNow **yes**, see [notes](https://example.com/notes) <script>alert(1)</script>")
	second.Event, second.Item = stampAt(20, "2026-03-03T10:00:00.5Z"), 20
	second.Format, second.Previous, second.Verdict = events.FormatMarkdown, events.Skip, events.Ship
	second.Revision, second.Category, second.Reviewer = 2, "", critic("skeptic", "")
	f := wideFeed()
	for _, r := range []struct{ in, origin int }{{0, 0}, {1, 0}} {
		in := reviewItem(first)
		if r.in == 1 {
			in = reviewItem(second)
		}
		item, err := c.Review(in, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.Items = append(f.Items, item)
	}
	feeds.Sort(f.Items)
	f.Updated = f.Items[0].Updated
	f.Links = []feeds.Link{{Rel: "hub", Href: "https://hub.example/"}}
	return f
}

func TestRenderGolden(t *testing.T) {
	empty := wideFeed()
	full := fullFeed(t)
	archive := wideFeed()
	archive.Icon = base + "/favicon.ico"
	archive.Current, archive.Stem = archive.Stem, archive.Stem+"/archive/200"
	archive.Older, archive.Newer = archive.Current+"/archive/100", archive.Current+"/archive/300"
	for _, format := range feeds.Formats() {
		golden(t, "full."+string(format), render(t, full, format))
		golden(t, "archive."+string(format), render(t, archive, format))
		golden(t, "empty."+string(format), render(t, empty, format))
	}
}

func TestEmptyFeedIsWhole(t *testing.T) {
	for _, format := range feeds.Formats() {
		body := render(t, wideFeed(), format)
		parsed, err := gofeed.NewParser().Parse(bytes.NewReader(body))
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if parsed.Title != "Panel & Co: Reviews" || parsed.Link != base+"/reviewers" || parsed.FeedLink != base+"/feeds/reviews."+string(format) {
			t.Errorf("%s: title %q, link %q, self %q", format, parsed.Title, parsed.Link, parsed.FeedLink)
		}
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(render(t, wideFeed(), feeds.JSON), &doc); err != nil {
		t.Fatal(err)
	}
	if string(doc["items"]) != "[]" {
		t.Errorf("items of an empty JSON feed are %s, want []", doc["items"])
	}
	if atom := string(render(t, wideFeed(), feeds.Atom)); !strings.Contains(atom, "<updated>2026-03-01T09:00:00.000Z</updated>") {
		t.Errorf("an empty Atom feed is not as old as the ledger:\n%s", atom)
	}
}

func TestFormatsSayTheSame(t *testing.T) {
	f := fullFeed(t)
	for _, format := range feeds.Formats() {
		parsed, err := gofeed.NewParser().Parse(bytes.NewReader(render(t, f, format)))
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if len(parsed.Items) != len(f.Items) {
			t.Fatalf("%s: %d items, want %d", format, len(parsed.Items), len(f.Items))
		}
		for i, got := range parsed.Items {
			want := f.Items[i]
			if got.GUID != want.ID || got.Title != want.Title || got.Link != want.Link || got.Content != want.Content {
				t.Errorf("%s, item %d: %q %q %q\n%s\nwant %q %q %q\n%s", format, i, got.GUID, got.Title, got.Link, got.Content, want.ID, want.Title, want.Link, want.Content)
			}
			if got.PublishedParsed == nil || !got.PublishedParsed.Equal(want.Published) {
				t.Errorf("%s, item %d: published %v, want %v", format, i, got.PublishedParsed, want.Published)
			}
			if format != feeds.RSS && !got.UpdatedParsed.Equal(want.Updated) {
				t.Errorf("%s, item %d: updated %v, want %v", format, i, got.UpdatedParsed, want.Updated)
			}
			if len(got.Authors) != 1 || got.Authors[0].Name != want.Authors[0].Name {
				t.Errorf("%s, item %d: authors %v, want %v", format, i, got.Authors, want.Authors)
			}
			if len(got.Categories) != len(want.Categories) {
				t.Errorf("%s, item %d: categories %v, want %v", format, i, got.Categories, want.Categories)
			}
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*feeds.Feed)
		want  string
	}{
		{"EmptyID", func(f *feeds.Feed) { f.Items[0].ID = "" }, "id is empty"},
		{"EmptyTitle", func(f *feeds.Feed) { f.Items[0].Title = "\x01 " }, "title is empty"},
		{"EmptyContent", func(f *feeds.Feed) { f.Items[0].Content = "" }, "content is empty"},
		{"EmptyLink", func(f *feeds.Feed) { f.Items[1].Link = "" }, "link is empty"},
		{"SameID", func(f *feeds.Feed) { f.Items[1].ID = f.Items[0].ID }, "two items with the id"},
		{"NoFeedID", func(f *feeds.Feed) { f.ID = "" }, "id is empty"},
		{"NoFeedDate", func(f *feeds.Feed) { f.Updated = moment("0001-01-01T00:00:00Z") }, "updated is empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := fullFeed(t)
			test.spoil(f)
			for _, format := range feeds.Formats() {
				if _, err := feeds.Render(f, format); err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: error %v, want one with %q", format, err, test.want)
				}
			}
		})
	}
}

func TestRenderOPML(t *testing.T) {
	body, err := feeds.RenderOPML("Panel & Co: all feeds", moment("2026-03-02T10:00:00Z"), []feeds.Outline{
		{Title: `Panel: "Vec<T>" & more`, Address: base + "/feeds/matchups.atom", Home: base + "/compare"},
		{Title: "Tools", Outlines: []feeds.Outline{
			{Title: "Panel: smolvm\x00", Address: base + "/feeds/tools/smolvm.atom", Home: base + "/tools/smolvm"},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "all.opml", body)
}
