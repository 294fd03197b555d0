package feeds

import (
	"context"
	"errors"
	"fmt"

	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
)

// blockItems is how many items a finished document of the archive holds.
//
// The items of a feed are numbered in the order in which they appeared. The
// document of a number holds the items of its block of 100 up to the one of
// that number, as they showed when that one appeared: neither what comes later
// nor what is changed later is in it, so the document never changes. Most are
// the last of their block. Those within it cover what a feed does not show any
// more while its newest block is not full.
const blockItems = 100

// errUnfinished says that the block a document would end is not full.
var errUnfinished = errors.New("the block is not full yet")

// A place is what an item is numbered by.
type place struct {
	kind projections.ItemKind
	seq  uint64
}

// history names all items a feed has had.
func (k Key) history() projections.HistoryFilter {
	all := []projections.ItemKind{projections.ItemMatchup, projections.ItemVerdict, projections.ItemReview}
	switch k.Kind {
	case Matchups:
		return projections.HistoryFilter{Kinds: all[:1]}
	case Verdicts:
		return projections.HistoryFilter{Kinds: all[1:2]}
	case Reviews:
		return projections.HistoryFilter{Kinds: all[2:]}
	case Tool:
		return projections.HistoryFilter{FeedFilter: projections.FeedFilter{Tool: k.Slug}, Kinds: all}
	case Reviewer:
		return projections.HistoryFilter{FeedFilter: projections.FeedFilter{Reviewer: k.Slug}, Kinds: all[2:]}
	}
	return projections.HistoryFilter{FeedFilter: projections.FeedFilter{Category: k.Slug}, Kinds: all}
}

// older is the number of the document that a feed leads on to: every item that
// the feed does not show is in it or in those before it. It is 0 where the feed
// shows everything. Round numbers are preferred, since they last.
func (b *builder) older(ctx context.Context, shown []Item) (int, error) {
	filter := b.key.history()
	fresh, err := b.snapshot.CountHistory(ctx, filter, b.counted.built)
	if err != nil {
		return 0, err
	}
	b.total = b.counted.total + fresh
	if b.total <= len(shown) {
		return 0, nil
	}
	latest, err := b.snapshot.LatestHistory(ctx, filter, len(shown)+1)
	if err != nil {
		return 0, err
	}
	there := make(map[place]bool, len(shown))
	for i := range shown {
		there[b.placed[shown[i].ID]] = true
	}
	least := b.total
	for _, ref := range latest {
		if !there[place{ref.Kind, ref.Seq}] {
			break
		}
		least--
	}
	for _, step := range []int{blockItems, blockItems / 10} {
		if n := b.total / step * step; n >= least {
			return n, nil
		}
	}
	return b.total, nil
}

// buildArchive builds a document of the archive. s is of now, and closed before
// another snapshot is opened: builds that each held one and wanted a second
// could wait for each other.
func (h *Handler) buildArchive(ctx context.Context, s *projections.Snapshot, key Key) (e *entry, err error) {
	if key.Kind == Tool {
		t, err := s.Tool(ctx, key.Slug)
		if err != nil {
			return nil, err
		}
		if t.Slug != key.Slug {
			return nil, movedError{to: t.Slug}
		}
	}
	last, err := s.History(ctx, key.history(), key.Archive-1, 1)
	if err != nil {
		return nil, err
	}
	if len(last) == 0 {
		return nil, missing(ctx, s, key)
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	then, err := h.options.Model.At(ctx, last[0].Seq)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, then.Close()) }()
	return h.builder(then, key).archive(ctx)
}

// missing says whether a document that is not there will be.
func missing(ctx context.Context, s *projections.Snapshot, key Key) error {
	if key.Archive%blockItems == 0 {
		before, err := s.History(ctx, key.history(), max(0, key.Archive-blockItems-1), 1)
		if err != nil {
			return err
		}
		if len(before) > 0 {
			return errUnfinished
		}
	}
	return projections.ErrNotFound
}

// archive builds the document from the snapshot of its last item.
func (b *builder) archive(ctx context.Context) (*entry, error) {
	title, err := b.archivePlace(ctx)
	if err != nil {
		return nil, err
	}
	filter, end := b.key.history(), b.key.Archive
	begin := (end - 1) / blockItems * blockItems
	refs, err := b.snapshot.History(ctx, filter, begin, end-begin)
	if err != nil {
		return nil, err
	}
	if err := b.make(ctx, refs); err != nil {
		return nil, err
	}
	Sort(b.items)
	f := b.frame(title)
	f.Items, f.Current = b.items, f.Stem
	f.Stem = archiveStem(f.Current, end)
	if begin > 0 {
		f.Older = archiveStem(f.Current, begin)
	}
	if end == begin+blockItems {
		f.Newer = archiveStem(f.Current, end+blockItems)
	}
	b.kept, b.watch = nil, kept.Watchlist{}
	return b.entry(f), nil
}

func archiveStem(stem string, n int) string { return fmt.Sprintf("%s/archive/%d", stem, n) }

// archivePlace is the feed as it was called at the snapshot.
func (b *builder) archivePlace(ctx context.Context) (pages.Feed, error) {
	switch b.key.Kind {
	case Matchups:
		return pages.MatchupsFeed(), nil
	case Verdicts:
		return pages.VerdictsFeed(), nil
	case Reviews:
		return pages.ReviewsFeed(), nil
	case Tool:
		t, err := b.snapshot.Tool(ctx, b.key.Slug)
		if err != nil {
			return pages.Feed{}, err
		}
		return pages.ToolFeed(b.key.Slug, display(t.Ref)), nil
	case Reviewer:
		r, err := b.snapshot.Reviewer(ctx, b.key.Slug)
		if err != nil {
			return pages.Feed{}, err
		}
		return pages.ReviewerFeed(r.Slug, display(r.Ref)), nil
	}
	return pages.CategoryFeed(b.key.Slug), nil
}
