package projections

import (
	"context"
	"fmt"
	"slices"

	"shiplog/events"
)

// matchupRow is a row of matchups.
type matchupRow struct {
	event       Stamp
	ord         int
	left, right int64
	published   int64
	publisher   string
	matchmade   bool
}

func (s *Snapshot) matchupRows(ctx context.Context, rest string, args ...any) ([]matchupRow, error) {
	var list []matchupRow
	err := s.list(ctx, `SELECT `+stamped("m.seq")+`, m.ord, m.left_tool, m.right_tool, m.published, m.publisher, m.matchmade `+rest, args, func(r *row) {
		list = append(list, matchupRow{r.stamp(), r.int(), r.id(), r.id(), r.id(), r.text(), r.bool()})
	})
	return list, err
}

// matchups fills in what the tools and their shared reviewers say: two queries
// for any number of matchups.
func (s *Snapshot) matchups(ctx context.Context, rows []matchupRow) ([]Matchup, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	tools, err := s.toolsOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	var seqs []uint64
	for _, m := range rows {
		seqs = append(seqs, m.event.Seq)
	}
	shared, err := s.sharedStances(ctx, seqs)
	if err != nil {
		return nil, err
	}
	list := make([]Matchup, len(rows))
	for i, m := range rows {
		list[i] = s.matchup(m, tools[m.left], tools[m.right], shared[m.event.Seq])
	}
	return list, nil
}

// toolsOf reads the tools of matchups.
func (s *Snapshot) toolsOf(ctx context.Context, rows []matchupRow) (map[int64]*toolRow, error) {
	var ids []int64
	for _, m := range rows {
		ids = append(ids, m.left, m.right)
	}
	slices.Sort(ids)
	return s.toolsByID(ctx, slices.Compact(ids))
}

// sharedStance is what a reviewer who judged both tools says of each.
type sharedStance struct {
	reviewer    int64
	left, right events.Verdict
}

// sharedStances are those of matchups, by the event that opened each.
func (s *Snapshot) sharedStances(ctx context.Context, seqs []uint64) (map[uint64][]sharedStance, error) {
	byMatchup := make(map[uint64][]sharedStance, len(seqs))
	var ids []int64
	err := s.list(ctx, `SELECT m.seq, l.reviewer, l.verdict, r.verdict
		FROM json_each(?2) j CROSS JOIN matchups m ON m.seq = j.value
		CROSS JOIN stances l ON l.tool = m.left_tool AND l.seq <= ?1 AND l.until > ?1 AND l.counts
		CROSS JOIN stances r ON r.tool = m.right_tool AND r.reviewer = l.reviewer AND r.seq <= ?1 AND r.until > ?1 AND r.counts`,
		[]any{jsonList(seqs)}, func(r *row) {
			seq := r.seq()
			both := sharedStance{r.id(), verdictOf(r.int()), verdictOf(r.int())}
			byMatchup[seq] = append(byMatchup[seq], both)
			ids = append(ids, both.reviewer)
		})
	if err == nil {
		err = s.meet(ctx, ids)
	}
	for _, list := range byMatchup {
		slices.SortFunc(list, func(a, b sharedStance) int { return comparePlaces(s.known[a.reviewer], s.known[b.reviewer]) })
	}
	return byMatchup, err
}

func (s *Snapshot) matchup(row matchupRow, left, right *toolRow, shared []sharedStance) Matchup {
	m := Matchup{
		Event: row.event, Published: timeOf(row.published), Publisher: row.publisher, Matchmade: row.matchmade,
		Left: left.Tool, Right: right.Tool, Quorum: s.quorum(),
	}
	if left.Category == right.Category {
		m.Category = left.Category
	}
	counts := new(events.Shared)
	changed, shown := row.event, row.event
	for _, both := range shared {
		c := s.known[both.reviewer].Critic
		counts.Add(both.left, both.right)
		m.Shared = append(m.Shared, c)
		changed, shown = changed.Later(c.Named), shown.Later(c.Shown)
		switch both.left {
		case both.right: // they agree
		case events.Ship:
			m.ToLeft = append(m.ToLeft, c)
		default:
			m.ToRight = append(m.ToRight, c)
		}
	}
	m.Result = compareUnder(*counts, left.Verdict.Tally, right.Verdict.Tally, s.quorum())
	for _, t := range []*toolRow{left, right} {
		changed, shown = changed.Later(t.Facts).Later(t.Judged), shown.Later(t.Shown).Later(t.Judged)
		if t.Merged != nil {
			changed, shown = changed.Later(t.Merged.Named), shown.Later(t.Merged.Named)
		}
	}
	ruled := s.quorumChange(shown.Seq, func(before, after int) bool {
		was := compareUnder(*counts, left.Verdict.Tally, right.Verdict.Tally, before)
		is := compareUnder(*counts, left.Verdict.Tally, right.Verdict.Tally, after)
		return was != is || is.Kind == events.NotComparable
	})
	m.Changed, m.Shown = changed.Later(ruled), shown.Later(ruled)
	return m
}

func compareUnder(shared events.Shared, left, right events.Tally, quorum int) events.Result {
	return events.Compare(shared, left.Label(quorum), right.Label(quorum), quorum)
}

// MatchupFilter chooses matchups. They come newest first.
type MatchupFilter struct {
	Tool     string
	Category string // that both tools share at the snapshot
	Before   uint64 // only those opened before this event; 0 for all
	Offset   int
	Limit    int // 0 means 50
}

// from is the tables and the condition of the filter but for Before.
func (s *Snapshot) from(ctx context.Context, f MatchupFilter) (string, []any, error) {
	from, where, args := `FROM matchups m`, ` WHERE m.seq <= ?1`, []any{}
	if f.Tool != "" {
		id, err := s.toolID(ctx, f.Tool)
		if err != nil {
			return "", nil, err
		}
		args = append(args, id)
		where += ` AND (m.left_tool = ?2 OR m.right_tool = ?2)`
	}
	if f.Category != "" {
		args = append(args, f.Category)
		from = fmt.Sprintf(`FROM shared_categories g JOIN matchups m ON m.seq = g.matchup
			AND g.category = (SELECT id FROM categories WHERE slug = ?%d) AND g.seq <= ?1 AND g.until > ?1`, len(args)+1)
	}
	return from + where, args, nil
}

// Matchups lists matchups with their results; total counts all that match but
// for Before, Offset and Limit.
func (s *Snapshot) Matchups(ctx context.Context, f MatchupFilter) (list []Matchup, total int, err error) {
	from, args, err := s.from(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	count := `SELECT count(*) ` + from
	if f.Tool == "" && f.Category == "" {
		count = `SELECT ord FROM matchups WHERE seq <= ?1 ORDER BY seq DESC LIMIT 1`
	}
	if err = s.list(ctx, count, args, func(r *row) { total = r.int() }); err != nil {
		return nil, 0, fmt.Errorf("count matchups: %w", err)
	}
	if f.Before == 0 {
		f.Before = s.at + 1
	}
	args = append(args, f.Before, limit(f.Limit), f.Offset)
	n := len(args)
	rows, err := s.matchupRows(ctx, fmt.Sprintf(`%s AND m.seq < ?%d ORDER BY m.seq DESC LIMIT ?%d OFFSET ?%d`, from, n-1, n, n+1), args...)
	if err == nil {
		list, err = s.matchups(ctx, rows)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("list matchups: %w", err)
	}
	return list, total, nil
}

// Matchup is the matchup of two tools, by slug or alias in either order: Left
// and Right are as first opened.
func (s *Snapshot) Matchup(ctx context.Context, left, right string) (*Matchup, error) {
	row, err := s.pair(ctx, left, right)
	if err != nil {
		return nil, err
	}
	list, err := s.matchups(ctx, []matchupRow{*row})
	if err != nil {
		return nil, fmt.Errorf("matchup of %q and %q: %w", left, right, err)
	}
	return &list[0], nil
}

func (s *Snapshot) pair(ctx context.Context, left, right string) (*matchupRow, error) {
	l, err := s.toolID(ctx, left)
	if err != nil {
		return nil, err
	}
	r, err := s.toolID(ctx, right)
	if err != nil {
		return nil, err
	}
	row, err := s.pairOf(ctx, l, r)
	if err == nil && row == nil {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("matchup of %q and %q: %w", left, right, err)
	}
	return row, nil
}

// pairOf is the matchup of two tools in either order, nil when there is none.
func (s *Snapshot) pairOf(ctx context.Context, left, right int64) (*matchupRow, error) {
	rows, err := s.matchupRows(ctx, `FROM matchups m WHERE m.seq <= ?1
		AND ((m.left_tool = ?2 AND m.right_tool = ?3) OR (m.left_tool = ?3 AND m.right_tool = ?2)) ORDER BY m.seq LIMIT 1`, left, right)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// MatchupBySeq is the matchup that the event at seq opened.
func (s *Snapshot) MatchupBySeq(ctx context.Context, seq uint64) (*Matchup, error) {
	rows, err := s.matchupRows(ctx, `FROM matchups m WHERE m.seq <= ?1 AND m.seq = ?2`, seq)
	if err == nil && len(rows) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("matchup %d: %w", seq, err)
	}
	list, err := s.matchups(ctx, rows)
	if err != nil {
		return nil, fmt.Errorf("matchup %d: %w", seq, err)
	}
	return &list[0], nil
}
