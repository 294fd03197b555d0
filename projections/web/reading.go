package web

import (
	"context"
	"fmt"
	"strconv"

	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
)

// A reading is a page being filled: the snapshot it is read from, and what of it
// the page shows.
type reading struct {
	*projections.Snapshot
	h    *Handler
	past bool // the request asked for a past event

	changed projections.Stamp
	watch   kept.Watchlist
}

// shows notes events that changed something the page shows.
func (r *reading) shows(stamps ...projections.Stamp) {
	for _, s := range stamps {
		r.changed = r.changed.Later(s)
	}
}

// watches notes a part of the model that the page shows something of, whose last
// change is not the page's.
func (r *reading) watches(scope projections.Scope, slug string) { r.watch.Add(scope, slug) }

// follows notes a part of the model that the page shows all of.
func (r *reading) follows(ctx context.Context, scope projections.Scope, slug string) error {
	stamp, err := r.LastChange(ctx, scope, slug)
	if err != nil {
		return fmt.Errorf("last change of %s %s: %w", scope, slug, err)
	}
	r.shows(stamp)
	r.watches(scope, slug)
	return nil
}

// showsFacts notes the entries of all tools. With them go labels, as the model
// tells the two together.
func (r *reading) showsFacts(ctx context.Context) error {
	return r.follows(ctx, projections.ScopeVerdicts, "")
}

// showsPanel notes the entries of all reviewers.
func (r *reading) showsPanel(ctx context.Context) error {
	list, err := r.Reviewers(ctx)
	for i := range list {
		r.shows(list[i].Facts)
	}
	r.watches(kept.ScopePanel, "")
	return err
}

// showsOpened notes how many matchups there are.
func (r *reading) showsOpened(ctx context.Context) error {
	list, _, err := r.Matchups(ctx, projections.MatchupFilter{Limit: 1})
	for i := range list {
		r.shows(list[i].Event)
	}
	r.watches(kept.ScopeOpened, "")
	return err
}

// page is what every view carries. It is asked for last: the footer names the
// last of all events noted.
func (r *reading) page(ctx context.Context) (pages.Page, error) {
	rules := r.Rules()
	r.watches(projections.ScopeRules, "")
	r.shows(r.Ledger().Opened, rules.Event)
	p, err := r.footer(ctx)
	p.Rules, p.CanTravel = rulesOf(rules), true
	return p, err
}

// footer names the last event noted, and the one that the page is shown as of.
func (r *reading) footer(ctx context.Context) (p pages.Page, err error) {
	_, leaf, err := r.Event(ctx, r.changed.Seq)
	if err != nil {
		return p, fmt.Errorf("leaf of the last change: %w", err)
	}
	p.Changed, p.Leaf = recordOf(r.changed), leaf.String()
	if r.past {
		stamp, _, err := r.Event(ctx, r.Seq())
		if err != nil {
			return p, fmt.Errorf("event shown as of: %w", err)
		}
		at := recordOf(stamp)
		p.At = &at
	}
	return p, nil
}

// move closes the snapshot and opens one as of another event, so that no request
// holds two: they are few.
func (r *reading) move(ctx context.Context, seq uint64) error {
	if err := r.Close(); err != nil {
		return err
	}
	s, err := r.h.o.Gate.Open(ctx, strconv.FormatUint(seq, 10))
	if err != nil {
		return err
	}
	r.Snapshot = s
	return nil
}

// place finds a part of a list, or says that it has no such part.
func place(number, size, total int) (pages.Paging, error) {
	p := pages.Paging{Number: number, Last: max(1, (total+size-1)/size), Total: total}
	if number > p.Last {
		return p, &missing{detail: fmt.Sprintf("The list ends with page %d.", p.Last)}
	}
	return p, nil
}
