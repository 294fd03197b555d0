package pages

import "io"

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

// Search draws what was found.
func (p *Pages) Search(w io.Writer, v SearchView) error {
	title := "Search"
	if v.Query != "" {
		title = "Search for “" + v.Query + "”"
	}
	return p.draw(w, "search", frame{
		Page: v.Page, V: v, Nav: "none", Path: withQueryIf("/search", "q", v.Query),
		Title:       title,
		Description: "Tools, reviewers and matchups found by name.",
		Feeds:       generalFeeds(),
		Hidden:      true,
		Query:       v.Query,
	})
}

func withQueryIf(path, name, value string) string {
	if value == "" {
		return path
	}
	return withQuery(path, name, value)
}

// Found counts what was found.
func (v SearchView) Found() int { return v.ToolTotal + v.ReviewerTotal + v.MatchupTotal }

// Summary says what was found in words: "2 tools and 1 matchup".
func (v SearchView) Summary() string {
	var spans []Span
	for _, c := range []struct {
		n    int
		noun string
	}{{v.ToolTotal, "tool"}, {v.ReviewerTotal, "reviewer"}, {v.MatchupTotal, "matchup"}} {
		if c.n > 0 {
			spans = append(spans, Span{Text: plural(c.n, c.noun)})
		}
	}
	return listOf(spans).String()
}
