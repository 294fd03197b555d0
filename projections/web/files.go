package web

import (
	"net/http"

	"shiplog/projections/kept"
	"shiplog/projections/pictures"
	"shiplog/projections/readhttp"
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

// aDay is how long addresses that hardly change may be kept, forEver how long
// those whose bytes cannot change.
const (
	aDay    = "public, max-age=86400"
	forEver = "public, max-age=31536000, immutable"
)

// A file is what is the same on every ledger.
type file struct {
	*kept.Document
	mediaType, keep []string
	compress        bool
}

func newFile(body []byte, mediaType, keep string) *file {
	return &file{kept.NewDocument(body), kept.One(mediaType), kept.One(keep), mediaType != "image/png"}
}

// newFiles are the files by their paths. The address of an asset has a hash of
// its bytes, so that of other bytes is not found; those of the others last, for
// those who ask without reading a page, and for feeds.
func newFiles(o Options) (map[string]*file, error) {
	icon, err := pictures.Icon()
	if err != nil {
		return nil, err
	}
	files := map[string]*file{
		robotsPattern:  newFile([]byte(robotsText), "text/plain; charset=utf-8", aDay),
		faviconPattern: newFile(icon, "image/png", aDay),
	}
	for _, a := range o.Pages.Assets() {
		files[a.Path] = newFile(a.Body, a.MediaType, forEver)
	}
	return files, nil
}

// file answers with a file, or with the word that the client has it.
func (h *Handler) file(w http.ResponseWriter, r *http.Request) {
	f, ok := h.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	header["Etag"] = f.ETag
	header["Cache-Control"] = f.keep
	header["Vary"] = h.headers.vary
	header["X-Content-Type-Options"] = h.headers.nosniff
	if readhttp.Matches(r, f.Tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header["Content-Type"] = f.mediaType
	f.Send(w, r, f.compress)
}
