package pages

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
