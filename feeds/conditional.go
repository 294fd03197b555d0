package feeds

import (
	"net/http"
	"time"

	"shiplog/projections/readhttp"
)

// fresh reports whether the client's copy is the document: it named the
// validator in If-None-Match, or, when it sent no such header, its date is not
// before the document's. A value that cannot be read never makes a copy fresh.
func fresh(r *http.Request, tag string, modified time.Time) bool {
	if len(r.Header["If-None-Match"]) > 0 {
		return readhttp.Matches(r, tag)
	}
	since := r.Header.Get("If-Modified-Since")
	if since == "" || modified.IsZero() {
		return false
	}
	t, err := http.ParseTime(since)
	return err == nil && !t.Before(modified)
}
