package feeds

import (
	"context"
	"errors"
	"net/http"

	"shiplog/projections/kept"
	"shiplog/projections/readhttp"
)

// validatorShare is the share of the cache for answers without a body: for some
// thousand feeds, of which only the latest are kept as a whole.
const validatorShare = 8

// A validator is all that it takes to tell a reader that a feed in one format is
// as it was, also when its entry is not kept any more.
type validator struct {
	kept.Standing
	told
	pattern string
	counted *classes
	key     Key
	format  Format
	watch   kept.Parts
}

// validatorSize is about what a validator takes beside what it watches.
const validatorSize = 384

// remember keeps the validator of a document that was made.
func (h *Handler) remember(key Key, format Format, e *entry, d *document) {
	pattern, path := key.route(format)
	v := &validator{pattern: pattern, counted: h.metrics.of(key.Kind, format), key: key, format: format, watch: e.watch}
	path = v.tell(path, d.Tag, d.modified, d.headers[2])
	v.Stand(e.Store, h.positions.At(e.Built), e.Past)
	h.validators.Put(path, v, validatorSize+v.watch.Size())
}

// Front answers who has the feed that is asked for, as nearly all readers do who
// ask, with one look-up by the path; next answers everything else. What has the
// routes of [Handler.Register] answers the same, a little later.
func (h *Handler) Front(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, a := h.known(r)
		if v == nil {
			next.ServeHTTP(w, r)
			return
		}
		r.Pattern = v.pattern // as a mux would leave it, for who counts requests
		a.set(w.Header(), h)
		w.WriteHeader(http.StatusNotModified)
		h.count(r, v.counted, v.key, v.format, http.StatusNotModified)
	})
}

// known is the validator that answers a request, and what it answers; nil where
// the feed may have changed, or the request wants anything else. That is no use of
// the feed itself: what is kept as a whole is what is sent as a whole.
func (h *Handler) known(r *http.Request) (*validator, answer) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || len(r.Header[readhttp.MinSeqHeader]) > 0 ||
		len(r.Header["If-None-Match"]) == 0 && len(r.Header["If-Modified-Since"]) == 0 ||
		r.URL.RawPath != "" { // a mux does not take an escaped slash for one
		return nil, answer{}
	}
	v := h.standing(r.Context(), r.URL.Path)
	if v == nil {
		return nil, answer{}
	}
	a := h.about(r, &v.told, v.At())
	if !a.fresh {
		return nil, answer{}
	}
	return v, a
}

// standing is the validator of what has a path, nil where there is none or
// something that it speaks of has changed. Requests that have to find that out
// wait for one that does.
func (h *Handler) standing(ctx context.Context, path string) *validator {
	v, ok := h.validators.Get(path)
	if !ok {
		return nil
	}
	now := kept.Now(h.options.Model)
	if v.Store != now.Store {
		return nil
	}
	if v.Holds(now) {
		return v
	}
	holds := func(v *validator) bool { return v.Holds(now) }
	v, err := h.validators.Current(ctx, path, holds, func(ctx context.Context) (*validator, error) {
		return v, h.recheck(ctx, &v.Standing, v.watch)
	})
	if err != nil || !holds(v) {
		return nil // who makes the feed tells of it
	}
	return v
}

// recheck moves what stands to the newest position, or is errChanged.
func (h *Handler) recheck(ctx context.Context, standing *kept.Standing, watch kept.Parts) (err error) {
	s, err := h.options.Model.At(ctx, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	switch same, err := watch.Unchanged(ctx, s, standing.Built); {
	case err != nil:
		return err
	case !same:
		return errChanged
	}
	standing.Reach(h.positions.At(s.Seq()))
	return nil
}

var errChanged = errors.New("the feed has changed")
