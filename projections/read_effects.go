package projections

import (
	"context"
	"fmt"

	"shiplog/events"
)

// maxEffects is how many matchups, newest first, are looked at for a changed
// result.
const maxEffects = 500

// Effects are what the event at the snapshot's position changed: tools whose
// counts or label are others now, and of the newest 500 matchups of those tools
// (of all tools, for rules) those whose result is.
func (s *Snapshot) Effects(ctx context.Context) (*Effects, error) {
	effects, err := s.effects(ctx)
	if err != nil {
		return nil, fmt.Errorf("effects of event %d: %w", s.at, err)
	}
	return effects, nil
}

func (s *Snapshot) effects(ctx context.Context) (*Effects, error) {
	effects := new(Effects)
	var tool int64
	err := s.list(ctx, `SELECT tool FROM reviews WHERE seq = ?1`, nil, func(r *row) { tool = r.id() })
	isRules := len(s.rules) > 0 && s.rules[0].Event.Seq == s.at
	if err != nil || s.at <= 1 || tool == 0 && !isRules {
		return effects, err
	}
	before := &Snapshot{store: s.store, c: s.c, newest: s.newest, ledger: s.ledger, known: make(map[int64]critic)}
	if err := before.moveTo(ctx, s.at-1); err != nil {
		return nil, err
	}
	var matchups []matchupRow
	if isRules {
		err = s.rulesEffects(ctx, before, effects)
		if err == nil {
			matchups, err = before.matchupRows(ctx, `FROM matchups m WHERE m.seq <= ?1 ORDER BY m.seq DESC LIMIT ?2`, maxEffects)
		}
	} else {
		err = s.reviewEffects(ctx, before, tool, effects)
		if err == nil {
			matchups, err = before.matchupRows(ctx, `FROM matchups m WHERE m.seq <= ?1 AND (m.left_tool = ?2 OR m.right_tool = ?2)
				ORDER BY m.seq DESC LIMIT ?3`, tool, maxEffects)
		}
	}
	if err != nil {
		return nil, err
	}
	return effects, s.matchupEffects(ctx, before, matchups, effects)
}

func (s *Snapshot) reviewEffects(ctx context.Context, before *Snapshot, tool int64, effects *Effects) error {
	now, err := s.toolsByID(ctx, []int64{tool})
	if err != nil {
		return err
	}
	was, err := before.toolsByID(ctx, []int64{tool})
	if err != nil {
		return err
	}
	if was[tool].Verdict != now[tool].Verdict {
		effects.Tools = append(effects.Tools, ToolEffect{Tool: now[tool].Ref, Before: was[tool].Verdict, After: now[tool].Verdict})
	}
	return nil
}

func (s *Snapshot) rulesEffects(ctx context.Context, before *Snapshot, effects *Effects) error {
	changes, err := s.changes(ctx, `changes c`, `WHERE c.seq = ?1 ORDER BY c.id`)
	for _, c := range changes {
		was := c.To
		was.Label, was.Quorum = c.From, before.quorum()
		effects.Tools = append(effects.Tools, ToolEffect{Tool: c.Tool, Before: was, After: c.To})
	}
	return err
}

func (s *Snapshot) matchupEffects(ctx context.Context, before *Snapshot, rows []matchupRow, effects *Effects) error {
	was, err := before.matchups(ctx, rows)
	if err != nil {
		return err
	}
	now, err := s.matchups(ctx, rows)
	if err != nil {
		return err
	}
	for i := range now {
		if same(was[i].Result, now[i].Result) {
			continue
		}
		effects.Matchups = append(effects.Matchups, MatchupEffect{
			Left: now[i].Left.Ref, Right: now[i].Right.Ref, Before: was[i].Result, After: now[i].Result,
		})
	}
	return nil
}

// same reports whether two results read the same: who is counted, and by how
// much one leads, may differ.
func same(a, b events.Result) bool {
	return a.Kind == b.Kind && a.Leads == b.Leads
}
