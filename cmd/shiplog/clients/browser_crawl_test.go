//go:build clients

package clients_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Every page that a link leads to loads in a browser, on the narrowest screen,
// without a word in its console; every feed and icon that a page announces is
// there.
func TestClientBrowserCrawl(t *testing.T) {
	n := startDemo(t)
	b := openBrowser(t)
	b.see(t, 320)
	c := crawl{seen: map[string]bool{"/": true}, pages: []string{"/"}}
	for i := 0; i < len(c.pages); i++ {
		c.page(t, b, n.Base, c.pages[i])
		if t.Failed() {
			return // what one page lacks, the next may lack too
		}
	}
	if len(c.pages) < 300 || len(c.files) < 90 {
		t.Errorf("%d pages and %d feeds found, want at least 300 and 90", len(c.pages), len(c.files))
	}
	for _, path := range c.files {
		if status, body := fetch(t, n.Base+path); status != http.StatusOK || len(body) == 0 {
			t.Errorf("%s: %d", path, status)
		}
	}
}

type crawl struct {
	seen  map[string]bool // paths
	pages []string        // found so far, visited in this order
	files []string        // feeds and icons, to be fetched
}

// links are where a page leads: what it links to, and the feeds and icons its
// head announces.
type links struct {
	Hrefs      []string
	Alternates []string
	Icons      []string
}

const linksScript = `({
  hrefs: [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')),
  alternates: [...document.querySelectorAll('link[rel=alternate]')].map(l => l.getAttribute('href')),
  icons: [...document.querySelectorAll('link[rel~=icon]')].map(l => l.getAttribute('href')),
})`

func (c *crawl) page(t *testing.T, b *tab, base, path string) {
	if got := b.visit(t, base+path); got != http.StatusOK {
		t.Errorf("%s: %d", path, got)
		return
	}
	looksWell(t, b, path)
	if faults := b.heard(); len(faults) > 0 {
		t.Errorf("%s: the console says %q", path, faults)
	}
	found := ask[links](t, b, linksScript)
	if len(found.Alternates) < 3 || len(found.Icons) == 0 {
		t.Errorf("%s announces %d feeds and %d icons", path, len(found.Alternates), len(found.Icons))
	}
	for _, to := range slices.Concat(found.Hrefs, found.Alternates, found.Icons) {
		c.add(t, path, to)
	}
}

// add notes a link. Of tables of several tools only those that other pages link
// to are visited: each links to ever more combinations.
func (c *crawl) add(t *testing.T, from, to string) {
	u, err := url.Parse(to)
	switch {
	case err != nil:
		t.Errorf("%s links to %q: %v", from, to, err)
		return
	case u.IsAbs() && !strings.HasPrefix(to, publicHost+"/"):
		return // another site
	case u.Path == "":
		return // a place on the page itself
	}
	u.Scheme, u.Host, u.Fragment = "", "", ""
	path := u.String()
	if c.seen[path] || (u.Query().Has("tools") && strings.Contains(from, "tools=")) {
		return
	}
	c.seen[path] = true
	if strings.HasPrefix(path, "/feeds/") || strings.HasPrefix(path, "/static/") || path == "/feeds.opml" {
		c.files = append(c.files, path)
		return
	}
	c.pages = append(c.pages, path)
}
