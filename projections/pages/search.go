package pages

// SearchView is what was found. Each list holds the best of its kind, and the
// totals say how many there are.
type SearchView struct {
	Page
	Query         string
	Tools         []ToolRow
	ToolTotal     int
	Reviewers     []ReviewerRow
	ReviewerTotal int
	Matchups      []MatchupRow
	MatchupTotal  int
}
