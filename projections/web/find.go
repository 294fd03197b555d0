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
)

// drawTimeout bounds the making of a page. It does not end with the request that
// started it: others wait for the same page.
const drawTimeout = 15 * time.Second

// lookAgain is how often a request that joined an older drawing starts over. The
// second begins after it came, so a third is never needed.
const lookAgain = 2

// now is what pages have to hold as of.
func (h *Handler) now() state {
	// In this order: a page read from a newer database than its entry says is
	// only drawn once too often.
	store := h.o.Model.Path()
	seq, _ := h.o.Model.Position()
	return state{seq: seq, store: store}
}

// find returns the page that holds as of now, or as of the past asked for.
// Requests that find none wait for one drawing.
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
	if e := h.cache.get(k); e != nil && e.holds(now) {
		return e, nil
	}
	var e *entry
	for range lookAgain {
		flight, err, _ := h.flights.Do(k.String(), func() (any, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drawTimeout)
			defer cancel()
			return h.refresh(ctx, t, k)
		})
		if err != nil {
			return nil, err
		}
		if e = flight.(*entry); e.holds(now) {
			break
		}
	}
	return e, nil
}

// resolve finds the event that a request wants a page as of. A sequence that the
// model has come to needs no look into it.
func (h *Handler) resolve(ctx context.Context, at string) (uint64, error) {
	if strings.Trim(at, "0123456789") == "" {
		if seq, err := strconv.ParseUint(at, 10, 64); err == nil && seq > 0 && seq <= h.now().seq {
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
	r := &reading{Snapshot: s, h: h, past: t.at != ""}
	defer func() {
		if errClose := r.Close(); errClose != nil && err == nil {
			err = fmt.Errorf("close snapshot: %w", errClose)
		}
	}()
	seq := s.Seq()
	old := h.cache.get(k)
	if old != nil && old.store != now.store {
		old = nil
	}
	if old != nil && !old.past {
		same, err := unchanged(ctx, s, old.watch, old.built)
		if err != nil && !errors.Is(err, projections.ErrNotFound) {
			return nil, err
		}
		if same {
			old.reach(seq)
			return old, nil
		}
	}
	e, err := h.draw(ctx, t, r)
	if err != nil {
		return nil, &failure{seq: seq, err: err}
	}
	e.key, e.store, e.built, e.past = k, now.store, seq, r.past
	e.asOf.Store(newPosition(seq))
	if old != nil && bytes.Equal(old.document.body, e.document.body) {
		e.document = old.document
	}
	h.cache.put(e)
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
	return &entry{watch: r.watch.list(), document: newDocument(bytes.Clone(buf.Bytes()))}, nil
}
