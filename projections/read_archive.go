package projections

import (
	"context"
	"fmt"
	"strings"
)

// ItemKind says what an item of a feed tells of.
type ItemKind int

// The kinds of items, in the order of those of one event.
const (
	ItemMatchup ItemKind = iota + 1
	ItemVerdict
	ItemReview
)

// HistoryFilter names the items a feed has ever had, of which it shows those
// that [Snapshot.FeedWindow] finds.
type HistoryFilter struct {
	FeedFilter
	Kinds []ItemKind
}

// An ItemRef names one item of a feed. The zero value names none.
type ItemRef struct {
	Kind      ItemKind
	Seq       uint64
	key       int64
	published int64
}

// History is a part of the items of a feed in the order in which they appeared:
// by sequence, then kind. Since the ledger only grows, an item's number in that
// order never changes, nor does what is in front of it. It skips as many items
// as skip says and returns at most limit.
func (s *Snapshot) History(ctx context.Context, f HistoryFilter, skip, limit int) ([]ItemRef, error) {
	return s.pastItems(ctx, f, part{limit: limit, skip: skip})
}

// LatestHistory is the newest items of the same order, newest first.
func (s *Snapshot) LatestHistory(ctx context.Context, f HistoryFilter, limit int) ([]ItemRef, error) {
	// Most feeds have that many among the last events, which saves to sort all.
	if s.at > lastEvents {
		list, err := s.pastItems(ctx, f, part{latest: true, few: true, after: s.at - lastEvents, limit: limit})
		if err != nil || len(list) == limit {
			return list, err
		}
	}
	return s.pastItems(ctx, f, part{latest: true, few: f.Category == "", limit: limit})
}

// lastEvents is how many events are looked at first for the newest items.
const lastEvents = 5000

// A part says which of a feed's items are wanted. Few says that an order by
// sequence is at hand or that after leaves few.
type part struct {
	latest, few bool
	after       uint64
	skip, limit int
}

func (s *Snapshot) pastItems(ctx context.Context, f HistoryFilter, p part) ([]ItemRef, error) {
	parts, arg, err := s.historyTables(ctx, f, p.few)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	order := `ORDER BY 1, 2, 3`
	if p.latest {
		order = `ORDER BY 1 DESC, 2 DESC, 3 DESC`
	}
	list, err := s.refs(ctx, strings.Join(parts, unionAll)+` `+order+` LIMIT ?4 OFFSET ?5`, arg, p.after, p.limit, p.skip)
	if err != nil {
		return nil, fmt.Errorf("history of a feed: %w", err)
	}
	return list, nil
}

// refs reads sequence, kind, key and time of items.
func (s *Snapshot) refs(ctx context.Context, query string, args ...any) (list []ItemRef, err error) {
	err = s.list(ctx, query, args, func(r *row) {
		list = append(list, ItemRef{Seq: r.seq(), Kind: ItemKind(r.int()), key: r.id(), published: r.id()})
	})
	return list, err
}

const unionAll = ` UNION ALL `

// CountHistory counts the items whose event is after a sequence; 0 counts all.
func (s *Snapshot) CountHistory(ctx context.Context, f HistoryFilter, after uint64) (n int, err error) {
	parts, arg, err := s.historyTables(ctx, f, after > 0)
	if err != nil || len(parts) == 0 {
		return 0, err
	}
	err = s.list(ctx, `SELECT count(*) FROM (`+strings.Join(parts, unionAll)+`)`, []any{arg, after}, func(r *row) { n = r.int() })
	if err != nil {
		return 0, fmt.Errorf("count the history of a feed: %w", err)
	}
	return n, nil
}

// historyTables are queries for sequence, kind, key and time of the items after
// ?3; few is that of a [part].
func (s *Snapshot) historyTables(ctx context.Context, f HistoryFilter, few bool) (parts []string, arg any, err error) {
	by, arg, err := s.narrow(ctx, f.FeedFilter)
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range f.Kinds {
		switch kind {
		case ItemMatchup:
			parts = append(parts, matchupHistory(by, few)...)
		case ItemVerdict:
			parts = append(parts, verdictHistory(by, few)...)
		case ItemReview:
			parts = append(parts, reviewHistory(by, few))
		}
	}
	return parts, arg, nil
}

const historyRange = ` AND seq <= ?1 AND seq > ?3`

// through names the way to the rows: by sequence where few are wanted, which is
// the key of all tables but the one of changes.
func through(index string, few bool) string {
	switch {
	case !few:
		return `INDEXED BY ` + index
	case strings.HasPrefix(index, "changes_"):
		return `INDEXED BY changes_seq`
	}
	return `NOT INDEXED`
}

func matchupHistory(by string, few bool) []string {
	from := `SELECT seq, 1, seq, published FROM matchups `
	switch by {
	case "tool":
		from += `WHERE (left_tool = ?2 OR right_tool = ?2)`
	case "category":
		from += through("matchups_category", few) + ` WHERE category > 0 AND category = ?2`
	case "reviewer":
		return nil // a reviewer opens none
	default:
		from += through("matchups_items", few) + ` WHERE seq > 0`
	}
	return []string{from + historyRange}
}

func verdictHistory(by string, few bool) []string {
	from := `SELECT seq, 2, id, published FROM changes `
	switch by {
	case "tool":
		return []string{from + `WHERE tool = ?2` + historyRange}
	case "category":
		return []string{from + through("changes_category", few) + ` WHERE rules = 0 AND category > 0 AND category = ?2` + historyRange}
	case "reviewer":
		return []string{`SELECT c.seq, 2, c.id, c.published FROM stances s CROSS JOIN changes c ON c.seq = s.seq
			WHERE s.reviewer = ?2 AND s.seq <= ?1 AND s.seq > ?3`}
	}
	// The changes of a rules event are one item, which has no key.
	return []string{
		from + through("changes_items", few) + ` WHERE rules = 0` + historyRange,
		`SELECT u.seq, 2, 0, l.published FROM rules u CROSS JOIN log l ON l.seq = u.seq
			WHERE u.changed > 0 AND u.seq <= ?1 AND u.seq > ?3`,
	}
}

// reviewHistory keeps away from the rows of all reviews, which hold their
// texts, where many are wanted: the index has what is asked.
func reviewHistory(by string, few bool) string {
	from := `SELECT seq, 3, seq, published FROM `
	switch by {
	case "tool", "reviewer":
		from += `stances WHERE ` + by + ` = ?2 AND item = seq`
	case "category":
		from += `reviews ` + through("reviews_category", few) + ` WHERE item = seq AND category > 0 AND category = ?2`
	default:
		from += `reviews ` + through("reviews_items", few) + ` WHERE item = seq`
	}
	return from + historyRange
}

// Items are items of a feed as they show at a snapshot.
type Items struct {
	Matchups []MatchupItem
	Verdicts []VerdictItem
	Reviews  []ReviewItem
}

// Items are the items that are named, those of each kind in that order.
func (s *Snapshot) Items(ctx context.Context, refs []ItemRef) (items Items, err error) {
	lists := map[ItemKind][]ItemRef{}
	for _, ref := range refs {
		lists[ref.Kind] = append(lists[ref.Kind], ref)
	}
	if items.Matchups, err = s.matchupItems(ctx, lists[ItemMatchup]); err != nil {
		return Items{}, fmt.Errorf("matchups of a feed: %w", err)
	}
	if items.Verdicts, err = s.verdictItems(ctx, lists[ItemVerdict]); err != nil {
		return Items{}, fmt.Errorf("verdict changes of a feed: %w", err)
	}
	if items.Reviews, err = s.reviewItems(ctx, lists[ItemReview]); err != nil {
		return Items{}, fmt.Errorf("reviews of a feed: %w", err)
	}
	return items, nil
}
