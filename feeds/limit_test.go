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
	status := http.StatusOK
	for i := 0; status == http.StatusOK && i < 20; i++ { // less than a document of the archive may be left to it
		p.record(submit("quiet", "builder", "ship", fmt.Sprintf("Now it is new, %d.", i)))
		status = p.get("/feeds/tools/quiet.atom").status
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("answered %d after a change, which wants a build", status)
	}
}

// TestManyFeedsAreMadeForOneClient has the readers behind one proxy ask for the feeds
// of many tools right after a start, when none is made yet.
func TestManyFeedsAreMadeForOneClient(t *testing.T) {
	const tools = 1000
	var panel []events.Payload
	for i := range tools {
		panel = append(panel, tool(fmt.Sprintf("tool-%d", i), "Tool"))
	}
	p := newPanel(t, panel...)
	for i := range tools {
		p.ok(fmt.Sprintf("/feeds/tools/tool-%d.atom", i))
	}
}

// TestNamesWithoutAFeedAreNoBuilds asks for feeds that are gone, or are another's, more
// often than a client is left builds: those that are there are made all the same.
func TestNamesWithoutAFeedAreNoBuilds(t *testing.T) {
	p := crowded(t, 600, "Fine.")
	p.record(tool("other", "Other"), tool("agency", "Agency", "agents"), tool("twin", "Twin"), &events.ToolMerged{Tool: "twin", Into: "other"})
	const most = 500
	for n := 1; n < most; n++ {
		p.ok(fmt.Sprintf("/feeds/reviews/archive/%d.json", n))
	}
	for i := range 20 {
		for path, want := range map[string]int{
			fmt.Sprintf("/feeds/tools/gone-%d.atom", i): 404, fmt.Sprintf("/feeds/reviewers/gone-%d.rss", i): 404,
			fmt.Sprintf("/feeds/categories/gone-%d.json", i): 404, "/feeds/tools/agents.atom": 301, "/feeds/tools/twin.atom": 301,
		} {
			if a := p.get(path); a.status != want {
				t.Fatalf("%s: %d in round %d, want %d", path, a.status, i+1, want)
			}
		}
	}
	p.ok("/feeds/tools/other.atom")
	if a := p.get(fmt.Sprintf("/feeds/reviews/archive/%d.json", most)); a.status != http.StatusTooManyRequests {
		t.Errorf("one document more is answered %d: the client had more left than was asked for", a.status)
	}
}
