package web

import (
	"net/http"
	"strconv"
)

// robotsText keeps crawlers out of what is endless: searches, pages of the past
// and tools side by side. Pictures are for those who show them beside an item.
const robotsText = `User-agent: *
Allow: /pictures/
Disallow: /api/
Disallow: /search
Disallow: /compare?
Disallow: /*?at=
Disallow: /*&at=
Disallow: /*?only=
`

// aDay is how long addresses that hardly change may be kept.
const aDay = "public, max-age=86400"

func (h *Handler) robots(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Cache-Control", aDay)
	header.Set("Content-Length", strconv.Itoa(len(robotsText)))
	header["X-Content-Type-Options"] = h.headers.nosniff
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(robotsText)) // a client that went away is no fault
	}
}

// favicon answers browsers that do not read the page for its icon.
func (h *Handler) favicon(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", aDay)
	http.Redirect(w, r, h.o.Pages.IconPath(), http.StatusFound)
}
