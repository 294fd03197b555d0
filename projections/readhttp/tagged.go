package readhttp

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
)

// Tagged collects the answer of next and sends it with a weak ETag over its
// bytes, or as 304 where the client has them. A route may set ETag and
// Cache-Control itself. By default clients keep a copy and ask whether it is
// still right; errors are not kept.
func Tagged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{header: w.Header()}
		next.ServeHTTP(a, r)
		a.send(w, r)
	})
}

// ETag is the weak validator of a body. It is taken before any content coding,
// so that one value serves all codings.
func ETag(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// An answer is a response that is collected.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter]; the first status counts.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

func (a *answer) send(w http.ResponseWriter, r *http.Request) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	a.setDefault("Cache-Control", cacheControl(a.status))
	a.setDefault("X-Content-Type-Options", "nosniff")
	if a.status == http.StatusOK && reads {
		a.setDefault("Etag", ETag(a.body.Bytes()))
		if matches(r.Header["If-None-Match"], a.header.Get("Etag")) {
			a.header.Del("Content-Type")
			a.header.Del("Content-Length")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		a.header.Set("Content-Length", strconv.Itoa(a.body.Len()))
	}
	w.WriteHeader(a.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.body.Bytes()) // a client that went away is no fault
	}
}

func (a *answer) setDefault(name, value string) {
	if a.header.Get(name) == "" {
		a.header.Set(name, value)
	}
}

// cacheControl lets a redirect be kept like a page: a merge can be taken back.
func cacheControl(status int) string {
	if status < http.StatusBadRequest {
		return "no-cache"
	}
	return "no-store"
}
