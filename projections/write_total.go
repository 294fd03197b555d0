package projections

import (
	"context"

	"shiplog/events"
)

// total is a category's row of totals.
type total struct {
	category int64
	tools    [4]int64 // by the number of the label
	matchups int64
	counted  bool // by the event at hand
}

// total is a category's counts, for the caller to change.
func (w *writer) total(category int64) (*total, error) {
	n, ok := w.totals.get(category)
	if !ok {
		n = &total{category: category}
		err := w.c.query(context.Background(), `SELECT pending, ships, skips, splits, matchups FROM totals
			WHERE category = ? ORDER BY seq DESC LIMIT 1`, []any{category}, func(r *row) {
			n.tools, n.matchups = [4]int64{r.id(), r.id(), r.id(), r.id()}, r.id()
		})
		if err != nil {
			return nil, err
		}
		w.totals.put(category, n)
	}
	if !n.counted {
		n.counted = true
		w.counted = append(w.counted, n)
	}
	return n, nil
}

// enlist counts a tool with a label into the totals, or out of them.
func (w *writer) enlist(t *toolState, label events.Label, by int64) error {
	n, err := w.total(t.category)
	if err == nil {
		n.tools[numberOfLabel(label)] += by
	}
	return err
}

// writeTotals adds a row for each category whose counts the event changed.
func (w *writer) writeTotals(seq uint64) {
	for _, n := range w.counted {
		n.counted = false
		w.totaled.add([]int64{n.category, int64(seq), n.tools[numPending], n.tools[numShip], n.tools[numSkip], n.tools[numSplit], n.matchups})
	}
	w.counted = w.counted[:0]
}
