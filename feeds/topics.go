package feeds

import (
	"context"
	"errors"
	"fmt"

	"shiplog/events"
	"shiplog/projections"
)

// topicMatchups is how many of a tool's matchups, newest first, are looked at
// for feeds that quote it.
const topicMatchups = 50

// topics collects which feeds an event changed.
type topics struct {
	snapshot *projections.Snapshot
	add      func(Key)
}

// of adds the feeds that have an item of the event, or one that shows what it
// changed. A new name of a reviewer stands in feeds of many tools and categories;
// they are left for their next item, as are those that rules change beside
// verdicts.
func (t topics) of(ctx context.Context, e *events.Event) error {
	switch p := e.Data.(type) {
	case *events.ReviewSubmitted:
		return t.review(ctx, p.Tool, p.Reviewer)
	case *events.ReviewRevised:
		return t.review(ctx, p.Tool, p.Reviewer)
	case *events.ReviewWithdrawn:
		return t.review(ctx, p.Tool, p.Reviewer)
	case *events.MatchupOpened:
		t.add(Key{Kind: Matchups})
		return errors.Join(t.tool(ctx, p.Left), t.tool(ctx, p.Right))
	case *events.ReviewerSeated:
		return t.reviewer(ctx, p.Reviewer, e.Seq)
	case *events.ReviewerUnseated:
		return t.reviewer(ctx, p.Reviewer, e.Seq)
	case *events.ToolRegistered:
		return t.facts(ctx, p.Tool, e.Seq)
	case *events.ToolMerged:
		return errors.Join(t.facts(ctx, p.Tool, e.Seq), t.tool(ctx, p.Into))
	case *events.ToolUnmerged:
		return t.facts(ctx, p.Tool, e.Seq)
	case *events.ToolRetired:
		return t.facts(ctx, p.Tool, e.Seq)
	case *events.RulesPublished:
		t.add(Key{Kind: Verdicts})
		t.add(Key{Kind: Matchups})
		return t.relabelled(ctx, e.Seq)
	}
	return nil
}

func (t topics) review(ctx context.Context, tool, reviewer string) error {
	t.add(Key{Kind: Reviews})
	t.add(Key{Kind: Verdicts})
	t.add(Key{Kind: Reviewer, Slug: reviewer})
	return errors.Join(t.tool(ctx, tool), t.matchups(ctx, tool))
}

// reviewer adds the feeds of everything beside the reviewer's own, where one who
// was known before has another name or no seat any more.
func (t topics) reviewer(ctx context.Context, slug string, seq uint64) error {
	r, err := t.snapshot.Reviewer(ctx, slug)
	if err != nil {
		return fmt.Errorf("reviewer %q: %w", slug, err)
	}
	t.add(Key{Kind: Reviewer, Slug: slug})
	if r.Seated.Seq < seq {
		t.everything()
	}
	return nil
}

// facts adds the feeds of a tool and those that show it, where it was known before:
// its matchups', and with a new name all in which that stands.
func (t topics) facts(ctx context.Context, slug string, seq uint64) error {
	tool, err := t.snapshot.Tool(ctx, slug)
	if err != nil {
		return fmt.Errorf("tool %q: %w", slug, err)
	}
	if err := t.tool(ctx, slug); err != nil || tool.Registered.Seq >= seq {
		return err
	}
	if tool.Named.Seq < seq {
		return t.matchups(ctx, slug)
	}
	t.everything()
	list, err := t.snapshot.ToolReviews(ctx, slug)
	if err != nil {
		return err
	}
	for i := range list {
		t.add(Key{Kind: Reviewer, Slug: list[i].Reviewer.Slug})
	}
	return t.matchups(ctx, slug)
}

// everything adds the feeds that are narrowed to nothing.
func (t topics) everything() {
	for _, kind := range []Kind{Matchups, Verdicts, Reviews} {
		t.add(Key{Kind: kind})
	}
}

// matchups adds the feeds of a tool's matchups.
func (t topics) matchups(ctx context.Context, tool string) error {
	list, _, err := t.snapshot.Matchups(ctx, projections.MatchupFilter{Tool: tool, Limit: topicMatchups})
	if err != nil {
		return fmt.Errorf("matchups of %q: %w", tool, err)
	}
	for i := range list {
		t.add(Key{Kind: Matchups})
		for _, side := range []*projections.Tool{&list[i].Left, &list[i].Right} {
			t.add(Key{Kind: Tool, Slug: side.Slug})
			t.category(list[i].Category)
		}
	}
	return nil
}

// tool adds the feeds of a tool and of its category.
func (t topics) tool(ctx context.Context, slug string) error {
	tool, err := t.snapshot.Tool(ctx, slug)
	if err != nil {
		return fmt.Errorf("tool %q: %w", slug, err)
	}
	t.add(Key{Kind: Tool, Slug: tool.Slug})
	t.category(tool.Category)
	return nil
}

func (t topics) category(slug string) {
	if slug != "" {
		t.add(Key{Kind: Category, Slug: slug})
	}
}

// relabelled adds the feeds of the tools whose label rules changed.
func (t topics) relabelled(ctx context.Context, seq uint64) error {
	list, err := t.snapshot.VerdictChanges(ctx, projections.ChangeFilter{Before: seq + 1, Limit: pendingMost})
	if err != nil {
		return fmt.Errorf("changes by rules: %w", err)
	}
	for i := range list {
		if list[i].Event.Seq == seq {
			t.add(Key{Kind: Tool, Slug: list[i].Tool.Slug})
		}
	}
	return nil
}
