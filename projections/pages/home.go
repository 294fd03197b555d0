package pages

import "io"

// HomeView is the front page.
type HomeView struct {
	Page
	Seated   int           // reviewers with a seat
	Latest   *LatestChange // nil until a verdict has changed
	Matchups []MatchupRow  // newest first
	// MatchupTotal and ChangeTotal count all of them.
	MatchupTotal int
	Changes      []ChangeRow // newest first
	ChangeTotal  int
	Panel        []ReviewerRow // in panel order
	Tools        []ToolRow     // newest tools, shown while there are no matchups and no changes
}

// LatestChange is the newest change of a verdict, told in full.
type LatestChange struct {
	ChangeRow
	// Cause says what kind of event it was: review, revision, withdrawal,
	// rules, or anything else for which only the change itself is told.
	Cause    string
	Reviewer Reviewer    // who, for review, revision and withdrawal
	Reason   string      // as given
	Then     *Review     // what the reviewer said before, if anything
	Now      *Review     // what the reviewer says now, unless withdrawn
	Gone     *Withdrawal // set for a withdrawal
	Moves    []Move      // matchups whose result the same event changed
}

// FirstView is the front page while the ledger holds no review.
type FirstView struct {
	Page
	Events []EventLine // the events so far, newest first
}

// EventLine is one event told in one line.
type EventLine struct {
	Event     Event
	Facts     EventFacts
	Publisher string
}

// Home draws the front page.
func (p *Pages) Home(w io.Writer, v HomeView) error {
	return p.draw(w, "home", frame{
		Page: v.Page, V: v, Nav: "home", Here: true, Path: "/",
		Title:       "what the panel would ship, and what it would skip",
		Description: "Newest matchups and verdict changes of " + panelOf(v.Seated) + ".",
		Feeds:       generalFeeds(),
		Travel:      travel{Action: "/"},
	})
}

// First draws the front page of a ledger without reviews.
func (p *Pages) First(w io.Writer, v FirstView) error {
	return p.draw(w, "first", frame{
		Page: v.Page, V: v, Nav: "home", Here: true, Path: "/",
		Title:       "nothing reviewed yet",
		Description: "A new ledger, ready for its first review.",
		Feeds:       generalFeeds(),
	})
}

// generalFeeds are the feeds of pages that have none of their own.
func generalFeeds() []Feed { return []Feed{MatchupsFeed(), VerdictsFeed(), ReviewsFeed()} }

func panelOf(seated int) string {
	if seated == 0 {
		return "a review panel"
	}
	return "a review panel of " + words(seated)
}

// Heading is the headline of the front page.
func (v HomeView) Heading() string {
	switch v.Seated {
	case 0:
		return "One word for each tool"
	case 1:
		return "One reviewer, one word a tool"
	}
	return capital(words(v.Seated)) + " reviewers, one word each"
}

// Changed reports whether the reviewer behind the change had a mind to change.
func (c LatestChange) Changed() bool { return c.Then != nil }

// Next is the sequence of the event that many after the next one, for the
// example receipt.
func (v FirstView) Next(after int) uint64 {
	if len(v.Events) == 0 {
		return uint64(1 + after)
	}
	return v.Events[0].Event.Seq + 1 + uint64(after)
}
