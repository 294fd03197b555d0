package feeds

import (
	"context"
	"fmt"
	"time"

	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
)

// outline builds the list of all feeds: one line for each, in the format to
// prefer, since a reader that takes the whole list wants each feed once.
func (b *builder) outline(ctx context.Context) (*entry, error) {
	if b.key.Slug != "" {
		return b.categoryOutline(ctx)
	}
	updated := b.snapshot.Ledger().Opened.Time
	list := []Outline{
		b.line(pages.MatchupsFeed(), b.base+"/compare"),
		b.line(pages.VerdictsFeed(), b.home()),
		b.line(pages.ReviewsFeed(), b.base+"/reviewers"),
	}
	for _, group := range []struct {
		title  string
		gather func(context.Context) ([]Outline, time.Time, error)
	}{{"Categories", b.categoryLines}, {"Tools", b.allToolLines}, {"Reviewers", b.reviewerLines}} {
		lines, changed, err := group.gather(ctx)
		if err != nil {
			return nil, fmt.Errorf("list feeds: %w", err)
		}
		updated = later(updated, changed)
		if len(lines) > 0 {
			list = append(list, Outline{Title: b.site.Title + ": " + group.title, Outlines: lines})
		}
	}
	return b.outlineOf("all feeds", updated, list)
}

// categoryOutline lists the feeds of one category: its own and those of its
// tools.
func (b *builder) categoryOutline(ctx context.Context) (*entry, error) {
	if err := b.knownCategory(ctx); err != nil {
		return nil, err
	}
	tools, changed, err := b.toolLines(ctx, b.key.Slug)
	if err != nil {
		return nil, fmt.Errorf("list feeds of category %q: %w", b.key.Slug, err)
	}
	members, err := b.snapshot.LastChange(ctx, projections.ScopeMembers, b.key.Slug)
	if err != nil {
		return nil, fmt.Errorf("list feeds of category %q: %w", b.key.Slug, err)
	}
	changed = later(changed, members.Time)
	place := pages.CategoryFeed(b.key.Slug)
	list := append([]Outline{b.line(place, b.category(b.key.Slug))}, tools...)
	return b.outlineOf("feeds of "+place.Name, later(b.snapshot.Ledger().Opened.Time, changed), list)
}

// outlineOf renders the list at once: its one document takes less memory than
// what it is made of.
func (b *builder) outlineOf(what string, updated time.Time, list []Outline) (*entry, error) {
	body, err := RenderOPML(b.site.Title+": "+what, updated, list)
	if err != nil {
		return nil, err
	}
	// What tools are called and filed under, with which the model tells labels
	// together, and what reviewers are called.
	b.watch.Add(projections.ScopeVerdicts, "")
	b.watch.Add(kept.ScopePanel, "")
	return &entry{
		updated: updated, watch: b.watch.List(),
		render: func(Format) ([]byte, error) { return body, nil },
	}, nil
}

func (b *builder) line(feed pages.Feed, home string) Outline {
	return Outline{Title: feed.Title(b.site.Title), Address: b.base + feed.Path + "." + string(Atom), Home: home}
}

func (b *builder) categoryLines(ctx context.Context) ([]Outline, time.Time, error) {
	counts, err := b.snapshot.Categories(ctx)
	var lines []Outline
	for _, count := range counts {
		lines = append(lines, b.line(pages.CategoryFeed(count.Slug), b.category(count.Slug)))
	}
	return lines, time.Time{}, err
}

func (b *builder) allToolLines(ctx context.Context) ([]Outline, time.Time, error) {
	return b.toolLines(ctx, "")
}

// toolLines are the tools of a category, or all.
func (b *builder) toolLines(ctx context.Context, category string) (lines []Outline, changed time.Time, err error) {
	const batch = 500
	for after := ""; ; {
		list, _, err := b.snapshot.Tools(ctx, projections.ToolFilter{Category: category, All: true, After: after, Limit: batch})
		if err != nil {
			return nil, changed, err
		}
		for i := range list {
			t := &list[i]
			changed = later(changed, t.Facts.Time)
			if t.Merged == nil {
				lines = append(lines, b.line(pages.ToolFeed(t.Slug, display(t.Ref)), b.tool(t.Slug)))
			}
		}
		if len(list) < batch {
			return lines, changed, nil
		}
		after = list[len(list)-1].Slug
	}
}

func (b *builder) reviewerLines(ctx context.Context) (lines []Outline, changed time.Time, err error) {
	list, err := b.snapshot.Reviewers(ctx)
	for i := range list {
		r := &list[i]
		changed = later(changed, r.Facts.Time)
		lines = append(lines, b.line(pages.ReviewerFeed(r.Slug, display(r.Ref)), b.reviewer(r.Slug)))
	}
	return lines, changed, err
}
