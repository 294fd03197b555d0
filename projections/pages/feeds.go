package pages

import "io"

// FeedsView is the page that lists every feed.
type FeedsView struct {
	Page
	Categories []FeedRow
	Tools      []FeedRow
	Paging     Paging // of the tools
	Reviewers  []FeedRow
}

// FeedRow is one narrowed feed.
type FeedRow struct {
	Ref
	Note string // a tagline, a kind of reviewer, "4 tools"
}

// FeedList draws the page of every feed.
func (p *Pages) FeedList(w io.Writer, v FeedsView) error {
	return p.draw(w, "feeds", frame{
		Page: v.Page, V: v, Nav: "feeds", Here: true, Path: withPage("/feeds", v.Paging.Number),
		Title:       v.Paging.titled("Feeds"),
		Description: "Every feed of this ledger, in Atom, RSS and JSON Feed.",
		Feeds:       generalFeeds(),
		Outline:     &outline{"all feeds", OPMLURL(p.site.BaseURL)},
	})
}

// FeedLine is one line of the page: a feed and what it carries.
type FeedLine struct {
	ID   string
	Feed Feed
	Note string
	List string // the category whose feeds are a list of their own; may be empty
}

// General are the feeds of everything, explained.
func (FeedsView) General() []FeedLine {
	return []FeedLine{
		{ID: "matchups", Feed: MatchupsFeed(), Note: "Each new pair of tools, once"},
		{ID: "verdicts", Feed: VerdictsFeed(), Note: "Each time a label changes, such as Split to Ship"},
		{ID: "reviews", Feed: ReviewsFeed(), Note: "Each review, each withdrawal, and each revision that changes its verdict"},
	}
}

// CategoryLines, ToolLines and ReviewerLines are the narrowed feeds.
func (v FeedsView) CategoryLines() []FeedLine {
	lines := feedLines(v.Categories, func(r Ref) Feed { return CategoryFeed(r.Slug) })
	for i, row := range v.Categories {
		lines[i].List = row.Slug
	}
	return lines
}

// ToolLines are the feeds of single tools.
func (v FeedsView) ToolLines() []FeedLine {
	return feedLines(v.Tools, func(r Ref) Feed { return ToolFeed(r.Slug, r.display()) })
}

// ReviewerLines are the feeds of single reviewers.
func (v FeedsView) ReviewerLines() []FeedLine {
	return feedLines(v.Reviewers, func(r Ref) Feed { return ReviewerFeed(r.Slug, r.display()) })
}

func feedLines(rows []FeedRow, feed func(Ref) Feed) []FeedLine {
	out := make([]FeedLine, len(rows))
	for i, row := range rows {
		out[i] = FeedLine{Feed: feed(row.Ref), Note: row.Note}
	}
	return out
}

// Links are the ways to the other parts of the list.
func (v FeedsView) Links() []pageLink { return pageLinks(v.Paging, "/feeds", "tool") }
