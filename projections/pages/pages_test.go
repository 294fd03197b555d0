package pages_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/projections/pages"
)

func TestNewRefusesBaseURL(t *testing.T) {
	for _, bad := range []string{"", "panel.example", "/path", "ftp://panel.example", "https://"} {
		if _, err := pages.New(pages.Site{BaseURL: bad}); err == nil || !strings.Contains(err.Error(), "base URL") {
			t.Errorf("New with base URL %q: %v, want an error that names it", bad, err)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestWriteErrorIsReturned(t *testing.T) {
	err := newPages(t).Rules(brokenWriter{}, pages.RulesView{Page: page(1)})
	if err == nil || !strings.Contains(err.Error(), "write page rules") {
		t.Errorf("got %v, want an error that names the page", err)
	}
}

func TestFeedNames(t *testing.T) {
	formats := pages.FeedFormats()
	tests := []struct {
		feed       pages.Feed
		title, url string
	}{
		{pages.MatchupsFeed(), "Panel: Matchups", "https://x.example/feeds/matchups.atom"},
		{pages.VerdictsFeed(), "Panel: Verdict changes", "https://x.example/feeds/verdicts.atom"},
		{pages.ReviewsFeed(), "Panel: Reviews", "https://x.example/feeds/reviews.atom"},
		{pages.ToolFeed("vec", "Vec<T>"), "Panel: Vec<T> (tool)", "https://x.example/feeds/tools/vec.atom"},
		{pages.ReviewerFeed("ada", "Ada"), "Panel: Ada (reviewer)", "https://x.example/feeds/reviewers/ada.atom"},
		{pages.ToolFeed("vim-2", "Vim"), "Panel: Vim (tool vim-2)", "https://x.example/feeds/tools/vim-2.atom"},
		{pages.ReviewerFeed("skeptic", "The Skeptic"), "Panel: The Skeptic (reviewer)", "https://x.example/feeds/reviewers/skeptic.atom"},
		{pages.ToolFeed("notebook", "دفتر"), "Panel: دفتر (tool notebook)", "https://x.example/feeds/tools/notebook.atom"},
		{pages.CategoryFeed("ai-agents"), "Panel: AI agents (category)", "https://x.example/feeds/categories/ai-agents.atom"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff([]string{tt.title, tt.url}, []string{tt.feed.Title("Panel"), tt.feed.URL("https://x.example/", formats[0])}); diff != "" {
			t.Errorf("feed (-want +got):\n%s", diff)
		}
	}
	called := map[string]string{}
	for _, feed := range []pages.Feed{
		pages.ReviewsFeed(), pages.ToolFeed("reviews", "Reviews"), pages.ReviewerFeed("reviews", "Reviews"), pages.CategoryFeed("reviews"),
		pages.ToolFeed("reviews-2", "Reviews"), pages.ToolFeed("tool", "Reviews (tool)"), pages.ReviewerFeed("other", "Reviews"),
	} {
		title := feed.Title("Panel")
		if called[title] != "" {
			t.Errorf("%s and %s are both called %q", called[title], feed.Path, title)
		}
		called[title] = feed.Path
	}
	for slug, want := range map[string]string{"databases": "Databases", "web-apis": "Web APIs", "ci": "CI", "2fa-apps": "2fa apps"} {
		if got := pages.CategoryName(slug); got != want {
			t.Errorf("category %s is called %q, want %q", slug, got, want)
		}
	}
}

// TestFirstPost holds that the example names the configured address and asks for
// a token only where one is needed.
func TestFirstPost(t *testing.T) {
	for base, token := range map[string]bool{"http://localhost:8080": false, "http://127.0.0.1:9": false, "http://[::1]:9": false, "https://panel.example": true} {
		p, err := pages.New(pages.Site{BaseURL: base})
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		if err := p.First(&buf, pages.FirstView{Page: page(1)}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(buf.String(), "curl "+base+"/api/v1/events") {
			t.Errorf("%s: the example posts elsewhere", base)
		}
		if got := strings.Contains(buf.String(), "Bearer"); got != token {
			t.Errorf("%s: token asked for: %v, want %v", base, got, token)
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	p, v := newPages(b), compareView()
	var buf bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		if err := p.Compare(&buf, v); err != nil {
			b.Fatal(err)
		}
	}
}

// TestChartHeight has no empty band above the largest count.
func TestChartHeight(t *testing.T) {
	p := newPages(t)
	for count, want := range map[int]string{1: "127", 2: "154", 4: "208", 5: "208", 400: "208"} {
		v := pages.ToolView{Page: page(9), Tool: lantern, Steps: []pages.Step{
			{Event: at(2), Verdict: ship(0, 1)}, {Event: at(3), Verdict: ship(1, count)},
		}}
		var b bytes.Buffer
		if err := p.Tool(&b, v); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `class="chart" height="`+want+`"`) {
			t.Errorf("of %d reviews: not %s pixels high", count, want)
		}
	}
}
