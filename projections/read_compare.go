package projections

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"shiplog/events"
)

// Comparison is the matchup with its scorecard and neighbours.
func (s *Snapshot) Comparison(ctx context.Context, left, right string) (*Comparison, error) {
	row, err := s.pair(ctx, left, right)
	if err != nil {
		return nil, err
	}
	c, err := s.comparison(ctx, row)
	if err != nil {
		return nil, fmt.Errorf("compare %q and %q: %w", left, right, err)
	}
	return c, nil
}

func (s *Snapshot) comparison(ctx context.Context, row *matchupRow) (*Comparison, error) {
	older, err := s.matchupRows(ctx, `FROM matchups m WHERE m.seq < ?2 AND m.seq <= ?1 ORDER BY m.seq DESC LIMIT 1`, row.event.Seq)
	if err != nil {
		return nil, err
	}
	newer, err := s.matchupRows(ctx, `FROM matchups m WHERE m.seq > ?2 AND m.seq <= ?1 ORDER BY m.seq LIMIT 1`, row.event.Seq)
	if err != nil {
		return nil, err
	}
	tools, err := s.toolsOf(ctx, slices.Concat([]matchupRow{*row}, older, newer))
	if err != nil {
		return nil, err
	}
	shared, err := s.sharedStances(ctx, []uint64{row.event.Seq})
	if err != nil {
		return nil, err
	}
	c := &Comparison{
		Matchup: s.matchup(*row, tools[row.left], tools[row.right], shared[row.event.Seq]),
		Older:   neighbour(older, tools), Newer: neighbour(newer, tools),
	}
	reviews, err := s.currentReviews(ctx, []int64{row.left, row.right})
	if err != nil {
		return nil, err
	}
	c.Scorecard = s.scorecard(reviews[row.left], reviews[row.right], nil)
	for _, r := range slices.Concat(reviews[row.left], reviews[row.right]) {
		c.Changed = c.Changed.Later(r.Changed())
	}
	return c, s.history(ctx, row, c)
}

// neighbour is the first of the rows, nil if there is none.
func neighbour(rows []matchupRow, tools map[int64]*toolRow) *Neighbour {
	if len(rows) == 0 {
		return nil
	}
	left, right := tools[rows[0].left], tools[rows[0].right]
	return &Neighbour{Event: rows[0].event, Left: left.Ref, Right: right.Ref, Named: left.Named.Later(right.Named)}
}

// turn is an event that changed what a reviewer says of one of two tools.
type turn struct {
	seq      uint64
	right    bool
	reviewer int64
	now      events.Verdict // empty when nothing counts
}

// history finds since when the result is what it is.
func (s *Snapshot) history(ctx context.Context, m *matchupRow, c *Comparison) error {
	var turns []turn
	err := s.list(ctx, `SELECT seq, tool = ?3, reviewer, verdict, counts FROM stances WHERE tool IN (?2, ?3) AND seq <= ?1`,
		[]any{m.left, m.right}, func(r *row) {
			t := turn{seq: r.seq(), right: r.bool(), reviewer: r.id(), now: verdictOf(r.int())}
			if !r.bool() {
				t.now = ""
			}
			turns = append(turns, t)
		})
	if err != nil {
		return err
	}
	for _, r := range s.rules {
		turns = append(turns, turn{seq: r.Event.Seq})
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Compare(a.seq, b.seq) })
	d := newDuel()
	var last events.Result
	since := uint64(0)
	opened := false
	for _, t := range turns {
		if !opened && t.seq > m.event.Seq {
			last, opened = d.result(s.quorumOf(m.event.Seq)), true
		}
		d.take(t)
		if now := d.result(s.quorumOf(t.seq)); opened && !same(now, last) {
			before := last
			c.Before, since, last = &before, t.seq, now
		}
	}
	if since != 0 {
		c.Since, _, err = s.Event(ctx, since)
	}
	return err
}

// duel follows what is said of two tools.
type duel struct {
	said  [2]map[int64]events.Verdict
	tally [2]events.Tally
}

func newDuel() *duel {
	return &duel{said: [2]map[int64]events.Verdict{make(map[int64]events.Verdict), make(map[int64]events.Verdict)}}
}

func (d *duel) take(t turn) {
	if t.reviewer == 0 {
		return // rules
	}
	side := 0
	if t.right {
		side = 1
	}
	d.tally[side] = d.tally[side].With(d.said[side][t.reviewer], t.now)
	d.said[side][t.reviewer] = t.now
}

func (d *duel) result(quorum int) events.Result {
	var shared events.Shared
	for reviewer, left := range d.said[0] {
		shared.Add(left, d.said[1][reviewer])
	}
	return compareUnder(shared, d.tally[0], d.tally[1], quorum)
}
