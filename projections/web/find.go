package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"shiplog/projections"
	"shiplog/projections/kept"
)

// drawTimeout bounds the making of a page. It does not end with the request that
// started it: others wait for the same page.
const drawTimeout = 15 * time.Second

// now is what pages have to hold as of.
func (h *Handler) now() kept.State { return kept.Now(h.o.Model) }

// find returns the page that holds as of now, or as of the past asked for.
func (h *Handler) find(ctx context.Context, t target) (*entry, error) {
	now := h.now()
	if t.at != "" {
		seq, err := h.resolve(ctx, t.at)
		if err != nil {
			return nil, err
		}
		t.at = strconv.FormatUint(seq, 10)
	}
	k := key{t.path, t.query, t.at}
	return h.cache.Current(ctx, k, func(e *entry) bool { return e.Holds(now) }, func(ctx context.Context) (*entry, error) {
		ctx, cancel := context.WithTimeout(ctx, drawTimeout)
		defer cancel()
		return h.refresh(ctx, t, k)
	})
}

// resolve finds the event that a request wants a page as of. A sequence that the
// model has come to needs no look into it.
func (h *Handler) resolve(ctx context.Context, at string) (uint64, error) {
	if strings.Trim(at, "0123456789") == "" {
		if seq, err := strconv.ParseUint(at, 10, 64); err == nil && seq > 0 && seq <= h.now().Seq {
			return seq, nil
		}
	}
	s, err := h.o.Gate.Open(ctx, at)
	if err != nil {
		return 0, err
	}
	return s.Seq(), s.Close()
}

// refresh looks at the model: where nothing the kept page shows has changed it
// only moves its position, else it draws the page.
func (h *Handler) refresh(ctx context.Context, t target, k key) (_ *entry, err error) {
	now := h.now()
	s, err := h.o.Gate.Open(ctx, t.at)
	if err != nil {
		return nil, err
	}
	r := &reading{Snapshot: s, h: h, past: t.at != "", watch: kept.Watchlist{Most: watchMost}}
	defer func() {
		if errClose := r.Close(); errClose != nil && err == nil {
			err = fmt.Errorf("close snapshot: %w", errClose)
		}
	}()
	seq := s.Seq()
	old, _ := h.cache.Get(k)
	if old != nil && old.Store != now.Store {
		old = nil
	}
	if old != nil && !old.Past {
		same, err := old.watch.Unchanged(ctx, s, old.Built)
		if err != nil && !errors.Is(err, projections.ErrNotFound) {
			return nil, err
		}
		if same {
			old.Reach(h.positions.At(seq))
			return old, nil
		}
	}
	e, err := h.draw(ctx, t, r)
	if err != nil {
		return nil, &failure{seq: seq, err: err}
	}
	e.Stand(now.Store, h.positions.At(seq), r.past)
	if old != nil && bytes.Equal(old.document.Body, e.document.Body) {
		e.document = old.document
	}
	h.cache.Put(k, e, e.size(k))
	return e, nil
}

// draw reads a page and renders it.
func (h *Handler) draw(ctx context.Context, t target, r *reading) (*entry, error) {
	page, err := t.find(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := r.Close(); err != nil {
		h.o.Log.LogAttrs(ctx, slog.LevelError, "snapshot not closed", slog.Any("error", err))
	}
	var buf bytes.Buffer
	if err := page(&buf); err != nil {
		return nil, err
	}
	return &entry{watch: r.watch.List(), document: kept.NewDocument(bytes.Clone(buf.Bytes()))}, nil
}
