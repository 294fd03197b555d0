package feeds_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/feeds"
)

// exhaust walks through the archive of a crowded panel until no more is built.
func (p *panel) exhaust() (refused answer, n int) {
	p.t.Helper()
	for n = 1; n <= 600; n++ {
		if a := p.get(fmt.Sprintf("/feeds/reviews/archive/%d.json", n)); a.status != http.StatusOK {
			return a, n
		}
	}
	p.t.Fatal("600 documents were built at once for one client")
	return answer{}, 0
}

// TestOneClientCannotKeepTheServerBusy walks through the archive faster than
// any reader does. What is made already is answered meanwhile.
func TestOneClientCannotKeepTheServerBusy(t *testing.T) {
	p := crowded(t, 600, "Fine.")
	p.ok("/feeds/reviews.atom")
	refused, n := p.exhaust()
	if refused.status != http.StatusTooManyRequests || refused.header.Get("Retry-After") != "1" || refused.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("document %d: %d %v, want 429 with Retry-After in seconds", n, refused.status, refused.header)
	}
	if n < 400 {
		t.Errorf("refused after %d documents; the limit is to be generous", n)
	}
	feed := p.ok("/feeds/reviews.atom")
	if a := p.get("/feeds/reviews.atom", "If-None-Match", feed.etag()); a.status != http.StatusNotModified {
		t.Errorf("a reader of the feed is answered %d", a.status)
	}
	p.now = p.now.Add(time.Second)
	p.ok(fmt.Sprintf("/feeds/reviews/archive/%d.json", n))
}

// TestWhatIsMadeIsFree has a client that is over its limit read a feed that is kept,
// after an event elsewhere and after one that it shows.
func TestWhatIsMadeIsFree(t *testing.T) {
	p := crowded(t, 600, "Fine.")
	p.record(tool("quiet", "Quiet"))
	first := p.ok("/feeds/tools/quiet.atom")
	p.exhaust()
	seq := p.record(tool("elsewhere", "Elsewhere"))
	built := p.builds(feeds.Tool)
	again := p.ok("/feeds/tools/quiet.atom")
	if again.body != first.body || again.header.Get("Shiplog-Seq") != fmt.Sprint(seq) || p.builds(feeds.Tool) != built {
		t.Errorf("the feed as of %s, built %v times more", again.header.Get("Shiplog-Seq"), p.builds(feeds.Tool)-built)
	}
	p.record(submit("quiet", "builder", "ship", "Now it is new."))
	if a := p.get("/feeds/tools/quiet.atom"); a.status != http.StatusTooManyRequests {
		t.Errorf("answered %d after a change, which wants a build", a.status)
	}
}

// TestNamesWithoutAFeedAreNoBuilds asks for feeds that are gone, or are another's,
// far more often than builds are allowed: those that are there are made all the same.
func TestNamesWithoutAFeedAreNoBuilds(t *testing.T) {
	p := newPanel(t, append(story(), &events.ToolMerged{Tool: "agency", Into: "other"})...)
	for i := range 300 {
		for path, want := range map[string]int{
			fmt.Sprintf("/feeds/tools/gone-%d.atom", i): 404, fmt.Sprintf("/feeds/reviewers/gone-%d.rss", i): 404,
			fmt.Sprintf("/feeds/categories/gone-%d.json", i): 404, "/feeds/tools/small-vm.atom": 301, "/feeds/tools/agency.atom": 301,
		} {
			if a := p.get(path); a.status != want {
				t.Fatalf("%s: %d in round %d, want %d", path, a.status, i+1, want)
			}
		}
	}
	p.ok("/feeds/tools/smolvm.atom")
}
