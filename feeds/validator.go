package feeds

import (
	"context"
	"errors"
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

// known answers with a document without its body, where the feed has not changed
// since and is what the reader has. That is no use of the feed itself: what is kept
// as a whole is what is sent as a whole.
func (h *Handler) known(r *http.Request, key Key, format Format) (a answer, ok bool) {
	if len(r.Header["If-None-Match"]) == 0 && len(r.Header["If-Modified-Since"]) == 0 {
		return answer{}, false
	}
	v := h.standing(r.Context(), key)
	if v == nil {
		return answer{}, false
	}
	v.mu.Lock()
	d := v.documents[format]
	v.mu.Unlock()
	if d == nil {
		return answer{}, false
	}
	a = h.about(r, d, v.At())
	return a, a.fresh
}

// standing is a feed's validator, nil where there is none or something that it
// speaks of has changed. Requests that have to find that out wait for one that does.
func (h *Handler) standing(ctx context.Context, key Key) *validator {
	now := kept.Now(h.options.Model)
	v, ok := h.validators.Get(key)
	if !ok || v.Store != now.Store {
		return nil
	}
	if v.Holds(now) {
		return v
	}
	holds := func(v *validator) bool { return v.Holds(now) }
	v, err := h.validators.Current(ctx, key, holds, func(ctx context.Context) (*validator, error) { return v, h.recheck(ctx, v) })
	if err != nil || !holds(v) {
		return nil // who makes the feed tells of it
	}
	return v
}

// recheck moves a validator to the newest position, or is errChanged.
func (h *Handler) recheck(ctx context.Context, v *validator) (err error) {
	s, err := h.options.Model.At(ctx, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	switch same, err := v.watch.Unchanged(ctx, s, v.Built); {
	case err != nil:
		return err
	case !same:
		return errChanged
	}
	v.Reach(s.Seq())
	return nil
}

var errChanged = errors.New("the feed has changed")

// modified is the date a document is told to be of: none before its second is
// over, in which another event would change the bytes and leave the date.
func (h *Handler) modified(d *document) time.Time {
	if !d.settled.Load() {
		if h.options.Now().Before(d.modified.Add(time.Second)) {
			return time.Time{}
		}
		d.settled.Store(true)
	}
	return d.modified
}
