package pages

import "io"

// RulesView is the page of the rules.
type RulesView struct {
	Page
	History []Rules // newest first; empty before any were published
}

// Rules draws the page of the rules.
func (p *Pages) Rules(w io.Writer, v RulesView) error {
	return p.draw(w, "rules", frame{
		Page: v.Page, V: v, Nav: "rules", Here: true, Path: "/rules",
		Title:       "Rules",
		Description: "How reviews become verdicts and comparisons here: " + rulesInWords(v.Page.Rules) + ".",
		Feeds:       []Feed{VerdictsFeed(), MatchupsFeed(), ReviewsFeed()},
		Travel:      travel{Action: "/rules"},
	})
}

// builtinRules are those in force before any were published.
func builtinRules() Rules {
	return Rules{Version: 1, Quorum: 3, Matchmaking: "category", MaxMatchups: 8}
}
