package pages

// ToolView is the page of one tool.
type ToolView struct {
	Page
	Tool        Ref
	Tagline     string
	Description string
	Category    string // slug
	Homepage    string
	Pricing     string // free, freemium, paid
	PricingNote string
	Aliases     []string
	Registered  Event
	Publisher   string // who registered it

	Verdict     Verdict
	Since       Event   // when the label became what it is; zero while it never changed
	Before      string  // the label before that
	BeforeSince Event   // zero when that label was the first
	Controversy float64 // shown from the quorum on

	Dissent    *Review // the lone dissent
	Unanimous  bool
	Retired    *Retirement
	Steps      []Step       // every event that changed the count, oldest first
	Reviews    []ToolReview // in panel order
	Replies    []Reply      // newest first
	Matchups   []MatchupRow // newest first
	MatchTotal int
	MergedFrom []MergedFrom
}

// Retirement says since when, and why, a tool is no longer current.
type Retirement struct {
	Event  Event
	Reason string
}

// Step is one event that changed the count behind a verdict.
type Step struct {
	Event    Event
	Verdict  Verdict
	Reviewer Reviewer // who caused it, when somebody did
	// Cause is what happened: ship, skip, abstain (a first review), or revised,
	// withdrawn, rules.
	Cause string
	Now   string // for revised: the verdict it now has
}

// ToolReview is one reviewer's place on a tool's page.
type ToolReview struct {
	Reviewer Reviewer
	Review   *Review     // the current one, nil once withdrawn
	Gone     *Withdrawal // set once withdrawn
	// Revisions holds the newest, at most three are shown, newest first. Empty
	// or of length one when nothing was ever revised. A withdrawn review is
	// among them.
	Revisions []Review
	Older     []Event // revisions beyond those, newest first, linked by number
}

// Reply is what the maker of a tool answered. It is never counted.
type Reply struct {
	Event     Event
	Author    string
	Body      Body
	Publisher string
}

// MergedFrom is a duplicate that was merged into this tool, with its reviews,
// which do not count here.
type MergedFrom struct {
	Tool    Ref
	Event   Event
	Reason  string
	Reviews []Review
}
