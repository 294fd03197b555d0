package projections

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// The window of a feed: its newest items, and all within a time of the newest,
// but never more than most.
const (
	feedNewest = 50
	feedWithin = 14 * 24 * time.Hour
	feedMost   = 200
)

// FeedFilter narrows a feed; at most one of the three is set. The category is
// the one of the time of the item. What is not known fails with [ErrNotFound].
type FeedFilter struct {
	Tool     string
	Reviewer string // reviews, and verdicts that a reviewer's event changed
	Category string
}

// narrow is the condition of a filter on a table and its argument ?2, nil for
// none.
func (s *Snapshot) narrow(ctx context.Context, f FeedFilter) (where string, arg any, err error) {
	switch {
	case f.Tool != "":
		arg, err = s.toolID(ctx, f.Tool)
		return "tool", arg, err
	case f.Reviewer != "":
		v, err := s.reviewerRow(ctx, f.Reviewer)
		if err != nil {
			return "", nil, err
		}
		return "reviewer", v.id, nil
	case f.Category != "":
		id, err := s.categoryID(ctx, f.Category)
		return "category", id, err
	}
	return "", nil, nil
}

// categoryID is the number of a category that a tool is or was in.
func (s *Snapshot) categoryID(ctx context.Context, slug string) (id int64, err error) {
	err = s.list(ctx, `SELECT id FROM categories g WHERE slug = ?2
		AND EXISTS (SELECT 1 FROM tool_versions WHERE category = g.id AND seq <= ?1)`, []any{slug}, func(r *row) { id = r.id() })
	if err == nil && id == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return 0, fmt.Errorf("category %q: %w", slug, err)
	}
	return id, nil
}

// dated is an item before its content is read.
type dated struct {
	key       int64 // of its row
	seq       uint64
	published int64
}

// window reads the newest items and cuts them to the window.
func (s *Snapshot) window(ctx context.Context, query string, args ...any) ([]dated, error) {
	var list []dated
	err := s.list(ctx, query+fmt.Sprint(` LIMIT `, feedMost), args, func(r *row) {
		list = append(list, dated{r.id(), r.seq(), r.id()})
	})
	return cut(list), err
}

// cut sorts items, newest first, and keeps those within the window.
func cut(list []dated) []dated {
	slices.SortFunc(list, func(a, b dated) int {
		return cmp.Or(cmp.Compare(b.published, a.published), cmp.Compare(b.seq, a.seq))
	})
	for i, item := range list {
		old := item.published < list[0].published-feedWithin.Milliseconds()
		if i >= feedMost || i >= feedNewest && old {
			return list[:i]
		}
	}
	return list
}

func keys(list []dated) []int64 {
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].key
	}
	return ids
}

// FeedReviews are the items of a review feed: the newest 50, plus all within 14
// days of the newest, at most 200; by published, then sequence, descending.
func (s *Snapshot) FeedReviews(ctx context.Context, f FeedFilter) ([]ReviewItem, error) {
	by, arg, err := s.narrow(ctx, f)
	if err != nil {
		return nil, err
	}
	query := `SELECT seq, seq, published FROM reviews INDEXED BY reviews_items WHERE item = seq AND seq <= ?1`
	args := []any{arg}
	switch by {
	case "tool", "reviewer":
		query = `SELECT seq, seq, published FROM stances WHERE ` + by + ` = ?2 AND item = seq AND seq <= ?1`
	case "category":
		query = `SELECT seq, seq, published FROM reviews INDEXED BY reviews_category
			WHERE item = seq AND category > 0 AND category = ?2 AND seq <= ?1`
	default:
		args = nil
	}
	list, err := s.window(ctx, query+` ORDER BY published DESC, seq DESC`, args...)
	if err != nil {
		return nil, fmt.Errorf("feed of reviews: %w", err)
	}
	items, err := s.reviewItems(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("feed of reviews: %w", err)
	}
	return items, nil
}

// reviewItems reads what each item shows now: the last revision it stands for.
func (s *Snapshot) reviewItems(ctx context.Context, list []dated) ([]ReviewItem, error) {
	rows, err := s.reviewRows(ctx, allTexts, `json_each(?2) j CROSS JOIN reviews o ON o.seq = j.value
		CROSS JOIN reviews r ON r.seq = (SELECT max(seq) FROM stances
			WHERE tool = o.tool AND reviewer = o.reviewer AND item = o.seq AND seq <= ?1)`, ``, jsonList(keys(list)))
	if err != nil {
		return nil, err
	}
	byItem := make(map[uint64]*reviewRow, len(rows))
	for i := range rows {
		byItem[rows[i].Item] = &rows[i]
	}
	items := make([]ReviewItem, len(list))
	for i, item := range list {
		r := byItem[item.seq].Review
		items[i] = ReviewItem{Seq: item.seq, Published: timeOf(item.published), Updated: r.Changed().Time, Review: r}
	}
	return items, nil
}

// FeedVerdicts are the items of a verdict feed, in the same window and order.
// The label changes of a rules event are one item in the feed of all tools,
// items of their own in the feed of a tool, and none elsewhere.
func (s *Snapshot) FeedVerdicts(ctx context.Context, f FeedFilter) ([]VerdictItem, error) {
	by, arg, err := s.narrow(ctx, f)
	if err != nil {
		return nil, err
	}
	query := `SELECT id, seq, published FROM changes INDEXED BY changes_items WHERE rules = 0 AND seq <= ?1`
	args := []any{arg}
	switch by {
	case "tool":
		query = `SELECT id, seq, published FROM changes WHERE tool = ?2 AND seq <= ?1`
	case "reviewer":
		query = `SELECT c.id, c.seq, c.published FROM stances s CROSS JOIN changes c ON c.seq = s.seq
			WHERE s.reviewer = ?2 AND s.seq <= ?1`
	case "category":
		query = `SELECT id, seq, published FROM changes INDEXED BY changes_category
			WHERE rules = 0 AND category > 0 AND category = ?2 AND seq <= ?1`
	default:
		args = nil
	}
	list, err := s.window(ctx, query+` ORDER BY 3 DESC, 2 DESC`, args...)
	if err == nil && by == "" {
		for _, r := range s.rules {
			if r.Changed > 0 {
				list = append(list, dated{0, r.Event.Seq, r.Published.UnixMilli()})
			}
		}
		list = cut(list)
	}
	var items []VerdictItem
	if err == nil {
		items, err = s.verdictItems(ctx, list)
	}
	if err != nil {
		return nil, fmt.Errorf("feed of verdicts: %w", err)
	}
	return items, nil
}

// verdictItems reads the changes; an item without a key is a rules event.
func (s *Snapshot) verdictItems(ctx context.Context, list []dated) ([]VerdictItem, error) {
	changes, err := s.changes(ctx, `json_each(?2) j CROSS JOIN changes c ON c.id = j.value`, ``, jsonList(keys(list)))
	if err != nil {
		return nil, err
	}
	bySeq := make(map[uint64]*VerdictChange, len(changes))
	for i := range changes {
		bySeq[changes[i].Event.Seq] = &changes[i]
	}
	items := make([]VerdictItem, len(list))
	for i, item := range list {
		items[i] = VerdictItem{Seq: item.seq, Published: timeOf(item.published), Change: bySeq[item.seq]}
		if item.key != 0 {
			items[i].Updated = items[i].Change.Changed().Time
			continue
		}
		for _, r := range s.rules {
			if r.Event.Seq == item.seq {
				items[i].Rules, items[i].Updated = &r, r.Event.Time
			}
		}
	}
	return items, nil
}

// FeedMatchups are the items of a matchup feed, in the same window and order.
func (s *Snapshot) FeedMatchups(ctx context.Context, f FeedFilter) ([]MatchupItem, error) {
	by, arg, err := s.narrow(ctx, f)
	if err != nil {
		return nil, err
	}
	query := `SELECT seq, seq, published FROM matchups INDEXED BY matchups_items WHERE seq <= ?1`
	args := []any{arg}
	switch by {
	case "tool":
		query = `SELECT seq, seq, published FROM matchups WHERE (left_tool = ?2 OR right_tool = ?2) AND seq <= ?1`
	case "reviewer":
		return nil, nil // a reviewer opens none
	case "category":
		query = `SELECT seq, seq, published FROM matchups INDEXED BY matchups_category WHERE category > 0 AND category = ?2 AND seq <= ?1`
	default:
		args = nil
	}
	list, err := s.window(ctx, query+` ORDER BY published DESC, seq DESC`, args...)
	if err != nil {
		return nil, fmt.Errorf("feed of matchups: %w", err)
	}
	items, err := s.matchupItems(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("feed of matchups: %w", err)
	}
	return items, nil
}

func (s *Snapshot) matchupItems(ctx context.Context, list []dated) ([]MatchupItem, error) {
	rows, err := s.matchupRows(ctx, `FROM json_each(?2) j CROSS JOIN matchups m ON m.seq = j.value WHERE m.seq <= ?1`, jsonList(keys(list)))
	if err != nil {
		return nil, err
	}
	matchups, err := s.matchups(ctx, rows)
	if err != nil {
		return nil, err
	}
	bySeq := make(map[uint64]Matchup, len(matchups))
	for _, m := range matchups {
		bySeq[m.Event.Seq] = m
	}
	items := make([]MatchupItem, len(list))
	for i, item := range list {
		m := bySeq[item.seq]
		items[i] = MatchupItem{Seq: item.seq, Published: timeOf(item.published), Updated: m.Changed.Time, Matchup: m}
	}
	return items, nil
}
