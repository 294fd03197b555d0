package web

import (
	"context"
	"errors"
	"io"
	"net/http"

	"shiplog/projections"
	"shiplog/projections/pages"
)

// How many rows the front page has.
const (
	homeRows  = 10
	firstRows = 20
	// movesMost bounds the matchups told beside a verdict change.
	movesMost = 100
)

func (h *Handler) home(*http.Request, query) (target, error) {
	return target{path: "/", find: h.findHome}, nil
}

func (h *Handler) findHome(ctx context.Context, r *reading) (draw, error) {
	panel, err := r.Reviewers(ctx)
	if err != nil {
		return nil, err
	}
	if !reviewed(panel) {
		return h.findFirst(ctx, r)
	}
	v := pages.HomeView{}
	matchups, total, err := r.Matchups(ctx, projections.MatchupFilter{Limit: homeRows})
	if err != nil {
		return nil, err
	}
	v.Matchups, v.MatchupTotal = r.matchupRows(matchups), total
	r.watches(projections.ScopeMatchups, "")
	if err := r.follows(ctx, projections.ScopeReviewers, ""); err != nil {
		return nil, err
	}
	for i := range panel {
		if panel[i].Former == nil {
			v.Seated++
			v.Panel = append(v.Panel, reviewerRowOf(&panel[i]))
		}
	}
	changes, err := r.VerdictChanges(ctx, projections.ChangeFilter{Limit: homeRows})
	if err != nil {
		return nil, err
	}
	for i := range changes {
		v.Changes = append(v.Changes, changeRowOf(&changes[i]))
		r.shows(changes[i].Changed())
	}
	if len(changes) == 0 && len(matchups) == 0 {
		if err := r.newestTools(ctx, &v); err != nil {
			return nil, err
		}
	}
	return h.finishHome(ctx, r, v, changes)
}

// finishHome adds what follows from the newest change. What its event moved is
// read last, as of that event.
func (h *Handler) finishHome(ctx context.Context, r *reading, v pages.HomeView, changes []projections.VerdictChange) (draw, error) {
	stats, err := r.Stats(ctx)
	if err != nil {
		return nil, err
	}
	v.ChangeTotal = stats.VerdictChanges
	var names map[string]projections.Ref
	if len(changes) > 0 {
		if v.Latest, err = r.latest(ctx, &changes[0]); err != nil {
			return nil, err
		}
		if names, err = r.opponents(ctx, &changes[0]); err != nil {
			return nil, err
		}
	}
	if v.Page, err = r.page(ctx); err != nil {
		return nil, err
	}
	if len(names) > 0 {
		effects, err := r.effectsOf(ctx, changes[0].Event.Seq)
		if err != nil {
			return nil, err
		}
		v.Latest.Moves = movesOf(effects, names)
	}
	return func(w io.Writer) error { return h.o.Pages.Home(w, v) }, nil
}

// reviewed reports whether anybody ever reviewed anything.
func reviewed(panel []projections.Reviewer) bool {
	for i := range panel {
		if panel[i].Judged.Seq != 0 {
			return true
		}
	}
	return false
}

// newestTools fills a front page that has nothing else yet.
func (r *reading) newestTools(ctx context.Context, v *pages.HomeView) error {
	list, err := r.NewestTools(ctx, homeRows)
	if err != nil {
		return err
	}
	v.Tools = toolRows(list)
	return r.follows(ctx, projections.ScopeTools, "")
}

// latest tells the newest change of a verdict in full.
func (r *reading) latest(ctx context.Context, c *projections.VerdictChange) (*pages.LatestChange, error) {
	out := &pages.LatestChange{ChangeRow: changeRowOf(c), Cause: string(c.Cause.Kind), Reason: c.Cause.Reason}
	if c.Cause.Kind == projections.CauseRules {
		return out, nil
	}
	out.Reviewer = criticOf(c.Cause.Reviewer)
	now, err := r.Review(ctx, c.Event.Seq)
	if err != nil {
		return nil, err
	}
	side, err := r.side(now)
	if err != nil {
		return nil, err
	}
	out.Now, out.Gone = side.Review, side.Gone
	if now.Replaces.Seq == 0 {
		return out, nil
	}
	then, err := r.Review(ctx, now.Replaces.Seq)
	if errors.Is(err, projections.ErrNotFound) {
		return out, nil // passed over by an operator
	}
	if err != nil {
		return nil, err
	}
	side, err = r.side(then)
	out.Then = side.Review
	return out, err
}

// opponents are the names of the tools that a changed one is matched with, as
// they are now: the change itself is read as of its event, with the names of
// that time.
func (r *reading) opponents(ctx context.Context, c *projections.VerdictChange) (map[string]projections.Ref, error) {
	if c.Cause.Kind == projections.CauseRules {
		return nil, nil // its moves have nothing to do with one tool
	}
	list, _, err := r.Matchups(ctx, projections.MatchupFilter{Tool: c.Tool.Slug, Limit: movesMost})
	if err != nil {
		return nil, err
	}
	names := make(map[string]projections.Ref, 2*len(list))
	for i := range list {
		names[list[i].Left.Slug], names[list[i].Right.Slug] = list[i].Left.Ref, list[i].Right.Ref
		r.shows(list[i].Left.Named, list[i].Right.Named)
	}
	return names, nil
}

// lastEffects keeps what one event changed: that of the newest verdict change is
// asked for whenever the front page is drawn.
type lastEffects struct {
	store   string
	seq     uint64
	effects *projections.Effects
}

// effectsOf is what an event changed. The snapshot may be another afterwards.
func (r *reading) effectsOf(ctx context.Context, seq uint64) (*projections.Effects, error) {
	store := r.h.now().Store
	if last := r.h.effects.Load(); last != nil && last.seq == seq && last.store == store {
		return last.effects, nil
	}
	if err := r.move(ctx, seq); err != nil {
		return nil, err
	}
	effects, err := r.Effects(ctx)
	if err != nil {
		return nil, err
	}
	r.h.effects.Store(&lastEffects{store, seq, effects})
	return effects, nil
}

func movesOf(effects *projections.Effects, names map[string]projections.Ref) []pages.Move {
	var moves []pages.Move
	for _, m := range effects.Matchups {
		left, right := m.Left, m.Right
		if now, ok := names[left.Slug]; ok {
			left = now
		}
		if now, ok := names[right.Slug]; ok {
			right = now
		}
		moves = append(moves, pages.Move{
			Left: refOf(left), Right: refOf(right),
			From: resultOf(m.Before, left, right), To: resultOf(m.After, left, right),
		})
	}
	return moves
}

// findFirst is the front page while nobody has reviewed anything: the events so
// far.
func (h *Handler) findFirst(ctx context.Context, r *reading) (draw, error) {
	if err := r.follows(ctx, projections.ScopeAll, ""); err != nil {
		return nil, err
	}
	v := pages.FirstView{}
	page, err := r.page(ctx)
	if err != nil {
		return nil, err
	}
	v.Page = page
	for seq := r.Seq(); seq > 0 && len(v.Events) < firstRows; seq-- {
		line, err := r.line(ctx, seq)
		if err != nil {
			return nil, err
		}
		v.Events = append(v.Events, *line)
	}
	return func(w io.Writer) error { return h.o.Pages.First(w, v) }, nil
}
