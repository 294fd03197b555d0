package pages

import "io"

// MatchupsView lists the matchups, newest first.
type MatchupsView struct {
	Page
	Matchups   []MatchupRow
	Paging     Paging
	Categories []Count // by slug, linked to the category pages
}

// Matchups draws the list of matchups.
func (p *Pages) Matchups(w io.Writer, v MatchupsView) error {
	return p.draw(w, "matchups", frame{
		Page: v.Page, V: v, Nav: "matchups", Here: true, Path: withPage("/compare", v.Paging.Number),
		Title:       v.Paging.titled("Matchups"),
		Description: capital(plural(v.Paging.Total, "matchup")) + ", newest first, each with its result.",
		Feeds:       generalFeeds(),
		Travel:      travel{Action: "/compare"},
	})
}

// Links are the ways to the other parts of the list.
func (v MatchupsView) Links() []pageLink { return pageLinks(v.Paging, "/compare", "matchup") }
