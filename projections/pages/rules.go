package pages

// RulesView is the page of the rules.
type RulesView struct {
	Page
	History []Rules // newest first; empty before any were published
}
