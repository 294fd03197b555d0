package feeds_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mmcdole/gofeed"
	"github.com/rivo/uniseg"
	"golang.org/x/net/html"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/projections/pages"
)

// hostile are texts that break feeds elsewhere.
var hostile = map[string]string{
	"Control":       "bell \x07, escape \x1b[31m, feed \x0c, null \x00.",
	"Noncharacters": "a\ufffeb\uffffc",
	"InvalidUTF8":   "caf\xe9 and \xed\xa0\x80",
	"CDATAEnd":      "if (a[b[0]]>c) ]]> ]]]]>> <![CDATA[x]]>",
	"Heart":         "I <3 this & that",
	"Generics":      "Vec<T>, <head>, Map<String, List<?>> and </entry></item>",
	"Entities":      "&amp; &lt;b&gt; &nbsp; &#0; &#x1F600; AT&T",
	"Quotes":        `He said "it's" and ‘left’ “early”`,
	"Joiners":       "family 👨‍👩‍👧‍👦, flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿, क्षि, e\u0301",
	"RightToLeft":   "כלי טוב מאוד، أداة جيدة (v2.0) \u202eoverride\u202c",
	"Lines":         "one\r\ntwo\rthree\n\n\nfour\n  indented\n\ttabbed\n",
	"LeadingLines":  "\n\n  text",
	"Comment":       "<!-- a --> --> <![CDATA[b]]> <?xml version='1.0'?><!DOCTYPE c [<!ENTITY d SYSTEM 'file:///e'>]>&d;",
	"Isolates":      "\u2066a\u2069 \u202bb\u202c \u200fc\u200e \u00ad\u200b\u2060d",
	"Piled":         strings.Repeat("Z\u0351\u036b\u0343", 60),
	"Planes":        "a\U0001fffeb\U0010ffffc",
	"Script":        `<script>alert("x")</script><img src=x onerror=alert(1)>`,
	"Separators":    "a\u2028b\u2029c\u0085d\u00a0e\ufeff",
	"Astral":        "𝕊𝕙𝕚𝕡 \U0010fffd",
	"Backslash":     `C:\temp\u0000 \" \\`,
	"OnlyTag":       "<b>",
	"OnlyHeart":     "<3",
	"OnlyEnd":       "]]>",
	"OnlyEntity":    "&nbsp;",
	"OnlyQuote":     `"`,
	"OnlyJoined":    "👨‍👩‍👧‍👦",
	"OnlyOverride":  "\u202e\u05d0",
	"OnlyControls":  "\x07.\x1b",
}

// written is what can be left of a text at most: the characters XML forbids
// gone, line ends as line feeds.
func written(s string) string {
	s = events.CleanText(strings.ToValidUTF8(s, ""))
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// quoted is the text of the first blockquote, as a browser would have it.
func quoted(t testing.TB, content string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	var walk func(n *html.Node, inside bool)
	walk = func(n *html.Node, inside bool) {
		if n.Type == html.TextNode && inside {
			text.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, inside || n.Type == html.ElementNode && n.Data == "blockquote")
		}
	}
	walk(root, false)
	return text.String()
}

// strict reads XML to its end as a strict parser does.
func strict(t testing.TB, body []byte) {
	t.Helper()
	wellFormed(t, body)
}

// failing is what fails a test, be it one of examples or of properties.
type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

func wellFormed(t failing, body []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(body)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("not well formed: %v\n%s", err, body)
		}
	}
}

// shows checks that a reader of any format is shown the title, the author and
// the body that were written. Tool and reviewer both have the name.
func shows(t testing.TB, name, body string) {
	t.Helper()
	r := newReview(body)
	r.Tool.Name, r.Reviewer.Name = name, name
	item, err := newComposer().Review(reviewItem(r), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := wideFeed()
	f.Title = pages.ToolFeed("smolvm", name).Title("Panel & Co")
	f.Items = feeds.Window([]feeds.Item{item})
	for _, format := range feeds.Formats() {
		out := render(t, f, format)
		if format != feeds.JSON {
			strict(t, out)
		}
		if !utf8.Valid(out) {
			t.Fatalf("%s is not valid UTF-8", format)
		}
		parsed, err := gofeed.NewParser().Parse(bytes.NewReader(out))
		if err != nil {
			t.Fatalf("%s: %v\n%s", format, err, out)
		}
		got := parsed.Items[0]
		for _, text := range []struct{ what, got, want string }{
			{"title", got.Title, name + " on " + name + ": Ship"},
			{"title of the feed", parsed.Title, f.Title},
			{"author", authorIn(t, out, format), name},
		} {
			if g, want := oneLine(text.got), oneLine(text.want); g != want {
				t.Errorf("%s %s\n got %q\nwant %q", format, text.what, g, want)
			}
		}
		if g, want := quoted(t, got.Content), written(body); g != want {
			t.Errorf("%s body\n got %q\nwant %q", format, g, want)
		}
		for _, tag := range []string{"<script", "<img", "onerror=\""} {
			if strings.Contains(got.Content, tag) {
				t.Errorf("%s lets %s through: %s", format, tag, got.Content)
			}
		}
	}
}

// oneLine is a name as it is written on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(written(s)), " ") }

// authorIn is the author of the one item as it stands in a document. The parser
// looks for e-mail addresses in names and takes them apart.
func authorIn(t testing.TB, out []byte, format feeds.Format) string {
	t.Helper()
	var doc struct {
		Items []struct{ Authors []struct{ Name string } }
		Entry struct {
			Author string `xml:"author>name"`
		} `xml:"entry"`
		Creator string `xml:"channel>item>creator"`
	}
	if format == feeds.JSON {
		if err := json.Unmarshal(out, &doc); err != nil {
			t.Fatal(err)
		}
		return doc.Items[0].Authors[0].Name
	}
	if err := xml.Unmarshal(out, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Entry.Author + doc.Creator
}

func TestReadersShowWhatWasWritten(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) { shows(t, strings.TrimSpace(text), text) })
	}
}

func FuzzReadersShowWhatWasWritten(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, name, body string) {
		if len(body) > 16<<10 || len(name) > 400 || strings.TrimSpace(written(body)) == "" {
			return // intake refuses it
		}
		shows(t, name, body)
	})
}

func TestLongBodyIsCutBetweenGraphemes(t *testing.T) {
	units := map[string]string{
		"Family":   "👨‍👩‍👧‍👦",
		"Accents":  "e\u0301\u0302",
		"Flags":    "🇳🇱",
		"Words":    "word ",
		"Hebrew":   "שלום ",
		"OneWord":  "x",
		"Carriage": "ab\r\n",
	}
	for name, unit := range units {
		t.Run(name, func(t *testing.T) {
			body := strings.Repeat(unit, 60<<10/len(unit))
			item, err := newComposer().Review(reviewItem(newReview(body)), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			text, whole := quoted(t, item.Content), written(body)
			if !strings.HasPrefix(whole, text) || len(text) < 16<<10 || len(text) > 32<<10 {
				t.Fatalf("%d bytes of %d are shown, want a beginning of 16 to 32 KiB", len(text), len(whole))
			}
			clusters := uniseg.GraphemeClusterCount(text) + uniseg.GraphemeClusterCount(whole[len(text):])
			if clusters != uniseg.GraphemeClusterCount(whole) {
				t.Error("cut inside a grapheme")
			}
			if link := `<a href="` + base + `/events/12">The rest of the review</a>`; !strings.Contains(item.Content, link) {
				t.Errorf("no link to the rest: %s", item.Content[len(item.Content)-300:])
			}
		})
	}
}
