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
	list, err := s.matchups(ctx, slices.Concat([]matchupRow{*row}, older, newer))
	if err != nil {
		return nil, err
	}
	c := &Comparison{Matchup: list[0]}
	if len(older) > 0 {
		c.Older = &list[1]
	}
	if len(newer) > 0 {
		c.Newer = &list[len(list)-1]
	}
	reviews, err := s.currentReviews(ctx, []int64{row.left, row.right})
	if err != nil {
		return nil, err
	}
	c.Scorecard = s.scorecard(reviews[row.left], reviews[row.right])
	for _, r := range slices.Concat(reviews[row.left], reviews[row.right]) {
		c.Changed = c.Changed.Later(r.Changed())
	}
	return c, s.history(ctx, row, c)
}

// Scorecards are those of the matchups of some sequences, by sequence. All
// current reviews of their tools are read at once, so ask for a few dozen.
func (s *Snapshot) Scorecards(ctx context.Context, seqs []uint64) (map[uint64]Scorecard, error) {
	rows, err := s.matchupRows(ctx, `FROM json_each(?2) j CROSS JOIN matchups m ON m.seq = j.value WHERE m.seq <= ?1`, jsonList(seqs))
	if err != nil {
		return nil, fmt.Errorf("scorecards: %w", err)
	}
	var tools []int64
	for i := range rows {
		tools = append(tools, rows[i].left, rows[i].right)
	}
	slices.Sort(tools)
	reviews, err := s.currentReviews(ctx, slices.Compact(tools))
	if err != nil {
		return nil, fmt.Errorf("scorecards: %w", err)
	}
	cards := make(map[uint64]Scorecard, len(rows))
	for i := range rows {
		cards[rows[i].event.Seq] = s.scorecard(reviews[rows[i].left], reviews[rows[i].right])
	}
	return cards, nil
}

// side places the reviews of one reviewer.
type sides struct {
	critic
	left, right *Review
}

// bySides joins the reviews of tools by reviewer, in panel order.
func (s *Snapshot) scorecard(left, right []reviewRow) Scorecard {
	byReviewer := make(map[int64]*sides)
	at := func(id int64) *sides {
		if byReviewer[id] == nil {
			byReviewer[id] = &sides{critic: s.known[id]}
		}
		return byReviewer[id]
	}
	for i := range left {
		at(left[i].reviewer).left = &left[i].Review
	}
	for i := range right {
		at(right[i].reviewer).right = &right[i].Review
	}
	var list []*sides
	for _, both := range byReviewer {
		list = append(list, both)
	}
	slices.SortFunc(list, func(a, b *sides) int { return comparePlaces(a.critic, b.critic) })
	var card Scorecard
	var onlyRight []Row
	for _, both := range list {
		row := Row{Reviewer: both.Critic, Left: both.left, Right: both.right}
		l, r := judges(both.left), judges(both.right)
		switch {
		case l && r:
			card.Common = append(card.Common, row)
		case l:
			card.One = append(card.One, row)
		case r:
			onlyRight = append(onlyRight, row)
		}
		if abstains(both.left) || abstains(both.right) {
			card.Abstained = append(card.Abstained, row)
		}
	}
	card.One = append(card.One, onlyRight...)
	return card
}

func judges(r *Review) bool   { return r != nil && r.Verdict.Counts() }
func abstains(r *Review) bool { return r != nil && r.Verdict == events.Abstain }

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
