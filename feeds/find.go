package feeds

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"shiplog/projections"
	"shiplog/projections/kept"
)

// buildTimeout bounds a build. It does not end with the request that started
// it: others wait for the same build.
const buildTimeout = 15 * time.Second

// watchMost is how many parts of the model are looked at one by one.
const watchMost = 64

// find returns the document and a position at or after the newest one applied
// when it was asked, as of which the document holds.
func (h *Handler) find(ctx context.Context, client netip.Prefix, key Key, format Format) (*document, *kept.Position, error) {
	e, err := h.current(ctx, client, key)
	if err != nil {
		return nil, nil, err
	}
	asOf := e.At()
	d, grown, err := e.document(format)
	if err != nil {
		return nil, nil, fmt.Errorf("feed %v: %w", key, err)
	}
	if grown > 0 && key.Archive == 0 {
		h.remember(key, format, e, d)
	}
	h.cacheOf(key).Grow(key, e, grown)
	return d, asOf, nil
}

// cacheOf keeps those who walk through archives from driving out the feeds that
// everyone reads.
func (h *Handler) cacheOf(key Key) *kept.Cache[Key, *entry] {
	if key.Archive > 0 {
		return h.archives
	}
	return h.cache
}

// current returns an entry that holds as of now.
func (h *Handler) current(ctx context.Context, client netip.Prefix, key Key) (*entry, error) {
	now := kept.Now(h.options.Model)
	if e, ok := h.cacheOf(key).Get(key); ok && e.Holds(now) {
		if e.Past {
			e.Reach(h.positions.At(now.Seq))
		}
		return e, nil
	}
	if h.limits.wait(client, price(key)) > 0 {
		return h.unchanged(ctx, key, now)
	}
	return h.cacheOf(key).Current(ctx, key, func(e *entry) bool { return e.Holds(now) }, func(ctx context.Context) (*entry, error) {
		ctx, cancel := context.WithTimeout(ctx, buildTimeout)
		defer cancel()
		return h.refresh(ctx, client, key)
	})
}

// unchanged returns an entry that holds as of now once it was looked at: all that
// there is for a client for which no more is built. No other waits for the answer,
// which is this client's alone.
func (h *Handler) unchanged(ctx context.Context, key Key, now kept.State) (*entry, error) {
	e, ok := h.cacheOf(key).Get(key)
	if !ok || e.Store != now.Store {
		return nil, errTooMany
	}
	err := h.recheck(ctx, &e.Standing, e.watch)
	if errors.Is(err, errChanged) {
		return nil, errTooMany
	}
	return e, err
}

// refresh looks at the newest snapshot: where nothing the entry shows has
// changed it only moves the entry's position, else it builds a new one.
func (h *Handler) refresh(ctx context.Context, client netip.Prefix, key Key) (_ *entry, err error) {
	store := h.options.Model.Path()
	s, err := h.options.Model.At(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	old, _ := h.cacheOf(key).Get(key)
	if old != nil && old.Store != store {
		old = nil
	}
	if old != nil {
		if old.Past {
			return old, nil
		}
		same, err := old.watch.Unchanged(ctx, s, old.Built)
		if err != nil {
			return nil, err
		}
		if same {
			old.Reach(h.positions.At(s.Seq()))
			return old, nil
		}
	}
	e, err := h.build(ctx, s, key, old)
	if !nowhere(key, err) {
		h.limits.charge(client, price(key))
	}
	if err != nil {
		return nil, err
	}
	e.Stand(store, h.positions.At(s.Seq()), key.Archive > 0)
	h.metrics.builds[key.Kind].Inc()
	size := e.size() + e.inherit(old)
	for format, d := range e.documents {
		h.remember(key, format, e, d)
	}
	h.cacheOf(key).Put(key, e, size)
	return e, nil
}

// nowhere reports a name that has no feed, or another's. To find that out takes a
// look-up, as on the page of that name, and is no build: who follows feeds that are
// gone is told so, and not refused those that are there. To find that an archive
// has no such document takes a look through the feed's history.
func nowhere(key Key, err error) bool {
	_, moved := errors.AsType[movedError](err)
	return key.Archive == 0 && (moved || errors.Is(err, projections.ErrNotFound))
}

func (h *Handler) build(ctx context.Context, s *projections.Snapshot, key Key, old *entry) (*entry, error) {
	begun := time.Now()
	if key.Archive > 0 {
		return h.buildArchive(ctx, s, key)
	}
	b := h.builder(s, key)
	if old != nil {
		b.before, b.counted = old.kept, counted{old.Built, old.total}
	}
	e, err := b.build(ctx)
	h.trace(ctx, b, begun, err)
	return e, err
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
		watch:    kept.Watchlist{Most: watchMost},
	}
}

// icon is the site's icon, whose address lasts.
func (h *Handler) icon() string {
	if h.options.Icon == "" {
		return ""
	}
	return h.options.Site.BaseURL + h.options.Icon
}
