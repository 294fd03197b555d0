package pages

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
