package pages

// ToolsView lists the tools, one page of them, filtered or not.
type ToolsView struct {
	Page
	Tools      []ToolRow
	Paging     Paging
	Verdict    string  // the label filtered by, in lower case, or empty
	Category   string  // the slug filtered by, or empty
	Verdicts   []Count // Ship, Skip, Split, Pending, within the category if one is chosen
	Categories []Count // by slug
	Total      int     // without the verdict filter
}

// CategoryView is the page of one category.
type CategoryView struct {
	Page
	Slug         string
	Tools        []ToolRow
	Paging       Paging // of the tools
	Matchups     []MatchupRow
	MatchupTotal int // the page shows the newest of them
}
