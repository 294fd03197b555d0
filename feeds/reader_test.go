package feeds_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// agents are User-Agents as the readers send them.
var agents = map[string]string{
	"feedbin":        "Feedbin feed-id:1373711 - 142 subscribers",
	"feedly":         "Feedly/1.0 (+http://www.feedly.com/fetcher.html; 16 subscribers; like FeedFetcher-Google)",
	"inoreader":      "Mozilla/5.0 (compatible; Inoreader/1.0; +http://www.inoreader.com/feed-fetcher; 4 subscribers; )",
	"newsblur":       "NewsBlur Feed Fetcher - 12 subscribers - https://www.newsblur.com/site/1/panel (Mozilla/5.0 (Macintosh))",
	"theoldreader":   "Mozilla/5.0 (compatible; theoldreader.com; 3 subscribers; feed-id=5c)",
	"bazqux":         "BazQux/2.4 (+https://bazqux.com/fetcher; 1 subscribers)",
	"miniflux":       "Mozilla/5.0 (compatible; Miniflux/2.2.1; +https://miniflux.app)",
	"freshrss":       "FreshRSS/1.24.3 (Linux; https://freshrss.org)",
	"commafeed":      "CommaFeed/5.3 (https://github.com/Athou/commafeed)",
	"tiny_tiny_rss":  "Tiny Tiny RSS/24.06 (https://tt-rss.org/)",
	"nextcloud_news": "Nextcloud-News/1.0",
	"netnewswire":    "NetNewsWire (RSS Reader; https://netnewswire.com/)",
	"newsboat":       "newsboat/2.33 (Linux x86_64)",
	"reeder":         "Reeder/5.4 CFNetwork/1410.0.3 Darwin/22.6.0",
	"liferea":        "Liferea/1.15.6 (Linux; https://lzone.de/liferea/) AppleWebKit (KHTML, like Gecko)",
	"akregator":      "Akregator/5.22.3; syndication",
	"thunderbird":    "Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Thunderbird/115.6.0",
	"feedparser":     "feedparser/6.0.11 +https://github.com/kurtmckee/feedparser/",
	"curl":           "curl/8.5.0",
	"browser":        "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
	"other":          "my-own-script 7 subscribers",
}

func (p *panel) reading(agent, path string) {
	p.t.Helper()
	p.ok(path, "User-Agent", agent)
}

// by are the values of a metric, by one of its labels, without zeros.
func (p *panel) by(name, label string) map[string]float64 {
	p.t.Helper()
	values := map[string]float64{}
	for _, f := range p.metrics() {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if v := m.GetCounter().GetValue() + m.GetGauge().GetValue(); l.GetName() == label && v > 0 {
					values[l.GetValue()] += v
				}
			}
		}
	}
	return values
}

func TestReadersAreToldApart(t *testing.T) {
	p := newPanel(t, story()...)
	want := map[string]float64{}
	for name, agent := range agents {
		p.reading(agent, "/feeds/reviews.atom")
		want[name] = 1
	}
	if diff := cmp.Diff(want, p.by("shiplog_feed_reader_requests_total", "reader")); diff != "" {
		t.Errorf("requests by reader (-want +got):\n%s", diff)
	}
	wantSubscribers := map[string]float64{"feedbin": 142, "feedly": 16, "inoreader": 4, "newsblur": 12, "theoldreader": 3, "bazqux": 1}
	if diff := cmp.Diff(wantSubscribers, p.by("shiplog_feed_subscribers", "reader")); diff != "" {
		t.Errorf("subscribers by reader (-want +got):\n%s", diff)
	}
}

// What was answered 304 is told apart from redirects, which are of the same class.
func TestNotModifiedIsCounted(t *testing.T) {
	p := newPanel(t, story()...)
	const agent, path = "Feedbin feed-id:1 - 5 subscribers", "/feeds/reviews.atom"
	tag := p.ok(path).header.Get("Etag")
	for range 2 {
		p.get(path, "User-Agent", agent, "If-None-Match", tag)
	}
	if moved := p.get("/feeds/tools/SmolVM.atom", "User-Agent", agent); moved.status != http.StatusMovedPermanently {
		t.Fatalf("a name in capitals: %d", moved.status)
	}
	if diff := cmp.Diff(map[string]float64{"feedbin": 2}, p.by("shiplog_feed_not_modified_total", "reader")); diff != "" {
		t.Errorf("answered 304 by reader (-want +got):\n%s", diff)
	}
}

// What a service says last is what counts, for each feed; a feed that is not
// there has no subscribers, and what was said two weeks ago is over.
func TestSubscribersAreThoseLastAnnounced(t *testing.T) {
	p := newPanel(t, story()...)
	for _, n := range []int{5, 8} {
		p.reading(fmt.Sprintf("Feedbin feed-id:1 - %d subscribers", n), "/feeds/matchups.atom")
	}
	p.reading("Feedbin feed-id:2 - 2 subscribers", "/feeds/matchups.rss")
	p.get("/feeds/tools/nothing.atom", "User-Agent", "Feedbin feed-id:3 - 900 subscribers")
	if diff := cmp.Diff(map[string]float64{"matchups": 10}, p.by("shiplog_feed_subscribers", "feed")); diff != "" {
		t.Errorf("subscribers by feed (-want +got):\n%s", diff)
	}
	p.now = p.now.Add(15 * 24 * time.Hour)
	if got := p.by("shiplog_feed_subscribers", "feed"); len(got) > 0 {
		t.Errorf("after two weeks: %v", got)
	}
}

// However many readers call themselves whatever, the labels are a fixed set.
func TestReadersAreBounded(t *testing.T) {
	p := newPanel(t, story()...)
	known := append(slices.Sorted(maps.Keys(agents)), "")
	for i := range 3000 {
		p.get("/feeds/reviews.atom", "User-Agent", fmt.Sprintf("reader-%d - %d subscribers", i, i), "If-None-Match", "*")
	}
	for name := range p.by("shiplog_feed_reader_requests_total", "reader") {
		if !slices.Contains(known, name) {
			t.Errorf("a label %q", name)
		}
	}
}
