package pages

// ReviewersView lists the panel.
type ReviewersView struct {
	Page
	Seated []ReviewerRow // in panel order
	Former []ReviewerRow
}

// ReviewerView is the page of one reviewer.
type ReviewerView struct {
	Page
	Reviewer     Reviewer
	Motto        string
	Lens         string
	Ships, N     int // current reviews that count
	Seated       Event
	Unseated     *Retirement // set for a former reviewer
	Publisher    string      // who seated the reviewer
	LoneDissents int
	Revisions    int // of any kind
	Flips        int // verdicts of the panel this reviewer's events changed
	Withdrawn    int
	// Strip is the verdicts of the current reviews in ledger order, oldest
	// first: the last 60 of them.
	Strip     []string
	Reviews   []ReviewerReview // newest first
	Paging    Paging
	Agreement []Agreement // in panel order
}

// ReviewerReview is one of a reviewer's current reviews in the list.
type ReviewerReview struct {
	Event       Event
	Tool        Ref
	Verdict     string
	Revision    int
	Was         string
	LoneDissent bool
	Panel       Verdict
	Gone        bool   // withdrawn; Event is the withdrawal
	Publisher   string // named where it is not "local"
}

// Agreement is how often two reviewers gave the same verdict to a tool both judged.
type Agreement struct {
	With     Reviewer
	Same, Of int
}
