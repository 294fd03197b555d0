package feeds

import (
	"context"
	"fmt"
	"time"

	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
)

// A movedError says that a feed is another tool's: an alias was asked for, or a
// duplicate that was merged.
type movedError struct{ to string }

func (e movedError) Error() string { return "moved to " + e.to }

// A builder builds one feed from one snapshot.
type builder struct {
	*Composer
	snapshot *projections.Snapshot
	site     pages.Site
	hub      string
	icon     string
	key      Key
	before   map[uint64]keptItem // matchup items of the entry before
	kept     map[uint64]keptItem
	panel    uint64 // the last event that changed how reviewers are shown, once it was asked for
	items    []Item
	placed   map[string]place // of items by their ids
	counted  counted          // by the entry before
	total    int              // items of the whole history
	changed  time.Time        // of the last event that changed the feed beside its items
	watch    kept.Watchlist
}

// A counted is how many items a feed had had when it was built at a position.
type counted struct {
	built uint64
	total int
}

// A keptItem is a matchup item with what it was made of: the last events that
// changed the matchup, the panel or the rules, and its two tools.
type keptItem struct {
	from [3]uint64
	item Item
}

// build builds what is under a key.
func (b *builder) build(ctx context.Context) (*entry, error) {
	if b.key.Kind == opml {
		return b.outline(ctx)
	}
	title, err := b.collect(ctx)
	if err != nil {
		return nil, fmt.Errorf("build feed %s %s: %w", b.key.Kind, b.key.Slug, err)
	}
	f := b.frame(title)
	f.Items = Window(b.items)
	if b.hub != "" {
		f.Links = []Link{{Rel: "hub", Href: b.hub}}
	}
	older, err := b.older(ctx, f.Items)
	if err != nil {
		return nil, fmt.Errorf("archive of feed %s %s: %w", b.key.Kind, b.key.Slug, err)
	}
	if older > 0 {
		f.Older = archiveStem(f.Stem, older)
	}
	e := b.entry(f)
	if b.hub != "" {
		e.link = func(format Format) string {
			return "<" + b.hub + `>; rel="hub", <` + f.Self(format) + `>; rel="self"`
		}
	}
	return e, nil
}

// entry is the feed with what the cache and the answers need of it.
func (b *builder) entry(f *Feed) *entry {
	e := &entry{
		updated: f.Updated, feed: f, watch: b.watch.List(), kept: b.kept, total: b.total,
		render: func(format Format) ([]byte, error) { return Render(f, format) },
	}
	for i := range f.Items {
		item := &f.Items[i]
		e.updated = later(e.updated, item.Updated)
		e.weight += int64(len(item.Content) + len(item.Summary) + itemWeight)
	}
	if f.Updated = e.updated; b.changed.After(e.updated) {
		e.updated = time.Time{}
	}
	return e
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// frame is the feed around the items. Empty, it is as old as the ledger.
func (b *builder) frame(place pages.Feed) *Feed {
	description, home := about(b.key.Kind, place.Name)
	return &Feed{
		ID:          b.mint.Feed(b.key.Kind, b.key.Slug),
		Title:       place.Title(b.site.Title),
		Description: description,
		Home:        b.homeOf(home),
		Stem:        b.base + place.Path,
		Author:      Author{Name: b.site.Title, URL: b.home()},
		Updated:     b.snapshot.Ledger().Opened.Time,
		Icon:        b.icon,
	}
}

// about says what a feed holds, and the path of the page it follows; the paths
// of narrowed feeds are the caller's.
func about(kind Kind, name string) (description, home string) {
	switch kind {
	case Matchups:
		return "Each new pair of tools, once, with what the panel says of both.", "/compare"
	case Verdicts:
		return "Each time the panel's verdict on a tool changes.", "/"
	case Reviews:
		return "Each review, each revision that changes its verdict, and each withdrawal.", "/reviewers"
	case Tool:
		return "Everything about " + name + ": reviews, verdict changes and matchups.", ""
	case Reviewer:
		return "Every review by " + name + ".", ""
	}
	return "Matchups, verdict changes and reviews of the category " + name + ".", ""
}

func (b *builder) homeOf(path string) string {
	switch b.key.Kind {
	case Tool:
		return b.tool(b.key.Slug)
	case Reviewer:
		return b.reviewer(b.key.Slug)
	case Category:
		return b.category(b.key.Slug)
	}
	return b.base + path
}

// collect gathers the items of the feed and says what it is called.
func (b *builder) collect(ctx context.Context) (pages.Feed, error) {
	switch b.key.Kind {
	case Matchups:
		b.watch.All()
		return pages.MatchupsFeed(), b.gather(ctx)
	case Verdicts:
		b.watch.Add(kept.ScopePanel, "")
		b.watch.Add(projections.ScopeVerdicts, "")
		return pages.VerdictsFeed(), b.gather(ctx)
	case Reviews:
		b.watch.All()
		return pages.ReviewsFeed(), b.gather(ctx)
	case Tool:
		return b.ofTool(ctx)
	case Reviewer:
		return b.ofReviewer(ctx)
	case Category:
		return b.ofCategory(ctx)
	}
	return pages.Feed{}, projections.ErrNotFound
}

// ofTool is everything about one tool.
func (b *builder) ofTool(ctx context.Context) (pages.Feed, error) {
	t, err := b.snapshot.Tool(ctx, b.key.Slug)
	if err != nil {
		return pages.Feed{}, err
	}
	if t.Merged != nil {
		return pages.Feed{}, movedError{t.Merged.Into.Slug}
	}
	if t.Slug != b.key.Slug {
		return pages.Feed{}, movedError{t.Slug}
	}
	b.watch.Add(kept.ScopePanel, "")
	b.watch.Add(projections.ScopeRules, "")
	b.watch.Add(projections.ScopeTool, t.Slug)
	b.watch.Add(kept.ScopeOpened, t.Slug)
	if t.Named.Seq > t.Registered.Seq {
		b.changed = t.Named.Time
	}
	return pages.ToolFeed(t.Slug, display(t.Ref)), b.gather(ctx)
}

// ofReviewer is every review by one reviewer.
func (b *builder) ofReviewer(ctx context.Context) (pages.Feed, error) {
	r, err := b.snapshot.Reviewer(ctx, b.key.Slug)
	if err != nil {
		return pages.Feed{}, err
	}
	b.watch.Add(projections.ScopeReviewer, r.Slug)
	if r.Named.Seq > r.Seated.Seq {
		b.changed = r.Named.Time
	}
	return pages.ReviewerFeed(r.Slug, display(r.Ref)), b.gather(ctx)
}

// ofCategory is everything about the tools of one category, while they were in
// it. A category that its tools have left keeps its feed.
func (b *builder) ofCategory(ctx context.Context) (pages.Feed, error) {
	b.watch.All()
	if err := b.gather(ctx); err != nil {
		return pages.Feed{}, err
	}
	place := pages.CategoryFeed(b.key.Slug)
	if len(b.items) > 0 {
		return place, nil
	}
	return place, b.knownCategory(ctx)
}

// knownCategory finds a category that a tool is in.
func (b *builder) knownCategory(ctx context.Context) error {
	counts, err := b.snapshot.Categories(ctx)
	if err != nil {
		return err
	}
	for _, count := range counts {
		if count.Slug == b.key.Slug {
			return nil
		}
	}
	return projections.ErrNotFound
}
