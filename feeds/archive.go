package feeds

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
// more while its newest block is not full, or what is too much for one document:
// each is cut to the size of a feed, and leads on to the one that ends before it.
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
	if newest := latest[0]; !there[place{newest.Kind, newest.Seq}] { // brought in late, it moved what the feed leads on to
		event, _, err := b.snapshot.Event(ctx, newest.Seq)
		if err != nil {
			return 0, err
		}
		b.changed = later(b.changed, event.Time)
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
	end := b.key.Archive
	begin := (end - 1) / blockItems * blockItems
	before, err := b.fill(ctx, begin, end)
	if err != nil {
		return nil, err
	}
	Sort(b.items)
	f := b.frame(title)
	f.Items, f.Current = b.items, f.Stem
	f.Stem = archiveStem(f.Current, end)
	if before > 0 {
		f.Older = archiveStem(f.Current, before)
	}
	if end == begin+blockItems {
		f.Newer = archiveStem(f.Current, end+blockItems)
	}
	b.kept, b.watch = nil, kept.Watchlist{}
	return b.entry(f), nil
}

// fill makes the items with numbers after begin up to end, the newest first, until
// no more fit into a document. It returns the number that the document before this
// one ends with: begin where all fit.
func (b *builder) fill(ctx context.Context, begin, end int) (before int, err error) {
	refs, err := b.snapshot.History(ctx, b.key.history(), begin, end-begin)
	if err != nil {
		return 0, err
	}
	sizes, left, room := map[place]int{}, len(refs), windowBytes-headWeight
	for left > 0 && room > 0 {
		some, made := refs[max(0, left-archiveAtOnce):left], len(b.items)
		if err := b.make(ctx, some); err != nil {
			return 0, err
		}
		for i := made; i < len(b.items); i++ {
			sizes[b.placed[b.items[i].ID]] = b.items[i].size()
		}
		for _, ref := range slices.Backward(some) {
			if room -= sizes[place{ref.Kind, ref.Seq}]; room < 0 {
				break
			}
			left--
		}
	}
	for _, ref := range refs[:left] {
		delete(sizes, place{ref.Kind, ref.Seq})
	}
	b.items = slices.DeleteFunc(b.items, func(item Item) bool { return sizes[b.placed[item.ID]] == 0 })
	return begin + left, nil
}

// archiveAtOnce is how many items of an archive are made before it is seen whether
// more fit.
const archiveAtOnce = blockItems / 4

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
