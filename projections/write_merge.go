package projections

import (
	"context"

	"shiplog/events"
)

// toolMerged makes a tool a duplicate: what was said of it keeps counting on its
// own comparison pages, but no longer for those who said it.
func (w *writer) toolMerged(e *events.Event, p *events.ToolMerged) error {
	into, err := w.knownTool(e, p.Into)
	if err != nil {
		return err
	}
	t, err := w.knownTool(e, p.Tool)
	if err != nil {
		return err
	}
	if !t.merged {
		if err := w.countFor(t, -1); err != nil {
			return err
		}
	}
	return w.changeTool(e, t, func(v *toolVersion) {
		v.into, v.merged, v.mergeReason = into.id, e.Seq, p.Reason
	})
}

func (w *writer) toolUnmerged(e *events.Event, p *events.ToolUnmerged) error {
	t, err := w.knownTool(e, p.Tool)
	if err != nil {
		return err
	}
	wasMerged := t.merged
	err = w.changeTool(e, t, func(v *toolVersion) {
		v.into, v.merged, v.mergeReason, v.freed = 0, 0, "", e.Seq
	})
	if err != nil || !wasMerged {
		return err
	}
	if err := w.countFor(t, 1); err != nil {
		return err
	}
	return w.catchUp(e, t)
}

// countFor counts what is said of a tool for those who said it, or no longer.
func (w *writer) countFor(t *toolState, by int64) error {
	if err := w.allStances(t); err != nil {
		return err
	}
	for id, s := range t.stances {
		v, err := w.reviewerByID(id)
		if err != nil {
			return err
		}
		v.count(s, by)
		w.score(v)
	}
	if by < 0 {
		return w.moveLone(t.lone(), 0)
	}
	return w.moveLone(0, t.lone())
}

// catchUp records the label that rules have given a tool while it was a
// duplicate.
func (w *writer) catchUp(e *events.Event, t *toolState) error {
	if err := w.flush(); err != nil {
		return err
	}
	told := numPending
	err := w.c.query(context.Background(), `SELECT now FROM changes WHERE tool = ? ORDER BY seq DESC LIMIT 1`, []any{t.id},
		func(r *row) { told = r.int() })
	if err != nil {
		return err
	}
	if from, to := labelOf(told), t.tally.Label(w.rules.Quorum); from != to {
		w.addChange(e, t, from, to, true) // the totals know
	}
	return nil
}
