package web

import (
	"context"
	"fmt"
	"slices"

	"shiplog/projections"
)

// A watched is a part of the read model that a page shows something of.
type watched struct {
	scope projections.Scope
	slug  string
}

// Parts that are no scope of the model.
const (
	scopePanel  projections.Scope = "panel"  // names, kinds and seats of reviewers
	scopePaired projections.Scope = "paired" // with a slug: matchups opened for a tool
	scopeOpened projections.Scope = "opened" // matchups opened
)

// watchedSize is about what a watched takes in memory.
const watchedSize = 64

// watchMost is how many parts are looked at one by one: drawing a page that
// shows more is as quick as asking.
const watchMost = 32

// A watchlist collects what a page depends on.
type watchlist struct {
	every bool
	parts []watched
}

func (w *watchlist) add(scope projections.Scope, slug string) {
	part := watched{scope, slug}
	if slices.Contains(w.parts, part) {
		return
	}
	w.parts = append(w.parts, part)
	w.every = w.every || len(w.parts) > watchMost
}

func (w *watchlist) list() []watched {
	if w.every {
		return []watched{{scope: projections.ScopeAll}}
	}
	return w.parts
}

// unchanged reports whether no event after the one at seq changed any part.
func unchanged(ctx context.Context, s *projections.Snapshot, parts []watched, seq uint64) (bool, error) {
	for _, part := range parts {
		last, err := lastChange(ctx, s, part)
		if err != nil {
			return false, fmt.Errorf("last change of %s %s: %w", part.scope, part.slug, err)
		}
		if last > seq {
			return false, nil
		}
	}
	return true, nil
}

func lastChange(ctx context.Context, s *projections.Snapshot, part watched) (uint64, error) {
	switch part.scope {
	case projections.ScopeAll:
		return s.Seq(), nil
	case projections.ScopeRules:
		return s.Rules().Event.Seq, nil
	case scopePanel:
		return lastSeat(ctx, s)
	case scopePaired, scopeOpened:
		list, _, err := s.Matchups(ctx, projections.MatchupFilter{Tool: part.slug, Limit: 1})
		if err != nil || len(list) == 0 {
			return 0, err
		}
		return list[0].Event.Seq, nil
	}
	stamp, err := s.LastChange(ctx, part.scope, part.slug)
	return stamp.Seq, err
}

// lastSeat is the last event that changed how reviewers are shown beside what
// they said.
func lastSeat(ctx context.Context, s *projections.Snapshot) (uint64, error) {
	list, err := s.Reviewers(ctx)
	last := uint64(0)
	for i := range list {
		last = max(last, list[i].Facts.Seq)
	}
	return last, err
}
