package feeds_test

import (
	"encoding/xml"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/feeds"
)

// TestNotModifiedCostsNothingOfTheFeed has readers poll with a validator: what
// is allocated for an answer is the same for a feed of no items as for one of
// hundreds of kilobytes.
func TestNotModifiedCostsNothingOfTheFeed(t *testing.T) {
	p := crowded(t, 60, strings.Repeat("What it says on the tin. ", 200))
	large, empty := p.ok("/feeds/reviews.atom"), p.ok("/feeds/matchups.atom")
	if len(large.body) < 256<<10 || len(empty.body) > 4<<10 {
		t.Fatalf("the feeds have %d and %d bytes", len(large.body), len(empty.body))
	}
	ofLarge, ofEmpty := p.allocated("/feeds/reviews.atom", large.etag()), p.allocated("/feeds/matchups.atom", empty.etag())
	if ofLarge > ofEmpty+64 || ofLarge > 4<<10 {
		t.Errorf("%d bytes are allocated for a 304 of %d bytes, %d for one of %d", ofLarge, len(large.body), ofEmpty, len(empty.body))
	}
}

// allocated is how many bytes one answer 304 takes, the test's own included.
func (p *panel) allocated(path, tag string) uint64 {
	p.t.Helper()
	const times = 1000
	r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	r.Header.Set("If-None-Match", tag)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		w := httptest.NewRecorder()
		if p.server.Config.Handler.ServeHTTP(w, r); w.Code != http.StatusNotModified {
			p.t.Fatalf("%s: %d", path, w.Code)
		}
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / times
}

// TestMemoryIsBoundedWithManyTools reads the feeds of 10,000 tools, of which a
// half is many times what may be kept. By then the accounts of the clients are as
// many as there may be, too.
func TestMemoryIsBoundedWithManyTools(t *testing.T) {
	const tools, limit = 10_000, 1 << 20
	p := crowded(t, tools, strings.Repeat("What it says on the tin. ", 40))
	p.serve(feeds.Options{CacheBytes: limit})
	read := func(from, to int) (bytes int) {
		for i := from; i <= to; i++ {
			r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/feeds/tools/tool-%d.atom", i), http.NoBody)
			r.RemoteAddr = fmt.Sprintf("10.0.%d.%d:1234", i>>8, i&0xff) // nobody asks for more than is fair
			w := httptest.NewRecorder()
			if p.server.Config.Handler.ServeHTTP(w, r); w.Code != http.StatusOK {
				t.Fatalf("tool %d: %d %s", i, w.Code, w.Body)
			}
			bytes += w.Body.Len()
		}
		return bytes
	}
	read(1, tools/2)
	before := p.heap()
	bytes := read(tools/2+1, tools)
	if grown := p.heap() - before; grown > limit || bytes < 10*limit {
		t.Errorf("after %d bytes of feeds %d more bytes are held, want at most %d", bytes, grown, limit)
	}
}

// heap is how many bytes are held: finalizers, which may be late, let go of more
// after each collection.
func (p *panel) heap() int64 {
	for last := int64(math.MaxInt64); ; {
		var m runtime.MemStats
		runtime.GC()
		runtime.Gosched()
		runtime.ReadMemStats(&m)
		now := int64(m.HeapAlloc) //nolint:gosec // far below
		if now >= last {
			return last
		}
		last = now
	}
}

// largestPanel fills the largest window of each feed.
func largestPanel(b *testing.B) *panel {
	b.Helper()
	p := newPanel(b, seat("builder", "The Builder", 1), seat("skeptic", "The Skeptic", 2), seat("futurist", "The Futurist", 3))
	const words = "What it says on the *tin*, [and more](https://example.com/). "
	markdown := func(slug, reviewer string) events.Payload {
		return &events.ReviewSubmitted{Review: events.Review{
			Tool: slug, Reviewer: reviewer, Verdict: "ship", Format: events.FormatMarkdown, Body: strings.Repeat(words, 8),
		}}
	}
	for i := range 100 {
		slug := "tool-" + strconv.Itoa(i)
		p.record(tool(slug, slug), markdown(slug, "builder"), markdown(slug, "skeptic"), markdown(slug, "futurist"))
		if i > 1 {
			p.record(
				&events.MatchupOpened{Left: slug, Right: "tool-" + strconv.Itoa(i-1)},
				&events.MatchupOpened{Left: slug, Right: "tool-" + strconv.Itoa(i-2)},
			)
		}
	}
	return p
}

// BenchmarkLargestFeed makes the largest feed there can be, 200 items of
// 512 KiB in all, from the read model and then in each format. It prints the
// milliseconds of processor time, which other work on the machine does not
// change.
func BenchmarkLargestFeed(b *testing.B) {
	p := largestPanel(b)
	for _, stem := range []string{"/feeds/reviews", "/feeds/verdicts", "/feeds/matchups", "/feeds/categories/ai-agents"} {
		for _, format := range feeds.Formats() {
			path := stem + "." + string(format)
			b.Run(strings.ReplaceAll(path[len("/feeds/"):], "/", "-"), func(b *testing.B) {
				var spent time.Duration
				size := 0
				for range b.N {
					p.serve(feeds.Options{}) // which keeps nothing yet
					r, w := httptest.NewRequest(http.MethodGet, path, http.NoBody), httptest.NewRecorder()
					began := processor(b)
					p.server.Config.Handler.ServeHTTP(w, r)
					spent += processor(b) - began
					size = w.Body.Len()
				}
				b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "cpu-ms/op")
				b.ReportMetric(float64(size>>10), "KiB")
			})
		}
	}
}

// BenchmarkLargestFeedAgain makes the same feeds after an event that changes one
// item of them.
func BenchmarkLargestFeedAgain(b *testing.B) {
	p := largestPanel(b)
	p.serve(feeds.Options{})
	for _, path := range []string{"/feeds/reviews.atom", "/feeds/matchups.atom", "/feeds/categories/ai-agents.atom"} {
		b.Run(strings.TrimSuffix(strings.ReplaceAll(path[len("/feeds/"):], "/", "-"), ".atom"), func(b *testing.B) {
			var spent time.Duration
			p.ok(path)
			for i := range b.N {
				p.record(&events.ReviewSubmitted{Review: events.Review{
					Tool: "tool-" + strconv.Itoa(i%100), Reviewer: "builder", Verdict: "ship", Body: fmt.Sprint(b.Name(), b.N, i),
				}})
				r, w := httptest.NewRequest(http.MethodGet, path, http.NoBody), httptest.NewRecorder()
				began := processor(b)
				p.server.Config.Handler.ServeHTTP(w, r)
				spent += processor(b) - began
			}
			b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// BenchmarkRender writes a feed of 200 items and 512 KiB, and prints how many
// milliseconds of processor time that takes and how fast it is beside
// encoding/xml that writes the same texts without looking at them.
func BenchmarkRender(b *testing.B) {
	type entry struct {
		ID, Title, Updated, Published, Summary, Content, Author, Link string
	}
	items := dated(every(200, time.Minute)...)
	type feed struct{ Entry []entry }
	var plain feed
	for i := range items {
		items[i].Summary = "What it says on the tin."
		items[i].Content = "<p>" + strings.Repeat("What it says <em>on the tin</em>. ", 22) + "</p>"
		items[i].Authors = []feeds.Author{{Name: "The Builder", URL: base + "/reviewers/builder"}}
		item := &items[i]
		plain.Entry = append(plain.Entry, entry{
			item.ID, item.Title, item.Updated.Format(time.RFC3339), item.Published.Format(time.RFC3339), item.Summary, item.Content, item.Authors[0].Name, item.Link,
		})
	}
	f := wideFeed()
	if f.Items = feeds.Window(items); len(f.Items) != 200 {
		b.Fatalf("%d items", len(f.Items))
	}
	for _, format := range feeds.Formats() {
		b.Run(string(format), func(b *testing.B) {
			size := 0
			began := processor(b)
			for range b.N {
				size = len(render(b, f, format))
			}
			ours := processor(b) - began
			began = processor(b)
			for range b.N {
				if _, err := xml.MarshalIndent(plain, "", "  "); err != nil {
					b.Fatal(err)
				}
			}
			theirs := processor(b) - began
			b.ReportMetric(float64(ours.Microseconds())/1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(theirs.Seconds()/ours.Seconds(), "of-plain-xml")
			b.ReportMetric(float64(size>>10), "KiB")
		})
	}
}

// processor is how much processor time the process has taken.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
