package kept

import (
	"context"
	"fmt"

	"shiplog/projections"
)

// A Part is a part of the read model that a value shows something of.
type Part struct {
	Scope projections.Scope
	Slug  string
}

// Parts that are no scope of the model.
const (
	ScopePanel  projections.Scope = "panel"  // names, kinds and seats of reviewers
	ScopeOpened projections.Scope = "opened" // matchups opened, with a slug those of a tool
)

// partSize is about what a part takes in memory.
const partSize = 64

// A Watchlist collects what a value depends on, so that events elsewhere do not
// make it be made again. One of more than Most parts watches everything: making
// the value is as quick as asking.
type Watchlist struct {
	Most int

	every bool
	seen  map[Part]bool
	parts []Part
}

// All watches everything.
func (w *Watchlist) All() { w.every = true }

// Add watches a part.
func (w *Watchlist) Add(scope projections.Scope, slug string) {
	part := Part{scope, slug}
	if w.every || w.seen[part] {
		return
	}
	if w.seen == nil {
		w.seen = map[Part]bool{}
	}
	w.seen[part] = true
	w.parts = append(w.parts, part)
	w.every = len(w.parts) > w.Most
}

// List is what is watched.
func (w *Watchlist) List() Parts {
	if w.every {
		return Parts{{Scope: projections.ScopeAll}}
	}
	return w.parts
}

// Parts is what a value depends on.
type Parts []Part

// Size is what the list takes in memory.
func (p Parts) Size() int64 { return int64(len(p)) * partSize }

// Unchanged reports whether no event after the one at seq changed any part.
func (p Parts) Unchanged(ctx context.Context, s *projections.Snapshot, seq uint64) (bool, error) {
	for _, part := range p {
		last, err := part.lastChange(ctx, s)
		if err != nil {
			return false, fmt.Errorf("last change of %s %s: %w", part.Scope, part.Slug, err)
		}
		if last > seq {
			return false, nil
		}
	}
	return true, nil
}

func (p Part) lastChange(ctx context.Context, s *projections.Snapshot) (uint64, error) {
	switch p.Scope {
	case projections.ScopeAll:
		return s.Seq(), nil
	case projections.ScopeRules:
		return s.Rules().Event.Seq, nil
	case ScopePanel:
		return LastSeat(ctx, s)
	case ScopeOpened:
		list, _, err := s.Matchups(ctx, projections.MatchupFilter{Tool: p.Slug, Limit: 1})
		if err != nil || len(list) == 0 {
			return 0, err
		}
		return list[0].Event.Seq, nil
	}
	stamp, err := s.LastChange(ctx, p.Scope, p.Slug)
	return stamp.Seq, err
}

// LastSeat is the last event that changed how reviewers are shown beside what
// they said.
func LastSeat(ctx context.Context, s *projections.Snapshot) (uint64, error) {
	list, err := s.Reviewers(ctx)
	if err != nil {
		return 0, fmt.Errorf("panel: %w", err)
	}
	last := uint64(0)
	for i := range list {
		last = max(last, list[i].Facts.Seq)
	}
	return last, nil
}
