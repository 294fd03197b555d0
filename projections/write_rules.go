package projections

import (
	"context"

	"shiplog/events"
)

func (w *writer) opened(e *events.Event, p *events.LedgerOpened) error {
	if e.Seq != 1 {
		return eventError(e, errOpenedTwice)
	}
	return w.c.exec(`UPDATE meta SET ledger = ?, authority = ?, title = ?, description = ?`,
		p.Ledger, p.Authority, p.Title, p.Description)
}

// rulesPublished changes labels where the quorum changes: each is a change of
// its own, all with the sequence of this event.
func (w *writer) rulesPublished(e *events.Event, p *events.RulesPublished) error {
	if p.Version > events.RulesVersion {
		return eventError(e, errRulesVersion)
	}
	before := w.rules
	w.rules = p.Rules(e.Seq)
	changed := w.changes
	if before.Quorum != w.rules.Quorum {
		if err := w.relabelAll(e, before.Quorum); err != nil {
			return err
		}
	}
	r := w.rules
	return w.c.exec(`INSERT INTO rules VALUES (?, ?, ?, ?, ?, ?, ?)`,
		e.Seq, r.Version, r.Quorum, r.Matchmaking, r.MaxMatchupsPerTool, e.Publisher, w.changes-changed)
}

// relabelAll gives the tools their labels that have another one than under the quorum
// before, in the order they were registered. Duplicates keep theirs.
func (w *writer) relabelAll(e *events.Event, quorum int) error {
	if err := w.flush(); err != nil {
		return err
	}
	var touched []toolState
	err := w.c.query(context.Background(), `SELECT t.id, v.category, v.retired = 0, y.ships, y.skips, y.abstains FROM tools t
		JOIN tool_versions v ON v.tool = t.id AND v.until = `+forever+` AND v.into_tool = 0
		JOIN tallies y ON y.tool = t.id AND y.seq = (SELECT max(seq) FROM tallies WHERE tool = t.id)
		ORDER BY t.id`, nil, func(r *row) {
		t := toolState{id: r.id(), category: r.id(), listed: r.bool(), tally: events.Tally{Ships: r.int(), Skips: r.int()}, abstains: r.int()}
		if t.tally.Label(quorum) != t.tally.Label(w.rules.Quorum) {
			touched = append(touched, t)
		}
	})
	for i := range touched {
		t := &touched[i]
		if err == nil {
			err = w.relabel(e, t, t.tally.Label(quorum), t.tally.Label(w.rules.Quorum), true)
		}
	}
	return err
}

// eventSkipped notes the mend. The event it names was passed over when its turn
// came; if it was not, this model is not what a rebuild would make.
func (w *writer) eventSkipped(e *events.Event, p *events.EventSkipped) error {
	passed := false
	err := w.c.query(context.Background(), `SELECT 1 FROM passed WHERE seq = ?`, []any{p.Seq}, func(*row) { passed = true })
	if err != nil {
		return err
	}
	if !passed {
		return &RebuildError{Target: uint64(p.Seq), Seq: e.Seq}
	}
	return w.c.exec(`INSERT INTO skips VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, p.Seq, e.Seq, p.Reason)
}
