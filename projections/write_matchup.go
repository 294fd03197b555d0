package projections

import (
	"context"
	"errors"

	"shiplog/events"
)

// matchmaker is the source of the matchups that Shiplog opens itself.
const matchmaker = events.ReservedSource + "matchmaker"

func (w *writer) matchupOpened(e *events.Event, p *events.MatchupOpened) error {
	left, err := w.knownTool(e, p.Left)
	if err != nil {
		return err
	}
	right, err := w.knownTool(e, p.Right)
	if err != nil {
		return err
	}
	category := int64(0)
	if left.category == right.category {
		category = left.category
	}
	w.matchups++
	w.matched.add([]int64{int64(e.Seq), w.matchups, left.id, right.id, category, w.published, number(e.Source == matchmaker)}, e.Publisher)
	return w.shareCategory(e, int64(e.Seq), category)
}

func (w *writer) shareCategory(e *events.Event, matchup, category int64) error {
	if category == 0 {
		return nil
	}
	n, err := w.total(category)
	if err != nil {
		return err
	}
	n.matchups++
	w.shared.add([]int64{category, matchup, int64(e.Seq), current})
	return nil
}

// unshareCategory takes a matchup out of a category that both tools shared.
func (w *writer) unshareCategory(e *events.Event, matchup, category int64) error {
	if category == 0 {
		return nil
	}
	n, err := w.total(category)
	if err != nil {
		return err
	}
	n.matchups--
	return w.c.exec(`UPDATE shared_categories SET until = ? WHERE category = ? AND matchup = ? AND until = `+forever,
		e.Seq, category, matchup)
}

// recategorise moves the matchups of a tool that came from another category.
func (w *writer) recategorise(e *events.Event, t *toolState, from int64) error {
	type pair struct{ matchup, other int64 }
	var pairs []pair
	if err := errors.Join(w.matched.flush(w.c), w.shared.flush(w.c)); err != nil {
		return err
	}
	err := w.c.query(context.Background(), `SELECT seq, right_tool FROM matchups WHERE left_tool = ?1
		UNION ALL SELECT seq, left_tool FROM matchups WHERE right_tool = ?1 ORDER BY 1`, []any{t.id}, func(r *row) {
		pairs = append(pairs, pair{r.id(), r.id()})
	})
	if err != nil {
		return err
	}
	for _, p := range pairs {
		other, err := w.toolByID(p.other)
		if err != nil {
			return err
		}
		switch other.category {
		case from:
			err = w.unshareCategory(e, p.matchup, from)
		case t.category:
			err = w.shareCategory(e, p.matchup, t.category)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
