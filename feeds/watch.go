package feeds

import (
	"context"
	"fmt"

	"shiplog/projections"
)

// A watched is a part of the read model that a feed shows something of.
type watched struct {
	scope projections.Scope
	slug  string
}

// Scopes beside those of the read model.
const (
	scopePanel  projections.Scope = "panel"  // the names, kinds and seats of reviewers
	scopeOpened projections.Scope = "opened" // of a slug: the tool's matchups, not what they show
)

// watchMost is how many parts are looked at one by one. A feed of more watches
// everything.
const watchMost = 64

// A watchlist collects what a feed depends on, so that events elsewhere do not
// make it be built again.
type watchlist struct {
	every bool
	parts map[watched]bool
}

func (w *watchlist) all() { w.every = true }

func (w *watchlist) panel() { w.add(watched{scope: scopePanel}) }

func (w *watchlist) rules() { w.add(watched{scope: projections.ScopeRules}) }

func (w *watchlist) verdicts() { w.add(watched{scope: projections.ScopeVerdicts}) }

func (w *watchlist) opened(slug string) { w.add(watched{scopeOpened, slug}) }

func (w *watchlist) tool(slug string) { w.add(watched{projections.ScopeTool, slug}) }

func (w *watchlist) reviewer(slug string) { w.add(watched{projections.ScopeReviewer, slug}) }

func (w *watchlist) add(part watched) {
	if w.every {
		return
	}
	if w.parts == nil {
		w.parts = map[watched]bool{}
	}
	w.parts[part] = true
	w.every = len(w.parts) > watchMost
}

func (w *watchlist) list() []watched {
	if w.every {
		return []watched{{scope: projections.ScopeAll}}
	}
	out := make([]watched, 0, len(w.parts))
	for part := range w.parts {
		out = append(out, part)
	}
	return out
}

// unchanged reports whether no event after seq changed any of the parts.
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
	case scopePanel:
		return lastPanelChange(ctx, s)
	case scopeOpened:
		list, _, err := s.Matchups(ctx, projections.MatchupFilter{Tool: part.slug, Limit: 1})
		if err != nil || len(list) == 0 {
			return 0, err
		}
		return list[0].Event.Seq, nil
	}
	stamp, err := s.LastChange(ctx, part.scope, part.slug)
	return stamp.Seq, err
}

// lastPanelChange is the last event that changed how reviewers are shown beside
// what they said.
func lastPanelChange(ctx context.Context, s *projections.Snapshot) (uint64, error) {
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
