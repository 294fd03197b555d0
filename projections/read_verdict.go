package projections

import (
	"context"
	"fmt"
	"slices"

	"shiplog/events"
)

// changeColumns are read by scanChange.
var changeColumns = stamped("c.seq") + `, c.published, t.slug, v.name, ` + stamped("v.named") + `,
	(SELECT slug FROM categories WHERE id = c.category), c.was, c.now, c.ships, c.skips, c.abstains, c.quorum, ` + causeColumns

// causeColumns tell what an event did: r is a review or NULL, u rules or NULL.
const causeColumns = `r.kind, r.previous, r.verdict, r.reviewer, r.publisher, r.more ->> 'reason', u.publisher`

const changeTables = ` CROSS JOIN tools t ON t.id = c.tool CROSS JOIN tool_versions v ON v.tool = c.tool AND v.seq <= ?1 AND v.until > ?1
	LEFT JOIN reviews r ON r.seq = c.seq LEFT JOIN rules u ON u.seq = c.seq `

// scanCause reads causeColumns and returns the number of the reviewer, too.
func scanCause(r *row) (c Cause, reviewer int64) {
	if r.null() {
		c.Kind = CauseRules
	} else {
		c.Kind = CauseReview
	}
	kind := kindOf(r.int())
	c.Was, c.Now, reviewer, c.Publisher, c.Reason = verdictOf(r.int()), verdictOf(r.int()), r.id(), r.text(), r.text()
	by := r.text()
	switch {
	case c.Kind == CauseRules:
		c.Publisher = by
	case kind == ReviewWithdrawn:
		c.Kind = CauseWithdrawal
	case c.Was != "":
		c.Kind = CauseRevision
	}
	return c, reviewer
}

// changes reads changes of labels; from names the table c, and rest goes on
// behind the tables of a change.
func (s *Snapshot) changes(ctx context.Context, from, rest string, args ...any) ([]VerdictChange, error) {
	var list []VerdictChange
	var ids []int64
	err := s.list(ctx, `SELECT `+changeColumns+` FROM `+from+changeTables+rest, args, func(r *row) {
		c := VerdictChange{Event: r.stamp(), Published: r.time(), Tool: Ref{r.text(), r.text()}, Named: r.stamp(), Category: r.text(), From: labelOf(r.int())}
		c.To.Label = labelOf(r.int())
		c.To.Tally, c.To.Abstains, c.To.Quorum = events.Tally{Ships: r.int(), Skips: r.int()}, r.int(), r.int()
		cause, reviewer := scanCause(r)
		c.Cause = cause
		list, ids = append(list, c), append(ids, reviewer)
	})
	if err == nil {
		err = s.meet(ctx, ids)
	}
	if err != nil {
		return nil, err
	}
	for i := range list {
		c := &list[i]
		c.Cause.Reviewer = s.known[ids[i]].Critic
		c.Shown = c.Event.Later(c.Named).Later(c.Cause.Reviewer.Shown)
		c.Named = c.Named.Later(c.Cause.Reviewer.Named)
	}
	return list, nil
}

// VerdictHistory is every change of a tool's label, newest first.
func (s *Snapshot) VerdictHistory(ctx context.Context, tool string) ([]VerdictChange, error) {
	id, err := s.toolID(ctx, tool)
	if err != nil {
		return nil, err
	}
	list, err := s.changes(ctx, `changes c`, `WHERE c.tool = ?2 AND c.seq <= ?1 ORDER BY c.seq DESC`, id)
	if err != nil {
		return nil, fmt.Errorf("verdicts of %q: %w", tool, err)
	}
	return list, nil
}

// ChangeFilter chooses changes of verdicts. They come newest first.
type ChangeFilter struct {
	Tool     string
	Category string // of that time
	Before   uint64 // only events before this one; 0 for all
	Limit    int    // 0 means 50
}

// VerdictChanges lists changes of labels.
func (s *Snapshot) VerdictChanges(ctx context.Context, f ChangeFilter) ([]VerdictChange, error) {
	before := s.at + 1
	if f.Before != 0 {
		before = min(before, f.Before)
	}
	where, args := `WHERE c.seq < ?2`, []any{before}
	if f.Tool != "" {
		id, err := s.toolID(ctx, f.Tool)
		if err != nil {
			return nil, err
		}
		args = append(args, id)
		where += ` AND c.tool = ?3`
	}
	if f.Category != "" {
		args = append(args, f.Category)
		where += fmt.Sprintf(` AND c.category = (SELECT id FROM categories WHERE slug = ?%d)`, len(args)+1)
	}
	args = append(args, limit(f.Limit))
	list, err := s.changes(ctx, `changes c`, fmt.Sprintf(`%s ORDER BY c.seq DESC, c.id DESC LIMIT ?%d`, where, len(args)+1), args...)
	if err != nil {
		return nil, fmt.Errorf("list verdict changes: %w", err)
	}
	return list, nil
}

// Steps is every event that changed a tool's counts or label, oldest first.
func (s *Snapshot) Steps(ctx context.Context, tool string) ([]Step, error) {
	id, err := s.toolID(ctx, tool)
	if err != nil {
		return nil, err
	}
	var list []Step
	var ids []int64
	err = s.list(ctx, `SELECT `+stamped("y.seq")+`, y.ships, y.skips, y.abstains, `+causeColumns+`
		FROM (SELECT seq, ships, skips, abstains FROM tallies WHERE tool = ?2 AND seq <= ?1
			UNION ALL SELECT seq, ships, skips, abstains FROM changes WHERE tool = ?2 AND seq <= ?1 AND rules = 1) y
		LEFT JOIN reviews r ON r.seq = y.seq LEFT JOIN rules u ON u.seq = y.seq ORDER BY y.seq`, []any{id}, func(r *row) {
		step := Step{Event: r.stamp(), Verdict: Verdict{Tally: events.Tally{Ships: r.int(), Skips: r.int()}, Abstains: r.int()}}
		step.Verdict.Quorum = s.quorumOf(step.Event.Seq)
		step.Verdict.Label = step.Verdict.Tally.Label(step.Verdict.Quorum)
		cause, reviewer := scanCause(r)
		step.Cause = cause
		list, ids = append(list, step), append(ids, reviewer)
	})
	if err == nil {
		err = s.meet(ctx, ids)
	}
	if err != nil {
		return nil, fmt.Errorf("steps of %q: %w", tool, err)
	}
	for i := range list {
		list[i].Cause.Reviewer = s.known[ids[i]].Critic
	}
	return slices.Clip(list), nil
}
