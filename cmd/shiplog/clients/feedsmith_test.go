//go:build clients

package clients_test

import (
	"bytes"
	"image/png"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A parsedItem is an item as a parser of feeds has it.
type parsedItem struct{ ID, Title, Link, Content, Authors string }

// A parsed is what feedsmith makes of a document.
type parsed struct {
	Format, Title, Self, Older string
	Items                      []parsedItem
	Feeds                      []struct{ Text, Title, Type, XMLURL, HTMLURL string }
}

func feedsmith(t *testing.T, address string) (p parsed) {
	t.Helper()
	out, _ := run(t, 0, "node", "../../../tools/clients/feeds.mjs", address)
	decode(t, []byte(out), &p)
	return p
}

// A parser in another language reads every format and finds the same in each.
func TestClientFeedsmith(t *testing.T) {
	n := start(t, t.TempDir(), "--demo", "--base-url", "https://panel.example")
	settle(t, n)
	list := feedsmith(t, n.Base+"/feeds.opml")
	if list.Format != "opml" || len(list.Feeds) < 10 {
		t.Fatalf("the list of feeds has %d: %+v", len(list.Feeds), list)
	}
	seen := map[string]bool{}
	for _, line := range list.Feeds {
		if line.Text == "" || line.Text != line.Title || line.Type != "rss" || line.HTMLURL == "" || seen[line.XMLURL] {
			t.Errorf("a line without a part, or twice: %+v", line)
		}
		seen[line.XMLURL] = true
	}
	for _, stem := range []string{"matchups", "verdicts", "reviews", "tools/cinderbell", "reviewers/skeptic"} {
		address := "https://panel.example/feeds/" + stem
		if !seen[address+".atom"] {
			t.Errorf("the list has no %s", stem)
		}
		var first parsed
		for _, format := range []string{"atom", "rss", "json"} {
			got := feedsmith(t, n.Base+"/feeds/"+stem+"."+format)
			if got.Format != format || got.Self != address+"."+format || len(got.Items) == 0 {
				t.Fatalf("%s.%s is read as %s of %s with %d items", stem, format, got.Format, got.Self, len(got.Items))
			}
			if format == "atom" {
				first = got
			}
			if diff := cmp.Diff(first.Items, got.Items); diff != "" || got.Title != first.Title {
				t.Errorf("%s: %q and %q; items (-atom +%s):\n%s", stem, first.Title, got.Title, format, diff)
			}
			if format == "atom" {
				icons(t, n.Base, string(get(t, n.Base+"/feeds/"+stem+".atom")))
			}
		}
	}
	older := feedsmith(t, n.Base+"/feeds/reviews/archive/10.json")
	if older.Title != "Shiplog: Reviews" || len(older.Items) != 10 {
		t.Errorf("the first ten reviews are read as %q with %d items", older.Title, len(older.Items))
	}
}

// icons checks that the icon a feed names is there.
func icons(t *testing.T, base, feed string) {
	t.Helper()
	match := regexp.MustCompile(`<icon>https://panel\.example(/[^<]*)</icon>`).FindStringSubmatch(feed)
	if match == nil {
		t.Fatalf("no icon in %.500s", feed)
	}
	icon, err := png.Decode(bytes.NewReader(get(t, base+match[1])))
	if err != nil {
		t.Fatalf("the icon is no PNG: %v", err)
	}
	if size := icon.Bounds().Size(); size.X != size.Y || size.X < 64 {
		t.Errorf("the icon measures %v, want a square of some size", size)
	}
}
