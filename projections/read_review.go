package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"shiplog/events"
)

// reviewColumns are read by [Snapshot.scanReview]. The texts come only where the
// condition holds; a reason always does.
func reviewColumns(texts string) string {
	return `r.reviewer, ` + stamped("r.seq") + `, r.kind, t.slug, v.name, ` + stamped("v.named") + `,
	(SELECT slug FROM categories WHERE id = r.category), r.verdict, r.previous, r.flags, r.revision, ` + stamped("r.replaces") + `,
	r.item, r.item_published, r.written, r.published, r.publisher, s.until,
	CASE WHEN ` + texts + ` THEN r.body ELSE '' END,
	CASE WHEN ` + texts + ` THEN r.more ELSE json_object('reason', r.more ->> 'reason') END`
}

// Conditions of reviewColumns.
const (
	allTexts = "1"
	noTexts  = "0"
)

// reviewTables join what belongs to a row of reviews. ?1 is the position.
const reviewTables = ` CROSS JOIN stances s ON s.tool = r.tool AND s.reviewer = r.reviewer AND s.seq = r.seq
	CROSS JOIN tools t ON t.id = r.tool CROSS JOIN tool_versions v ON v.tool = r.tool AND v.seq <= ?1 AND v.until > ?1`

// reviewRow is a review with the number of its reviewer.
type reviewRow struct {
	Review
	reviewer int64
}

func (s *Snapshot) scanReview(r *row) (reviewRow, error) {
	var v reviewRow
	v.reviewer, v.Event, v.Kind = r.id(), r.stamp(), kindOf(r.int())
	v.Tool, v.Named = Ref{r.text(), r.text()}, r.stamp()
	v.Category, v.Verdict, v.Previous = r.text(), verdictOf(r.int()), verdictOf(r.int())
	flags := r.int()
	v.Counts, v.Inferred = flags&flagCounts != 0, flags&flagInferred != 0
	v.Format = events.FormatText
	if flags&flagMarkdown != 0 {
		v.Format = events.FormatMarkdown
	}
	v.Revision, v.Replaces = r.int(), r.stamp()
	v.Item, v.ItemPublished = r.seq(), r.time()
	v.Written, v.Published, v.Publisher = r.time(), r.time(), r.text()
	if until := r.seq(); until <= s.at {
		v.Until = until
	}
	v.Body = r.text()
	var m more
	if extra := r.text(); extra != "" {
		if err := json.Unmarshal([]byte(extra), &m); err != nil {
			return v, fmt.Errorf("review %d: %w", v.Event.Seq, err)
		}
	}
	v.Condition, v.Pros, v.Cons, v.Evidence, v.Disclosure, v.Reason = m.Condition, m.Pros, m.Cons, m.Evidence, m.Disclosure, m.Reason
	return v, nil
}

// reviewRows reads reviews; from names the table r, and rest goes on behind
// the tables of a review.
func (s *Snapshot) reviewRows(ctx context.Context, texts, from, rest string, args ...any) ([]reviewRow, error) {
	var list []reviewRow
	var bad error
	err := s.list(ctx, `SELECT `+reviewColumns(texts)+` FROM `+from+reviewTables+` `+rest, args, func(r *row) {
		v, err := s.scanReview(r)
		if err != nil {
			bad = err
		}
		list = append(list, v)
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].reviewer
	}
	if err := s.meet(ctx, ids); err != nil {
		return nil, err
	}
	for i := range list {
		v := &list[i]
		v.Reviewer = s.known[v.reviewer].Critic
		v.Shown = v.Event.Later(v.Named).Later(v.Reviewer.Shown)
		v.Named = v.Named.Later(v.Reviewer.Named)
	}
	return list, nil
}

// inPanelOrder sorts reviews by their reviewers.
func (s *Snapshot) inPanelOrder(list []reviewRow) {
	slices.SortStableFunc(list, func(a, b reviewRow) int { return comparePlaces(s.known[a.reviewer], s.known[b.reviewer]) })
}

func plainReviews(rows []reviewRow) []Review {
	list := make([]Review, len(rows))
	for i := range rows {
		list[i] = rows[i].Review
	}
	return list
}

// currentReviews are the current reviews of tools by number, in panel order.
func (s *Snapshot) currentReviews(ctx context.Context, tools []int64) (map[int64][]reviewRow, error) {
	byTool := make(map[int64][]reviewRow, len(tools))
	for _, id := range tools {
		rows, err := s.reviewRows(ctx, allTexts, `stances w CROSS JOIN reviews r ON r.seq = w.seq`,
			`WHERE w.tool = ?2 AND w.seq <= ?1 AND w.until > ?1`, id)
		if err != nil {
			return nil, err
		}
		s.inPanelOrder(rows)
		byTool[id] = rows
	}
	return byTool, nil
}

func (s *Snapshot) reviewsOf(ctx context.Context, tool int64) ([]Review, error) {
	rows, err := s.currentReviews(ctx, []int64{tool})
	if err != nil {
		return nil, err
	}
	return plainReviews(rows[tool]), nil
}

// ToolReviews are the current reviews of a tool, tombstones among them, in
// panel order.
func (s *Snapshot) ToolReviews(ctx context.Context, tool string) ([]Review, error) {
	id, err := s.toolID(ctx, tool)
	if err != nil {
		return nil, err
	}
	list, err := s.reviewsOf(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("reviews of %q: %w", tool, err)
	}
	return list, nil
}

// Revisions are all reviews ever recorded of a tool (tombstones too), newest
// first; by one reviewer unless reviewer is empty. Of each reviewer's only the
// newest perReviewer have their texts (0 means all).
func (s *Snapshot) Revisions(ctx context.Context, tool, reviewer string, perReviewer int) ([]Review, error) {
	id, err := s.toolID(ctx, tool)
	if err != nil {
		return nil, err
	}
	if perReviewer <= 0 {
		perReviewer = math.MaxInt32
	}
	rows, err := s.reviewRows(ctx, "w.nth <= ?4", `(SELECT seq, row_number() OVER (PARTITION BY reviewer ORDER BY seq DESC) AS nth
		FROM stances WHERE tool = ?2 AND seq <= ?1 AND (?3 = '' OR reviewer = (SELECT id FROM reviewers WHERE slug = ?3))) w
		CROSS JOIN reviews r ON r.seq = w.seq`, `ORDER BY r.seq DESC`, id, reviewer, perReviewer)
	if err != nil {
		return nil, fmt.Errorf("revisions of %q: %w", tool, err)
	}
	return plainReviews(rows), nil
}

// Review is the review, revision or tombstone that the event at seq made.
func (s *Snapshot) Review(ctx context.Context, seq uint64) (*Review, error) {
	rows, err := s.reviewRows(ctx, allTexts, `reviews r`, `WHERE r.seq = ?2 AND r.seq <= ?1`, seq)
	if err == nil && len(rows) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("review %d: %w", seq, err)
	}
	return &rows[0].Review, nil
}

// ReviewsBySeq are the reviews, revisions and tombstones that some events made,
// by their sequence. Of events that made none there is none.
func (s *Snapshot) ReviewsBySeq(ctx context.Context, seqs []uint64) (map[uint64]*Review, error) {
	bySeq := make(map[uint64]*Review, len(seqs))
	if len(seqs) == 0 {
		return bySeq, nil
	}
	rows, err := s.reviewRows(ctx, allTexts, `json_each(?2) j CROSS JOIN reviews r ON r.seq = j.value`, `WHERE r.seq <= ?1`, jsonList(seqs))
	if err != nil {
		return nil, fmt.Errorf("%d reviews by sequence: %w", len(seqs), err)
	}
	for i := range rows {
		bySeq[rows[i].Event.Seq] = &rows[i].Review
	}
	return bySeq, nil
}
