package pages_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// checkPage holds what is true of every page: it is well formed enough to come
// back the same from a parser, ids are unique, anchors lead somewhere, and
// nothing in it runs, styles itself or loads from elsewhere.
func checkPage(t *testing.T, body []byte) {
	t.Helper()
	checkBalanced(t, body)
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	ids, anchors := map[string]bool{}, []string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "script" || n.Data == "style" || n.Data == "img" || n.Data == "iframe" {
			t.Errorf("page holds a %s element", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "style" || strings.HasPrefix(a.Key, "on"):
				t.Errorf("%s has the attribute %s", n.Data, a.Key)
			case a.Key == "id":
				if ids[a.Val] {
					t.Errorf("id %q occurs twice", a.Val)
				}
				ids[a.Val] = true
			case (a.Key == "href" && strings.HasPrefix(a.Val, "#")):
				anchors = append(anchors, a.Val[1:])
			case a.Key == "for" || a.Key == "aria-labelledby":
				anchors = append(anchors, strings.Fields(a.Val)...)
			}
			if strings.Contains(a.Val, "ZgotmplZ") {
				t.Errorf("%s %s was refused by the template: %s", n.Data, a.Key, a.Val)
			}
		}
		checkLink(t, n)
	}
	for _, a := range anchors {
		if !ids[a] {
			t.Errorf("#%s leads nowhere", a)
		}
	}
	if n := count(root, "h1"); n != 1 {
		t.Errorf("page has %d h1 elements, want 1", n)
	}
}

func checkLink(t *testing.T, n *html.Node) {
	t.Helper()
	href := attr(n, "href")
	switch {
	case n.Data == "link" && (attr(n, "rel") == "alternate" || attr(n, "rel") == "outline" || attr(n, "rel") == "canonical"):
		if !strings.HasPrefix(href, "https://panel.example/") {
			t.Errorf("link rel=%s is not on the base URL: %s", attr(n, "rel"), href)
		}
	case n.Data == "a":
		if !regexp.MustCompile(`^(/|#|https?://|mailto:|feed:https://panel\.example/feeds/)`).MatchString(href) {
			t.Errorf("a leads to %q", href)
		}
		if strings.HasPrefix(href, "http") && !strings.HasPrefix(href, "https://panel.example/") && !strings.Contains(attr(n, "rel"), "nofollow ugc") {
			t.Errorf("link to %s is not marked nofollow ugc", href)
		}
	}
}

// checkBalanced counts tags, since the parser mends what is not closed.
func checkBalanced(t *testing.T, body []byte) {
	t.Helper()
	void := map[string]bool{"meta": true, "link": true, "input": true, "col": true, "wbr": true, "br": true, "hr": true}
	var open []string
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("not closed: %v", open)
			}
			return
		case html.StartTagToken:
			name, _ := z.TagName()
			if !void[string(name)] {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func count(root *html.Node, element string) int {
	n := 0
	for d := range root.Descendants() {
		if d.Type == html.ElementNode && d.Data == element {
			n++
		}
	}
	return n
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
