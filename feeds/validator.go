package feeds

import (
	"context"
	"net/http"
	"sync"
	"time"

	"shiplog/projections/kept"
)

// validatorShare is the share of the cache for answers without a body: for some
// thousand feeds, of which only the latest are kept as a whole.
const validatorShare = 8

// A validator is all that it takes to tell a reader that a feed is as it was, also
// when its entry is not kept any more.
type validator struct {
	kept.Standing
	watch kept.Parts

	mu        sync.Mutex
	documents map[Format]*document // without their bodies
}

// validatorSize is about what a validator takes beside what it watches.
const validatorSize = 1 << 10

// remember keeps the validator of a document that was made.
func (h *Handler) remember(key Key, format Format, e *entry, d *document) {
	v, ok := h.validators.Get(key)
	if !ok || v.Store != e.Store || v.Built != e.Built {
		v = &validator{watch: e.watch, documents: map[Format]*document{}}
		v.Stand(e.Store, e.Built, e.Past)
		h.validators.Put(key, v, validatorSize+v.watch.Size())
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.documents[format] = d.withoutBody()
}

// known returns the document without its body, and as of when it holds, where the
// feed has not changed since and is what the reader has. That is no use of the feed
// itself: what is kept as a whole is what is sent as a whole.
func (h *Handler) known(r *http.Request, key Key, format Format) (*document, *kept.Position) {
	if len(r.Header["If-None-Match"]) == 0 && r.Header.Get("If-Modified-Since") == "" {
		return nil, nil
	}
	v, ok := h.validators.Get(key)
	if !ok || !h.holds(r.Context(), v) {
		return nil, nil
	}
	v.mu.Lock()
	d := v.documents[format]
	v.mu.Unlock()
	if d == nil || !fresh(r, d.Tag, h.modified(d)) {
		return nil, nil
	}
	return d, v.At()
}

// holds tells whether nothing that a validator speaks of has changed.
func (h *Handler) holds(ctx context.Context, v *validator) bool {
	now := kept.Now(h.options.Model)
	if v.Holds(now) {
		return true
	}
	if v.Store != now.Store {
		return false
	}
	s, err := h.options.Model.At(ctx, 0)
	if err != nil {
		return false // who makes the feed tells of it
	}
	defer s.Close()
	if same, err := v.watch.Unchanged(ctx, s, v.Built); !same || err != nil {
		return false
	}
	v.Reach(s.Seq())
	return true
}

// modified is the date a document is told to be of: none before its second is
// over, in which another event would change the bytes and leave the date.
func (h *Handler) modified(d *document) time.Time {
	if h.options.Now().Before(d.modified.Add(time.Second)) {
		return time.Time{}
	}
	return d.modified
}
