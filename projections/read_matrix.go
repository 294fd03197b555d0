package projections

import (
	"context"
	"fmt"
	"slices"

	"shiplog/events"
)

// Compare sets tools side by side, usually 2 to 5. A slug that is unknown fails
// with an error that wraps [ErrNotFound] and names it.
func (s *Snapshot) Compare(ctx context.Context, tools []string) (*Matrix, error) {
	rows := make([]*toolRow, len(tools))
	ids := make([]int64, len(tools))
	for i, slug := range tools {
		t, err := s.toolRow(ctx, slug)
		if err != nil {
			return nil, err
		}
		rows[i], ids[i] = t, t.id
	}
	reviews, err := s.currentReviews(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("compare %q: %w", tools, err)
	}
	m := new(Matrix)
	for _, t := range rows {
		m.Tools = append(m.Tools, t.Tool)
	}
	m.Rows = s.matrixRows(ids, reviews)
	for i := range rows {
		for j := i + 1; j < len(rows); j++ {
			pair, err := s.matrixPair(ctx, m.Rows, rows, i, j)
			if err != nil {
				return nil, fmt.Errorf("compare %q and %q: %w", tools[i], tools[j], err)
			}
			m.Pairs = append(m.Pairs, pair)
		}
	}
	return m, nil
}

func (s *Snapshot) matrixRows(tools []int64, reviews map[int64][]reviewRow) []MatrixRow {
	said := make(map[int64][]*Review)
	var met []critic
	for i, tool := range tools {
		for k := range reviews[tool] {
			r := &reviews[tool][k]
			if said[r.reviewer] == nil {
				said[r.reviewer] = make([]*Review, len(tools))
				met = append(met, s.known[r.reviewer])
			}
			said[r.reviewer][i] = &r.Review
		}
	}
	slices.SortFunc(met, comparePlaces)
	rows := make([]MatrixRow, len(met))
	for i, c := range met {
		rows[i] = MatrixRow{Reviewer: c.Critic, Reviews: said[c.id]}
	}
	return rows
}

// matrixPair compares two columns, as they were first opened if they were.
func (s *Snapshot) matrixPair(ctx context.Context, rows []MatrixRow, tools []*toolRow, i, j int) (Pair, error) {
	opened, err := s.pairOf(ctx, tools[i].id, tools[j].id)
	if err != nil {
		return Pair{}, err
	}
	if opened != nil && opened.left != tools[i].id {
		i, j = j, i
	}
	left, right := tools[i], tools[j]
	p := Pair{Left: left.Ref, Right: right.Ref}
	if opened != nil {
		p.Opened = opened.event
	}
	var shared events.Shared
	for _, row := range rows {
		l, r := counted(row.Reviews[i]), counted(row.Reviews[j])
		shared.Add(l, r)
		switch {
		case !l.Counts() || !r.Counts() || l == r:
		case l == events.Ship:
			p.ToLeft = append(p.ToLeft, row.Reviewer)
		default:
			p.ToRight = append(p.ToRight, row.Reviewer)
		}
	}
	p.Result = compareUnder(shared, left.Verdict.Tally, right.Verdict.Tally, s.quorum())
	return p, nil
}

// counted is the verdict of a review that counts.
func counted(r *Review) events.Verdict {
	if r == nil || !r.Counts {
		return ""
	}
	return r.Verdict
}
