package projections

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"shiplog/events"
)

// critic is a reviewer with what sorts the panel.
type critic struct {
	Critic
	id    int64
	place int64 // -1 for none
}

// comparePlaces is the panel order: by order, those without one last, then by
// first seating.
func comparePlaces(a, b critic) int {
	if (a.place < 0) != (b.place < 0) {
		return cmp.Compare(b.place, a.place)
	}
	return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.id, b.id))
}

const panelOrder = ` ORDER BY v.place IS NULL, v.place, p.id`

// meet reads the reviewers of these numbers that are not known yet; 0 is none.
func (s *Snapshot) meet(ctx context.Context, ids []int64) error {
	var unknown []int64
	for _, id := range ids {
		if _, ok := s.known[id]; !ok && id != 0 {
			s.known[id] = critic{}
			unknown = append(unknown, id)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return s.list(ctx, `SELECT p.id, p.slug, v.name, v.kind, v.former, `+stamped("v.named")+`, `+stamped("v.kinded")+`, coalesce(v.place, -1)
		FROM json_each(?2) j CROSS JOIN reviewers p ON p.id = j.value
		CROSS JOIN reviewer_versions v ON v.reviewer = p.id AND v.seq <= ?1 AND v.until > ?1`, []any{jsonList(unknown)}, func(r *row) {
		c := critic{id: r.id()}
		c.Ref, c.Kind, c.Former, c.Shown = Ref{r.text(), r.text()}, r.text(), r.bool(), r.stamp()
		c.Named, c.place = c.Shown.Later(r.stamp()), r.id()
		s.known[c.id] = c
	})
}

var reviewerColumns = `p.id, p.slug, p.publisher, ` + stamped("p.seq") + `, v.name, v.kind, v.motto, v.lens,
	` + stamped("v.seq") + `, ` + stamped("v.named") + `, ` + stamped("v.former") + `, v.former_reason, v.former_by,
	c.ships, c.skips, c.abstains, c.lone, c.flips, c.revisions, c.withdrawn, ` + stamped("c.seq")

const reviewerTables = ` FROM reviewers p CROSS JOIN reviewer_versions v ON v.reviewer = p.id AND v.seq <= ?1 AND v.until > ?1
	LEFT JOIN scores c ON c.reviewer = p.id AND c.seq = (SELECT max(seq) FROM scores WHERE reviewer = p.id AND seq <= ?1) `

type reviewerRow struct {
	ReviewerDetail
	id int64
}

func scanReviewer(r *row) reviewerRow {
	var v reviewerRow
	v.id, v.Slug, v.Publisher, v.Seated = r.id(), r.text(), r.text(), r.stamp()
	v.Name, v.Kind, v.Motto, v.Lens, v.Facts, v.Named = r.text(), r.text(), r.text(), r.text(), r.stamp(), r.stamp()
	former := Removal{Event: r.stamp(), Reason: r.text(), Publisher: r.text()}
	if former.Event.Seq != 0 {
		v.Former = &former
	}
	v.Tally, v.Abstains, v.LoneDissents = events.Tally{Ships: r.int(), Skips: r.int()}, r.int(), r.int()
	v.Flips, v.Revisions, v.Withdrawn, v.Judged = r.int(), r.int(), r.int(), r.stamp()
	return v
}

func (s *Snapshot) reviewers(ctx context.Context, rest string, args ...any) ([]reviewerRow, error) {
	var list []reviewerRow
	err := s.list(ctx, `SELECT `+reviewerColumns+reviewerTables+rest, args, func(r *row) { list = append(list, scanReviewer(r)) })
	return list, err
}

// Reviewers are all reviewers in panel order, former ones too.
func (s *Snapshot) Reviewers(ctx context.Context) ([]Reviewer, error) {
	rows, err := s.reviewers(ctx, panelOrder)
	if err != nil {
		return nil, fmt.Errorf("list reviewers: %w", err)
	}
	list := make([]Reviewer, len(rows))
	for i := range rows {
		list[i] = rows[i].Reviewer
	}
	return list, nil
}

func (s *Snapshot) reviewerRow(ctx context.Context, slug string) (*reviewerRow, error) {
	rows, err := s.reviewers(ctx, `WHERE p.slug = ?2`, slug)
	if err == nil && len(rows) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("reviewer %q: %w", slug, err)
	}
	return &rows[0], nil
}

// Reviewer is a reviewer by slug.
func (s *Snapshot) Reviewer(ctx context.Context, slug string) (*Reviewer, error) {
	v, err := s.reviewerRow(ctx, slug)
	if err != nil {
		return nil, err
	}
	return &v.Reviewer, nil
}

// stripLength is how many verdicts the strip of a reviewer shows.
const stripLength = 60

// ReviewerDetail is a reviewer with what only the own page shows.
func (s *Snapshot) ReviewerDetail(ctx context.Context, slug string) (*ReviewerDetail, error) {
	v, err := s.reviewerRow(ctx, slug)
	if err != nil {
		return nil, err
	}
	err = s.list(ctx, `SELECT verdict FROM stances s WHERE reviewer = ?2 AND `+s.holds("s")+` AND verdict > 0 AND `+s.notMerged("s.tool")+`
		ORDER BY seq DESC LIMIT ?3`, []any{v.id, stripLength}, func(r *row) {
		v.Strip = append(v.Strip, verdictOf(r.int()))
	})
	if err != nil {
		return nil, fmt.Errorf("verdicts of %q: %w", slug, err)
	}
	slices.Reverse(v.Strip)
	if err := s.agreement(ctx, v); err != nil {
		return nil, fmt.Errorf("agreement of %q: %w", slug, err)
	}
	return &v.ReviewerDetail, nil
}

// agreement counts, for every other reviewer, the tools both judged.
func (s *Snapshot) agreement(ctx context.Context, v *reviewerRow) error {
	pairs := ""
	// One number for each pair of reviews, to be counted here: SQLite would sort
	// them first, which takes as long as finding them.
	err := s.list(ctx, `SELECT group_concat(b.reviewer * 2 + (a.verdict = b.verdict)) FROM stances a CROSS JOIN stances b ON b.tool = a.tool
		WHERE a.reviewer = ?2 AND `+s.holds("a")+` AND a.counts AND `+s.holds("b")+` AND b.counts AND `+s.notMerged("a.tool"),
		[]any{v.id}, func(r *row) { pairs = r.text() })
	if err != nil {
		return err
	}
	counts := make(map[int64]*Agreement)
	var ids []int64
	for pair := range strings.SplitSeq(pairs, ",") {
		n, err := strconv.ParseInt(pair, 10, 64)
		if err != nil || n/2 == v.id {
			continue // nobody else, or the reviewer beside himself
		}
		c := counts[n/2]
		if c == nil {
			c = new(Agreement)
			counts[n/2], ids = c, append(ids, n/2)
		}
		c.Of++
		c.Same += int(n % 2)
	}
	if err := s.meet(ctx, ids); err != nil {
		return err
	}
	slices.SortFunc(ids, func(a, b int64) int { return comparePlaces(s.known[a], s.known[b]) })
	for _, id := range ids {
		counts[id].With = s.known[id].Critic
		v.Agreement = append(v.Agreement, *counts[id])
	}
	return nil
}

// notMerged is SQL for a column with the number of a tool that is no duplicate.
func (s *Snapshot) notMerged(column string) string {
	return column + ` NOT IN (SELECT tool FROM tool_versions d WHERE d.into_tool > 0 AND ` + s.holds("d") + `)`
}

// ReviewerFilter chooses from a reviewer's current reviews. They come newest
// first.
type ReviewerFilter struct {
	Before uint64
	Offset int
	Limit  int // 0 means 50
}

// ReviewerReviews lists a reviewer's current reviews and tombstones; total
// counts all of them. Those of duplicates are among them.
func (s *Snapshot) ReviewerReviews(ctx context.Context, slug string, f ReviewerFilter) (list []ReviewerReview, total int, err error) {
	v, err := s.reviewerRow(ctx, slug)
	if err != nil {
		return nil, 0, err
	}
	err = s.list(ctx, `SELECT count(*) FROM stances WHERE reviewer = ?2 AND seq <= ?1 AND until > ?1`, []any{v.id}, func(r *row) { total = r.int() })
	if err != nil {
		return nil, 0, fmt.Errorf("count reviews by %q: %w", slug, err)
	}
	if f.Before == 0 {
		f.Before = s.at + 1
	}
	rows, err := s.reviewRows(ctx, noTexts, `(SELECT seq FROM stances WHERE reviewer = ?2 AND seq <= ?1 AND until > ?1
		AND seq < ?3 ORDER BY seq DESC LIMIT ?4 OFFSET ?5) w CROSS JOIN reviews r ON r.seq = w.seq`,
		`ORDER BY r.seq DESC`, v.id, f.Before, limit(f.Limit), f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list reviews by %q: %w", slug, err)
	}
	list, err = s.beside(ctx, v.id, rows)
	if err != nil {
		return nil, 0, fmt.Errorf("list reviews by %q: %w", slug, err)
	}
	return list, total, nil
}

// beside adds what the panel says to a reviewer's reviews.
func (s *Snapshot) beside(ctx context.Context, reviewer int64, rows []reviewRow) ([]ReviewerReview, error) {
	seqs := make([]uint64, len(rows))
	for i := range rows {
		seqs[i] = rows[i].Event.Seq
	}
	tools, err := s.tools(ctx, `json_each(?2) j CROSS JOIN reviews r ON r.seq = j.value CROSS JOIN tools t ON t.id = r.tool`, ``, jsonList(seqs))
	if err != nil {
		return nil, err
	}
	bySlug := make(map[string]*toolRow, len(tools))
	for i := range tools {
		bySlug[tools[i].Slug] = &tools[i]
	}
	list := make([]ReviewerReview, len(rows))
	for i := range rows {
		t := bySlug[rows[i].Tool.Slug]
		list[i] = ReviewerReview{Review: rows[i].Review, Panel: t.Verdict, LoneDissent: t.lone == reviewer, Merged: t.Merged != nil, Judged: t.Judged}
	}
	return list, nil
}
