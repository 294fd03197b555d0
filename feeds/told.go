package feeds

import (
	"net/http"
	"sync/atomic"
	"time"

	"shiplog/projections/kept"
	"shiplog/projections/readhttp"
)

// told is what headers tell of a document, whoever has it. Nothing of it is
// behind a pointer but the text of the headers, which is of one piece: a request
// looks at all of it, and of thousands of feeds none is near the processor.
type told struct {
	headers  [3]string // the values of ETag, Last-Modified and Link; the last is empty without a hub
	modified time.Time // whole seconds
	settled  atomic.Bool
}

// tell sets what is told of what has a path, and returns the path as it lies
// before the tag, which is compared next. A zero time is that of a document without
// a date. It is called once, before others see it.
func (t *told) tell(path, tag string, modified time.Time, link string) string {
	t.modified = modified.UTC().Truncate(time.Second)
	all := path + tag + t.modified.Format(http.TimeFormat) + link
	from := len(path)
	for i, value := range []string{tag, http.TimeFormat, link} {
		t.headers[i] = all[from : from+len(value)]
		from += len(value)
	}
	return all[:len(path)]
}

func (t *told) tag() string { return t.headers[0] }

// date is the date the document is told to be of: none before all that was recorded
// in its second is applied, of which another event would change the bytes and leave
// the date.
func (t *told) date(applied func() time.Time) time.Time {
	if !t.settled.Load() {
		if applied().Before(t.modified.Add(time.Second)) {
			return time.Time{}
		}
		t.settled.Store(true)
	}
	return t.modified
}

// An answer is a document as it answers one request.
type answer struct {
	*told
	asOf  *kept.Position
	dated bool // its date can be told, see [told.date]
	fresh bool // the client has it
}

// about is what a document answers a request.
func (h *Handler) about(r *http.Request, t *told, asOf *kept.Position) answer {
	modified := t.date(h.options.Applied)
	return answer{told: t, asOf: asOf, dated: !modified.IsZero(), fresh: fresh(r, t.tag(), h.telling(modified))}
}

// telling is a date by which a client has the document: none from before the second in
// which feeds came to look as they do, since a copy of that date may look otherwise. One
// of that second was told later (see [told.date]), when they did.
func (h *Handler) telling(modified time.Time) time.Time {
	if modified.Before(h.looks) {
		return time.Time{}
	}
	return modified
}

// set sets the headers that answers with and without the document have alike.
// Their values have no room, see [kept.One].
func (a *answer) set(header http.Header, h *Handler) {
	header["Etag"] = a.headers[0:1:1]
	header["Vary"] = h.vary
	header["Cache-Control"] = h.cacheControl
	header[readhttp.SeqHeader] = a.asOf.Header
	if a.dated {
		header["Last-Modified"] = a.headers[1:2:2]
	}
	if a.headers[2] != "" {
		header["Link"] = a.headers[2:3:3]
	}
}
