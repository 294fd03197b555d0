package feeds_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"shiplog/events"
	"shiplog/feeds"
)

// builds is how often feeds of a kind were built.
func (p *panel) builds(kind feeds.Kind) float64 {
	return p.value("shiplog_feed_builds_total", "feed", string(kind))
}

// value is a metric's value by its labels, in pairs.
func (p *panel) value(name string, labels ...string) float64 {
	p.t.Helper()
	for _, family := range p.metrics() {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			got := map[string]string{}
			for _, l := range m.GetLabel() {
				got[l.GetName()] = l.GetValue()
			}
			match := true
			for i := 0; i+1 < len(labels); i += 2 {
				match = match && got[labels[i]] == labels[i+1]
			}
			if match {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	p.t.Fatalf("no metric %s with %v", name, labels)
	return 0
}

func TestEventsElsewhereBuildNothing(t *testing.T) {
	p := newPanel(t, story()...)
	first := p.ok("/feeds/tools/smolvm.atom")
	p.ok("/feeds/tools/smolvm.json")
	if got := p.builds(feeds.Tool); got != 1 {
		t.Errorf("built %v times for two formats, want once", got)
	}
	p.record(submit("other", "builder", "skip", "Elsewhere."))
	second := p.get("/feeds/tools/smolvm.atom", "If-None-Match", first.header.Get("Etag"))
	if second.status != 304 || second.header.Get("Shiplog-Seq") != "15" {
		t.Errorf("status %d as of %s, want 304 as of 15", second.status, second.header.Get("Shiplog-Seq"))
	}
	if got := p.builds(feeds.Tool); got != 1 {
		t.Errorf("built %v times, want once: nothing it shows has changed", got)
	}
	p.record(revise("agency", "builder", "ship", "The other side of the matchup.", 2, 11))
	third := p.get("/feeds/tools/smolvm.atom", "If-None-Match", first.header.Get("Etag"))
	if third.status != 200 || !strings.Contains(third.body, "The other side of the matchup.") {
		t.Errorf("status %d after a quote of the matchup changed", third.status)
	}
}

// TestNameOfAMergeTargetIsFollowed renames the tool that one side of a matchup was
// merged into: the feed of the other side, which says so, is built again.
func TestNameOfAMergeTargetIsFollowed(t *testing.T) {
	p := newPanel(t, append(story(), tool("target", "Target"), &events.ToolMerged{Tool: "agency", Into: "target"})...)
	before := p.ok("/feeds/tools/smolvm.json")
	p.record(tool("target", "The Target"))
	after := p.get("/feeds/tools/smolvm.json", "If-None-Match", before.header.Get("Etag"))
	if after.status != 200 || !strings.Contains(before.body, "Target") || !strings.Contains(after.body, "The Target") {
		t.Errorf("status %d after the tool that one side was merged into was renamed:\n%s", after.status, after.body)
	}
}

// TestCacheHoldsNoRequest asks for feeds with long queries: of what is kept none is a
// part of a request.
func TestCacheHoldsNoRequest(t *testing.T) {
	const asked, query = 200, 32 << 10
	list := story()
	for i := range asked {
		list = append(list, tool(fmt.Sprintf("tool-%d", i), "A tool"))
	}
	p := newPanel(t, list...)
	inUse := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	grows := func(query string) int {
		p.serve(feeds.Options{})
		before := inUse()
		for i := range asked {
			p.ok(fmt.Sprintf("/feeds/tools/tool-%d.atom%s", i, query))
		}
		return inUse() - before
	}
	short := grows("")
	if long := grows("?" + strings.Repeat("x", query)); long > short+asked*query/2 {
		t.Errorf("memory in use grows by %d KiB with long queries, by %d with none", long>>10, short>>10)
	}
}

// TestListIsBuiltForNames checks that the list of feeds is built again for a new
// name, and not for a review.
func TestListIsBuiltForNames(t *testing.T) {
	p := newPanel(t, story()...)
	etag := p.ok("/feeds.opml").header.Get("Etag")
	p.record(submit("other", "builder", "skip", "A review."))
	if a := p.get("/feeds.opml", "If-None-Match", etag); a.status != 304 || a.header.Get("Shiplog-Seq") != "15" || p.builds("opml") != 1 {
		t.Errorf("after a review: %d as of %s, built %v times", a.status, a.header.Get("Shiplog-Seq"), p.builds("opml"))
	}
	for _, change := range []struct {
		payload events.Payload
		want    string
	}{
		{&events.ToolRegistered{Tool: "other", Name: "Renamed"}, "The Panel: Renamed (tool other)"},
		{&events.ToolRegistered{Tool: "other", Name: "Renamed", Category: "elsewhere"}, "The Panel: Elsewhere (category)"},
		{seat("builder", "The Maker", 1), "The Panel: The Maker (reviewer builder)"},
		{seat("newcomer", "Newcomer", 9), "The Panel: Newcomer (reviewer)"},
	} {
		p.record(change.payload)
		if body := p.ok("/feeds.opml").body; !strings.Contains(body, `"`+change.want+`"`) {
			t.Errorf("the list does not have %q", change.want)
		}
	}
	p.record(&events.ToolMerged{Tool: "other", Into: "agency"})
	if strings.Contains(p.ok("/feeds.opml").body, "Renamed") {
		t.Error("the list has a tool that was merged into another")
	}
}

func TestOneBuildForAll(t *testing.T) {
	p := newPanel(t, story()...)
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() { p.ok("/feeds/matchups.atom") })
	}
	wait.Wait()
	if got := p.builds(feeds.Matchups); got != 1 {
		t.Errorf("built %v times for 20 requests, want once", got)
	}
}

func TestCacheIsBounded(t *testing.T) {
	p := newPanel(t, story()...)
	p.serve(feeds.Options{CacheBytes: 1})
	for range 3 {
		p.ok("/feeds/tools/smolvm.atom")
		p.ok("/feeds/tools/agency.atom")
	}
	if got := p.builds(feeds.Tool); got != 6 {
		t.Errorf("built %v times, want 6: nothing fits", got)
	}
}

func TestMetrics(t *testing.T) {
	p := newPanel(t, story()...)
	families, err := p.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := promlint.NewWithMetricFamilies(families).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v %v", problems, err)
	}
	for _, kind := range append(feeds.Kinds(), "opml") {
		for _, format := range feeds.Formats() {
			if kind == "opml" {
				format = "opml"
			}
			for _, code := range []string{"2xx", "3xx", "4xx", "5xx"} {
				if got := p.value("shiplog_feed_requests_total", "feed", string(kind), "format", string(format), "code", code); got != 0 {
					t.Errorf("%s %s %s begins at %v", kind, format, code, got)
				}
			}
		}
	}
	etag := p.ok("/feeds/tools/smolvm.rss").header.Get("Etag")
	p.get("/feeds/tools/smolvm.rss", "If-None-Match", etag)
	p.get("/feeds/tools/none.rss")
	p.get("/feeds/tools/none.html")
	for code, want := range map[string]float64{"2xx": 1, "3xx": 1, "4xx": 1} {
		if got := p.value("shiplog_feed_requests_total", "feed", "tool", "format", "rss", "code", code); got != want {
			t.Errorf("%s: %v, want %v", code, got, want)
		}
	}
	newest := map[feeds.Kind]uint64{feeds.Matchups: 14, feeds.Verdicts: 13, feeds.Reviews: 13, feeds.Tool: 14, feeds.Category: 14, feeds.Reviewer: 13}
	for kind, seq := range newest {
		want := float64(moment(fmt.Sprintf("2026-03-02T09:00:%02dZ", seq-1)).Unix())
		if got := p.value("shiplog_feed_last_item_timestamp_seconds", "feed", string(kind)); got != want {
			t.Errorf("newest item of %s: %v, want %v", kind, got, want)
		}
	}
}

// A reader who has the feed is told so though the feed is not kept any more, and
// nothing is made for that, until something changes that the feed shows.
func TestKnownThoughNotKept(t *testing.T) {
	p := newPanel(t, story()...)
	p.serve(feeds.Options{CacheBytes: 64 << 10})
	const path = "/feeds/tools/smolvm.atom"
	first := p.ok(path)
	for _, other := range []string{"matchups", "verdicts", "reviews"} {
		for _, format := range feeds.Formats() {
			p.ok("/feeds/" + other + "." + string(format))
		}
	}
	etag, modified := first.header.Get("Etag"), first.header.Get("Last-Modified")
	built := p.builds(feeds.Tool)
	for _, known := range [][]string{{"If-None-Match", etag}, {"If-Modified-Since", modified}} {
		a := p.get(path, known...)
		if a.status != 304 || a.body != "" || a.header.Get("Etag") != etag || a.header.Get("Last-Modified") != modified {
			t.Errorf("%v: status %d, ETag %s", known, a.status, a.header.Get("Etag"))
		}
		for _, name := range []string{"Cache-Control", "Vary", "Shiplog-Seq"} {
			if a.header.Get(name) != first.header.Get(name) {
				t.Errorf("%s: %s is %q, was %q", known[0], name, a.header.Get(name), first.header.Get(name))
			}
		}
	}
	p.record(submit("other", "builder", "skip", "Elsewhere."))
	if a := p.get(path, "If-None-Match", etag); a.status != 304 || a.header.Get("Shiplog-Seq") != "15" {
		t.Errorf("after an event elsewhere: status %d as of %s", a.status, a.header.Get("Shiplog-Seq"))
	}
	if got := p.builds(feeds.Tool); got != built {
		t.Errorf("built %v times more, want none", got-built)
	}
	if a := p.get(path, "If-None-Match", `"another"`); a.status != 200 || a.body != first.body || p.builds(feeds.Tool) != built+1 {
		t.Errorf("for who has another: status %d; if it was kept, this test shows nothing", a.status)
	}
	p.record(revise("agency", "builder", "ship", "The other side of the matchup.", 2, 11))
	if a := p.get(path, "If-None-Match", etag); a.status != 200 || !strings.Contains(a.body, "The other side of the matchup.") {
		t.Errorf("after a quote changed: status %d", a.status)
	}
}
