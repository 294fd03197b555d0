package feeds_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// TestOneClientCannotKeepTheServerBusy walks through the archive faster than
// any reader does. What is made already is answered meanwhile.
func TestOneClientCannotKeepTheServerBusy(t *testing.T) {
	p := crowded(t, 600, "Fine.")
	p.ok("/feeds/reviews.atom")
	refused := answer{}
	n := 1
	for ; n <= 600 && refused.status == 0; n++ {
		if a := p.get(fmt.Sprintf("/feeds/reviews/archive/%d.json", n)); a.status != http.StatusOK {
			refused = a
		}
	}
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
