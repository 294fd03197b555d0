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

// FeedWindow names the items that a feed shows at the snapshot: its newest 50, plus
// all within 14 days of the newest, at most 200, of all kinds together; by
// published, then sequence, descending. The label changes of a rules event are one
// item in the feed of all tools, items of their own in the feed of a tool, and
// none elsewhere.
func (s *Snapshot) FeedWindow(ctx context.Context, f HistoryFilter) (refs []ItemRef, err error) {
	parts, arg, err := s.historyTables(ctx, f, false)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		newest, err := s.refs(ctx, fmt.Sprint(part, ` ORDER BY 4 DESC, 1 DESC LIMIT `, feedMost), arg, 0)
		if err != nil {
			return nil, fmt.Errorf("window of a feed: %w", err)
		}
		refs = append(refs, newest...)
	}
	return cut(refs), nil
}

// cut sorts items, newest first, and keeps those within the window. Of one event
// a review is in front of the change it made, as in every feed.
func cut(list []ItemRef) []ItemRef {
	slices.SortFunc(list, func(a, b ItemRef) int {
		return cmp.Or(cmp.Compare(b.published, a.published), cmp.Compare(b.Seq, a.Seq), cmp.Compare(b.Kind, a.Kind))
	})
	for i, item := range list {
		old := item.published < list[0].published-feedWithin.Milliseconds()
		if i >= feedMost || i >= feedNewest && old {
			return list[:i]
		}
	}
	return list
}

func keys(list []ItemRef) []int64 {
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].key
	}
	return ids
}

// reviewItems reads what each item shows now: the last revision it stands for.
func (s *Snapshot) reviewItems(ctx context.Context, list []ItemRef) ([]ReviewItem, error) {
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
		r := byItem[item.Seq].Review
		items[i] = ReviewItem{Seq: item.Seq, Published: timeOf(item.published), Updated: r.Shown.Time, Review: r}
	}
	return items, nil
}

// verdictItems reads the changes; an item without a key is a rules event.
func (s *Snapshot) verdictItems(ctx context.Context, list []ItemRef) ([]VerdictItem, error) {
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
		items[i] = VerdictItem{Seq: item.Seq, Published: timeOf(item.published), Change: bySeq[item.Seq]}
		if item.key != 0 {
			items[i].Updated = items[i].Change.Shown.Time
			continue
		}
		for _, r := range s.rules {
			if r.Event.Seq == item.Seq {
				items[i].Rules, items[i].Updated = &r, r.Event.Time
			}
		}
	}
	return items, nil
}

func (s *Snapshot) matchupItems(ctx context.Context, list []ItemRef) ([]MatchupItem, error) {
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
	filed, err := s.filed(ctx, keys(list))
	if err != nil {
		return nil, err
	}
	items := make([]MatchupItem, len(list))
	for i, item := range list {
		m := bySeq[item.Seq]
		m.Shown = m.Shown.Later(filed[item.Seq])
		items[i] = MatchupItem{Seq: item.Seq, Published: timeOf(item.published), Updated: m.Shown.Time, Matchup: m}
	}
	return items, nil
}

// filed are the last events that gave or took matchups the category that both
// tools are in. Of those that never had one there is none.
func (s *Snapshot) filed(ctx context.Context, seqs []int64) (map[uint64]Stamp, error) {
	last := make(map[uint64]Stamp, len(seqs))
	err := s.list(ctx, `SELECT f.matchup, `+stamped("f.seq")+` FROM (
			SELECT g.matchup, max(g.seq, iif(g.until <= ?1, g.until, 0)) AS seq FROM json_each(?2) j CROSS JOIN matchups m ON m.seq = j.value
			CROSS JOIN shared_categories g ON g.matchup = m.seq AND g.seq <= ?1
				AND g.category IN (SELECT category FROM tool_versions WHERE tool = m.left_tool AND seq <= ?1)) f`,
		[]any{jsonList(seqs)}, func(r *row) {
			matchup := r.seq()
			last[matchup] = last[matchup].Later(r.stamp())
		})
	return last, err
}
