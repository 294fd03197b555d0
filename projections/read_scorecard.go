package projections

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"shiplog/events"
)

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
	moves, err := s.placeMoves(ctx)
	if err = errors.Join(err, s.addWorded(ctx, reviews)); err != nil {
		return nil, fmt.Errorf("scorecards: %w", err)
	}
	cards := make(map[uint64]Scorecard, len(rows))
	for i := range rows {
		cards[rows[i].event.Seq] = s.scorecard(reviews[rows[i].left], reviews[rows[i].right], moves)
	}
	return cards, nil
}

// addWorded finds out since when reviews say what they say. Only a revision that
// keeps the verdict may say what the review before it said.
func (s *Snapshot) addWorded(ctx context.Context, reviews map[int64][]reviewRow) error {
	doubtful, seqs := map[uint64]*Review{}, []uint64(nil)
	for _, rows := range reviews {
		for i := range rows {
			r := &rows[i].Review
			r.Worded, r.Said = r.Event, r.Event
			if r.Verdict != "" && r.Previous == r.Verdict {
				doubtful[r.Event.Seq] = r
				seqs = append(seqs, r.Event.Seq)
			}
		}
	}
	if len(seqs) == 0 {
		return nil
	}
	said := `b.verdict <> r.verdict OR b.body <> r.body`
	worded := said + fmt.Sprintf(` OR (b.flags & %[1]d) <> (r.flags & %[1]d)`, flagMarkdown)
	return s.list(ctx, `SELECT now, `+stamped("w.worded")+`, `+stamped("w.said")+` FROM (
		SELECT r.seq AS now, `+sinceDiffers(worded)+` AS worded, `+sinceDiffers(said)+` AS said
		FROM json_each(?2) j CROSS JOIN reviews r ON r.seq = j.value WHERE r.seq <= ?1) w`, []any{jsonList(seqs)}, func(row *row) {
		r := doubtful[row.seq()]
		r.Worded, r.Said = row.stamp(), row.stamp()
	})
}

// sinceDiffers is SQL for the first review after the last one b from which the review
// r of the same tool and reviewer differs.
func sinceDiffers(differs string) string {
	return `(SELECT min(seq) FROM stances WHERE tool = r.tool AND reviewer = r.reviewer AND seq > coalesce((
		SELECT b.seq FROM stances c CROSS JOIN reviews b ON b.seq = c.seq
		WHERE c.tool = r.tool AND c.reviewer = r.reviewer AND c.seq < r.seq AND (` + differs + `)
		ORDER BY c.seq DESC LIMIT 1), 0))`
}

// A placeMove is a reviewer's move from a place in the panel.
type placeMove struct {
	event    Stamp
	reviewer int64
	from     int64
}

// placeMoves are those of the reviewers met so far, newest first.
func (s *Snapshot) placeMoves(ctx context.Context) (list []placeMove, err error) {
	err = s.list(ctx, `SELECT `+stamped("m.seq")+`, m.reviewer, m.was FROM (
			SELECT seq, reviewer, coalesce(place, -1) AS place, lag(coalesce(place, -1)) OVER (PARTITION BY reviewer ORDER BY seq) AS was
			FROM reviewer_versions WHERE reviewer IN (SELECT value FROM json_each(?2)) AND seq <= ?1) m
		WHERE m.was <> m.place ORDER BY m.seq DESC`, []any{jsonList(slices.Collect(maps.Keys(s.known)))}, func(r *row) {
		list = append(list, placeMove{r.stamp(), r.id(), r.id()})
	})
	return list, err
}

// ordered is the last of the moves that changed the order of some rows of a panel,
// which is in order.
func ordered(moves []placeMove, panel []*sides, rows []Row) Stamp {
	if len(moves) == 0 {
		return Stamp{}
	}
	var then []critic
	for _, both := range panel {
		if slices.ContainsFunc(rows, func(r Row) bool { return r.Reviewer.Slug == both.Slug }) {
			then = append(then, both.critic)
		}
	}
	for _, m := range moves {
		i := slices.IndexFunc(then, func(c critic) bool { return c.id == m.reviewer })
		if i < 0 {
			continue
		}
		if then[i].place = m.from; !slices.IsSortedFunc(then, comparePlaces) {
			return m.event
		}
	}
	return Stamp{}
}

// sides places the reviews of one reviewer.
type sides struct {
	critic
	left, right *Review
}

// scorecard joins the reviews of tools by reviewer, in panel order.
func (s *Snapshot) scorecard(left, right []reviewRow, moves []placeMove) Scorecard {
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
	for _, section := range [][]Row{card.Common, card.One, onlyRight, card.Abstained} {
		card.Ordered = card.Ordered.Later(ordered(moves, list, section))
	}
	card.One = append(card.One, onlyRight...)
	return card
}

func judges(r *Review) bool   { return r != nil && r.Verdict.Counts() }
func abstains(r *Review) bool { return r != nil && r.Verdict == events.Abstain }
