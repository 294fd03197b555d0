package pages_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"shiplog/projections/pages"
)

func TestPictureURL(t *testing.T) {
	for got, want := range map[string]string{
		pages.PictureURL("https://x.example", "a", "b-c"):  "https://x.example/pictures/compare/a-vs-b-c.png",
		pages.PictureURL("https://x.example/p/", "a", "b"): "https://x.example/p/pictures/compare/a-vs-b.png",
		pages.ToolPictureURL("https://x.example", "a", 12): "https://x.example/pictures/tools/a.png?at=12",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestPictureInHead draws pages with a picture and looks for it as a crawler
// does.
func TestPictureInHead(t *testing.T) {
	ferrule := pages.Contender{Ref: pages.Ref{Slug: "ferrule", Name: `Fer"rule <3`}, Verdict: pages.Verdict{Label: "Ship", Ships: 3, N: 4}}
	quill := pages.Contender{Ref: pages.Ref{Slug: "quill"}, Verdict: pages.Verdict{Label: "Split", Ships: 2, N: 4}}
	compare := pages.CompareView{Left: ferrule, Right: quill, Result: pages.Result{Kind: "leans", Leader: ferrule.Ref, Edge: 1, Shared: 3}}
	then := compare
	then.At = &pages.Event{Seq: 12}
	p := newPages(t)
	for _, test := range []struct {
		name, image, alt string
		draw             func(*bytes.Buffer) error
	}{
		{
			"compare", "/pictures/compare/ferrule-vs-quill.png",
			`Fer"rule <3 vs quill: Leans Fer"rule <3. Fer"rule <3: Ship 3 of 4 (75%). quill: Split 2 of 4 (50%).`,
			func(w *bytes.Buffer) error { return p.Compare(w, compare) },
		},
		{
			"compare of the past", "/pictures/compare/ferrule-vs-quill.png?at=12", "Leans",
			func(w *bytes.Buffer) error { return p.Compare(w, then) },
		},
		{
			"tool", "/pictures/tools/ferrule.png", `Fer"rule <3: Ship 3 of 4 (75%).`,
			func(w *bytes.Buffer) error {
				return p.Tool(w, pages.ToolView{Tool: ferrule.Ref, Verdict: ferrule.Verdict})
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var page bytes.Buffer
			if err := test.draw(&page); err != nil {
				t.Fatal(err)
			}
			metas := metasOf(t, &page)
			for name, want := range map[string]string{
				"og:image:type": "image/png", "og:image:width": "1200", "og:image:height": "630", "twitter:card": "summary_large_image",
			} {
				if metas[name] != want {
					t.Errorf("%s is %q, want %q", name, metas[name], want)
				}
			}
			if got := metas["og:image"]; !strings.HasPrefix(got, "https://") || !strings.HasSuffix(got, test.image) {
				t.Errorf("og:image is %q, want an absolute address that ends in %s", got, test.image)
			}
			if got := metas["og:image:alt"]; !strings.Contains(got, test.alt) {
				t.Errorf("og:image:alt is %q, want %q", got, test.alt)
			}
		})
	}
}

// metasOf reads the meta elements of a page.
func metasOf(t *testing.T, page *bytes.Buffer) map[string]string {
	t.Helper()
	root, err := html.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	metas := map[string]string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "meta" {
			continue
		}
		name := attribute(n, "property") + attribute(n, "name")
		if _, twice := metas[name]; twice && name != "" {
			t.Errorf("%s stands twice", name)
		}
		metas[name] = attribute(n, "content")
	}
	return metas
}

func attribute(n *html.Node, name string) string {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if i < 0 {
		return ""
	}
	return n.Attr[i].Val
}
