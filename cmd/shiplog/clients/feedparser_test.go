//go:build clients

package clients_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/net/html"

	"shiplog/cmd/shiplog/process"
)

// A seenItem is what a reader has of an item; dates are seconds of 1970, markup
// is the text in it.
type seenItem struct {
	ID, Title, Link, Authors, Summary, Content, Thumbnail string
	Published, Updated                                    int64
	Tags                                                  []string
}

// feedparser reads a feed. The script fails where feedparser finds fault with it
// (bozo).
func feedparser(t *testing.T, address string) (title string, items []seenItem, again map[string]int) {
	t.Helper()
	var f struct {
		Title   string
		Entries []seenItem
		Again   map[string]int
	}
	out, _ := run(t, 0, "../../../tools/clients/feeds.py", address)
	decode(t, []byte(out), &f)
	for i := range f.Entries {
		item := &f.Entries[i]
		item.Content = textIn(t, item.Content)
		if strings.HasSuffix(address, ".rss") {
			item.Summary = textIn(t, item.Summary) // markup, in RSS
		}
	}
	return f.Title, f.Entries, f.Again
}

// jsonItems reads a JSON Feed as its specification says.
func jsonItems(t *testing.T, raw []byte) (title string, items []seenItem) {
	t.Helper()
	var f struct {
		Version, Title string
		Items          []struct {
			ID, Title, URL, Summary, Image string
			Content                        string    `json:"content_html"`
			Published                      time.Time `json:"date_published"`
			Updated                        time.Time `json:"date_modified"`
			Authors                        []struct{ Name string }
			Tags                           []string
		}
	}
	if err := json.Unmarshal(raw, &f); err != nil || f.Version != "https://jsonfeed.org/version/1.1" {
		t.Fatalf("%v, version %q", err, f.Version)
	}
	for _, item := range f.Items {
		var authors []string
		for _, author := range item.Authors {
			authors = append(authors, author.Name)
		}
		items = append(items, seenItem{
			ID: item.ID, Title: item.Title, Link: item.URL, Authors: strings.Join(authors, ", "), Summary: item.Summary,
			Content: textIn(t, item.Content), Thumbnail: item.Image, Published: item.Published.Unix(), Updated: item.Updated.Unix(), Tags: item.Tags,
		})
	}
	return f.Title, items
}

// textIn is the text of markup without the space around it, which parsers cut.
func textIn(t *testing.T, markup string) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(markup))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(text(doc)), " ")
}

// What feedparser has of a feed is the same in Atom and RSS, and the same as
// what stands in JSON: ids, titles, links, authors, dates, tags, pictures and
// all of the text, be it ever so strange.
func TestClientFeedparser(t *testing.T) {
	n := start(t, t.TempDir(), "--demo")
	settle(t, n)
	strange(t, n)
	eventually(t, "dates are told, as their second is over", func() bool {
		resp, err := http.Head(n.Base + "/feeds.opml")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.Header.Get("Last-Modified") != ""
	})
	for _, stem := range []string{
		"matchups", "verdicts", "reviews", "tools/cinderbell", "reviewers/skeptic", "tools/strange", "reviewers/strange", "tools/empty",
	} {
		address := n.Base + "/feeds/" + stem
		title, want := jsonItems(t, get(t, address+".json"))
		if len(want) == 0 != (stem == "tools/empty") {
			t.Errorf("%s has %d items", stem, len(want))
		}
		for _, format := range []string{".atom", ".rss"} {
			gotTitle, got, again := feedparser(t, address+format)
			if gotTitle != title {
				t.Errorf("%s%s is called %q, want %q", stem, format, gotTitle, title)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s%s (-json +feedparser):\n%s", stem, format, diff)
			}
			for validator, status := range again {
				if status != http.StatusNotModified {
					t.Errorf("%s%s asked for again with %s: %d, want 304", stem, format, validator, status)
				}
			}
			if len(again) != 3 {
				t.Errorf("%s%s was asked for again %d times", stem, format, len(again))
			}
		}
	}
}

// strange publishes reviews whose texts break feeds elsewhere, and a tool
// without any.
func strange(t *testing.T, n *process.Node) {
	t.Helper()
	quoted := func(s string) string {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	publish(t, n, "strange",
		[2]string{"tool.registered", `{"tool":"strange","name":` + quoted("]]> <b>Vec<T></b> &amp; \"x\" \u202ek\u202c") + `,"category":"strange-things"}`},
		[2]string{"reviewer.seated", `{"reviewer":"strange","name":` + quoted("<Ann> & 'Co' 👩\u200d💻") + `}`},
		[2]string{"review.submitted", `{"tool":"strange","reviewer":"strange","verdict":"ship","body":` +
			quoted("I <3 Vec<T> ]]> &nbsp; &#0;\n\n<script>alert(1)</script> \u2028 //x.example/y javascript:alert(1) \u05db\u05dc\u05d9") + `}`},
		[2]string{"tool.registered", `{"tool":"empty","name":"Empty"}`},
	)
}
