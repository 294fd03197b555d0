package feeds

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"shiplog/projections"
)

// buildTimeout bounds a build. It does not end with the request that started
// it: others wait for the same build.
const buildTimeout = 15 * time.Second

// find returns the document and a position at or after the newest one applied
// when it was asked, as of which the document holds.
func (h *Handler) find(ctx context.Context, client netip.Prefix, key Key, format Format) (*document, *position, error) {
	e, err := h.current(ctx, client, key)
	if err != nil {
		return nil, nil, err
	}
	asOf := e.asOf.Load()
	d, grown, err := e.document(format)
	if err != nil {
		return nil, nil, err
	}
	h.cacheOf(key).grow(e, grown)
	return d, asOf, nil
}

// cacheOf keeps those who walk through archives from driving out the feeds that
// everyone reads.
func (h *Handler) cacheOf(key Key) *cache {
	if key.Archive > 0 {
		return h.archives
	}
	return h.cache
}

// current returns an entry that holds as of now. Requests that find it out of
// date wait for one build; a build that began before the request may miss the
// newest event, hence the second look.
func (h *Handler) current(ctx context.Context, client netip.Prefix, key Key) (e *entry, err error) {
	want, _ := h.options.Model.Position()
	if e = h.cacheOf(key).get(key); e != nil && e.valid(want) {
		if e.fixed {
			e.reach(want)
		}
		return e, nil
	}
	if h.limits.wait(client) > 0 {
		return nil, errTooMany
	}
	for range lookAgain {
		flight, err, _ := h.flights.Do(key.path(), func() (any, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), buildTimeout)
			defer cancel()
			return h.refresh(ctx, client, key)
		})
		if err != nil {
			return nil, err
		}
		if e = flight.(*entry); e.valid(want) {
			break
		}
	}
	return e, nil
}

// lookAgain is how often a request that joined an older build starts over. The
// second build begins after it came, so a third is never needed.
const lookAgain = 2

// refresh looks at the newest snapshot: where nothing the entry shows has
// changed it only moves the entry's position, else it builds a new one.
func (h *Handler) refresh(ctx context.Context, client netip.Prefix, key Key) (_ *entry, err error) {
	s, err := h.options.Model.At(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	old := h.cacheOf(key).get(key)
	if old != nil {
		if old.fixed {
			return old, nil
		}
		same, err := unchanged(ctx, s, old.watch, old.built)
		if err != nil {
			return nil, err
		}
		if same {
			old.reach(s.Seq())
			return old, nil
		}
	}
	h.limits.charge(client)
	e, err := h.build(ctx, s, key, old)
	if err != nil {
		return nil, err
	}
	h.metrics.builds[key.Kind].Inc()
	h.cacheOf(key).put(e)
	return e, nil
}

func (h *Handler) build(ctx context.Context, s *projections.Snapshot, key Key, old *entry) (e *entry, err error) {
	begun := time.Now()
	if key.Archive > 0 {
		e, err = h.buildArchive(ctx, s, key)
	} else {
		b := h.builder(s, key)
		if old != nil {
			b.before, b.counted = old.kept, counted{old.built, old.total}
		}
		e, err = b.build(ctx)
		h.trace(ctx, b, begun, err)
	}
	if err != nil {
		return nil, err
	}
	e.built = s.Seq()
	e.asOf.Store(newPosition(s.Seq()))
	return e, nil
}

func (h *Handler) builder(s *projections.Snapshot, key Key) *builder {
	ledger := s.Ledger()
	return &builder{
		Composer: NewComposer(h.options.Site.BaseURL, NewMint(ledger.Authority, ledger.Opened.Time), h.options.Markdown),
		snapshot: s,
		site:     h.options.Site,
		hub:      h.options.Hub,
		icon:     h.icon(),
		key:      key,
		kept:     map[uint64]keptItem{},
		placed:   map[string]place{},
		tools:    map[string]uint64{},
	}
}

// icon is the site's icon, whose address lasts.
func (h *Handler) icon() string {
	if h.options.Icon == "" {
		return ""
	}
	return h.options.Site.BaseURL + h.options.Icon
}
