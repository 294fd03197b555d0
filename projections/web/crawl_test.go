package web_test

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// matricesMost is how many of the endless choices of tools are looked at.
const matricesMost = 100

// TestCrawl follows every link of the demo, as of now and as of the past.
func TestCrawl(t *testing.T) {
	s := serve(t, demo(t))
	seen, matrices := map[string]bool{}, 0
	queue := []string{"/", "/search?q=gantrel", "/tools?verdict=split", "/compare/nothing-vs-gantrel", "/?at=40", "/tools?at=60", "/events/9?at=30", "/robots.txt", "/favicon.ico"}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if side := strings.HasPrefix(path, "/compare?tools="); seen[path] || side && matrices == matricesMost {
			continue
		} else if side {
			matrices++
		}
		seen[path] = true
		a := s.get(path)
		switch {
		case a.StatusCode == http.StatusMovedPermanently || a.StatusCode == http.StatusFound:
			queue = append(queue, a.Header.Get("Location"))
			continue
		case path == "/compare/nothing-vs-gantrel":
			if a.StatusCode != http.StatusNotFound {
				t.Errorf("%s: got status %d", path, a.StatusCode)
			}
			continue
		case a.StatusCode != http.StatusOK:
			t.Errorf("%s: got status %d", path, a.StatusCode)
			continue
		}
		if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
			checkHTML(t, path, a.body)
			queue = append(queue, links(t, path, a.body)...)
		}
	}
	if len(seen) < 250 {
		t.Errorf("the crawl found only %d addresses", len(seen))
	}
	for _, want := range []string{"/feeds?at=", "/compare?tools=", "/rules", "/reviewers", "/categories/", "/events/100", "/static/style."} {
		if !slices.ContainsFunc(keys(seen), func(path string) bool { return strings.HasPrefix(path, strings.TrimSuffix(want, "?at=")) }) {
			t.Errorf("the crawl found no %s", want)
		}
	}
}

func keys(m map[string]bool) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	return list
}

// links are the addresses on this site that a page leads to, forms and the
// canonical address included.
func links(t *testing.T, path string, body []byte) []string {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	here, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for n := range root.Descendants() {
		href := attr(n, "href")
		if n.Data == "form" {
			href = attr(n, "action")
		}
		feed := strings.HasPrefix(href, baseURL+"/feeds/") || strings.HasPrefix(href, baseURL+"/feeds.opml")
		if strings.HasPrefix(href, "/feeds/") || strings.HasPrefix(href, "/feeds.opml") {
			t.Errorf("%s: feed link %s is not absolute", path, href)
		}
		href = strings.TrimPrefix(href, baseURL)
		if href == "" || feed || n.Data == "use" || strings.HasPrefix(href, "http") || strings.HasPrefix(href, "mailto:") || strings.HasPrefix(href, "feed:"+baseURL+"/feeds/") {
			continue
		}
		to, err := here.Parse(href)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		to.Fragment = ""
		out = append(out, to.RequestURI())
	}
	return out
}

// checkHTML holds what is true of every page.
func checkHTML(t *testing.T, path string, body []byte) {
	t.Helper()
	void := map[string]bool{"meta": true, "link": true, "input": true, "col": true, "wbr": true, "br": true, "hr": true}
	var open []string
	headings, ids := 0, map[string]bool{}
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		token := z.Token()
		for _, a := range token.Attr {
			if a.Key == "id" && ids[a.Val] {
				t.Errorf("%s: id %s occurs twice", path, a.Val)
			}
			ids[a.Val] = ids[a.Val] || a.Key == "id"
			if strings.Contains(a.Val, "ZgotmplZ") {
				t.Errorf("%s: %s of %s was refused by the template", path, a.Key, token.Data)
			}
		}
		switch kind {
		case html.StartTagToken:
			if token.Data == "h1" {
				headings++
			}
			if !void[token.Data] {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("%s: </%s> closes %v", path, token.Data, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 || headings != 1 {
		t.Errorf("%s: left open %v, h1 %d times", path, open, headings)
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
