package web_test

import (
	"net/http"
	"strings"
	"testing"

	"shiplog/events"
	kit "shiplog/projections/projectionstest"
)

// TestFiles holds what is no page to what caches need: a validator, the word that
// a copy is still good, one answer for GET and HEAD.
func TestFiles(t *testing.T) {
	s := serve(t, kit.Given(t))
	tests := []struct{ path, mediaType, keep string }{
		{"/favicon.ico", "image/png", "public, max-age=86400"},
		{"/robots.txt", "text/plain; charset=utf-8", "public, max-age=86400"},
	}
	for _, a := range newPages(t).Assets() {
		tests = append(tests, struct{ path, mediaType, keep string }{a.Path, a.MediaType, "public, max-age=31536000, immutable"})
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			whole := s.page(test.path)
			tag := whole.Header.Get("Etag")
			if tag == "" || len(whole.body) == 0 {
				t.Fatalf("ETag %q, %d bytes", tag, len(whole.body))
			}
			if got := whole.Header.Get("Content-Type"); got != test.mediaType {
				t.Errorf("type %q, want %q", got, test.mediaType)
			}
			same := []string{"Etag", "Cache-Control", "Vary", "X-Content-Type-Options"}
			head := s.do(http.MethodHead, test.path)
			again := s.get(test.path, "If-None-Match", tag)
			other := s.get(test.path, "If-None-Match", `"other"`)
			if again.StatusCode != http.StatusNotModified || len(again.body) > 0 || other.StatusCode != http.StatusOK {
				t.Errorf("asked again: %d with %d bytes, for another copy %d", again.StatusCode, len(again.body), other.StatusCode)
			}
			if head.StatusCode != http.StatusOK || len(head.body) > 0 || head.ContentLength != int64(len(whole.body)) {
				t.Errorf("HEAD: %d with %d bytes of %d", head.StatusCode, len(head.body), head.ContentLength)
			}
			for _, name := range same {
				if want := whole.Header.Get(name); head.Header.Get(name) != want || again.Header.Get(name) != want || want == "" {
					t.Errorf("%s: GET %q, HEAD %q, 304 %q", name, want, head.Header.Get(name), again.Header.Get(name))
				}
			}
			if got := whole.Header.Get("Cache-Control"); got != test.keep {
				t.Errorf("Cache-Control %q, want %q", got, test.keep)
			}
			zipped := s.get(test.path, "Accept-Encoding", "gzip")
			if smaller := zipped.Header.Get("Content-Encoding") == "gzip"; smaller == (test.mediaType == "image/png") || zipped.Header.Get("Etag") != tag {
				t.Errorf("compressed: %v", zipped.Header)
			}
		})
	}
	for _, path := range []string{"/static/style.000000000000.css", "/static/style.css", "/static/", "/static/robots.txt"} {
		if a := s.get(path); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, a.StatusCode)
		}
	}
}

// TestMarkdownOfNothing has a review of which Markdown leaves nothing to read.
func TestMarkdownOfNothing(t *testing.T) {
	l := kit.Given(t, kit.Seat("ann"), kit.Tool("ferrule", ""))
	s := serve(t, l)
	s.record(&events.ReviewSubmitted{Review: events.Review{
		Tool: "ferrule", Reviewer: "ann", Verdict: string(events.Ship), Body: "![](https://x.example/p.png)", Format: events.FormatMarkdown,
	}})
	if a := s.page("/tools/ferrule"); !strings.Contains(string(a.body), ">![](https://x.example/p.png)</blockquote>") {
		t.Errorf("the page does not show the text as it was written:\n%s", a.body)
	}
}
