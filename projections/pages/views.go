package pages

import (
	"html/template"
	"time"
)

// Page is what every view carries beside its own content.
type Page struct {
	// Changed is the last event that changed anything on the page. The footer
	// names it. A zero Seq leaves it out, as on error pages.
	Changed Event
	// Leaf is the chain leaf of that event in hexadecimal; it is shown shortened.
	Leaf string
	// Rules are the rules in force, named in the footer.
	Rules Rules
	// At is set when the page is shown as of a past event.
	At *Event
	// CanTravel offers the form "See it as of event" in the footer.
	CanTravel bool
}

// Event points at one event of the ledger. A zero Seq means none.
type Event struct {
	Seq uint64
	// Time is when it was written, never after it was recorded: the date in
	// feeds, too. Of the events in [Page] it is when they were recorded.
	Time time.Time
}

// Ref is a thing with a page of its own: a tool or, in a few places, a reviewer.
type Ref struct {
	Slug, Name string
}

// Rules are one set of rules: those in force, or one line of their history.
type Rules struct {
	Event       Event // zero for the rules before any were published
	Version     int
	Quorum      int
	Matchmaking string // category, manual
	MaxMatchups int
	Publisher   string
	// Changed is how many verdicts got another label when they took effect.
	Changed int
}

// Verdict is what the panel says of a tool.
type Verdict struct {
	Label    string // Ship, Skip, Split, Pending
	Ships, N int
	Quorum   int // named while the verdict is Pending
}

// Reviewer is somebody who judges.
type Reviewer struct {
	Slug, Name string
	Kind       string // human, ai, team
	Former     bool   // unseated; what was said before keeps counting
}

// Body is a text a publisher wrote. Text is always the source. HTML is set for
// the format markdown only, to what [Markdown.Render] returned for Text, so that
// the caller can keep it.
type Body struct {
	Text string
	HTML template.HTML
}

// Review is one review or one revision of it.
type Review struct {
	Event      Event
	Reviewer   Reviewer
	Tool       Ref
	Verdict    string // ship, skip, abstain
	Body       Body
	Revision   int    // 1 for the first
	Was        string // the verdict of the revision before, when there is one
	Condition  string
	Pros, Cons []string
	Evidence   []string // URLs as sent; only http and https become links
	Disclosure string
	Reason     string // why it was revised
	Inferred   bool   // provenance "inferred": the verdict was read out of the text
	Publisher  string // named where it is not "local"
}

// Withdrawal is what is left of a review that was taken back.
type Withdrawal struct {
	Event     Event
	Reason    string
	Of        Event  // the review that was withdrawn
	OfVerdict string // and its verdict
	Publisher string
}

// Result is the outcome of comparing two tools.
type Result struct {
	Kind   string // level, leans, favours, too_close, not_comparable
	Leader Ref    // set for leans and favours
	Edge   int    // ships left − ships right among the shared reviewers
	Shared int
}

// MatchupRow is one matchup in a list.
type MatchupRow struct {
	Opened      Event
	Left, Right Ref
	Result      Result
}

// MatchupLink leads to a matchup.
type MatchupLink struct{ Left, Right Ref }

// ChangeRow is one change of a verdict's label in a list.
type ChangeRow struct {
	Event Event
	Tool  Ref
	From  string // label before
	To    Verdict
}

// ToolRow is one tool in a list.
type ToolRow struct {
	Ref
	Tagline  string
	Category string // slug, may be empty
	Verdict  Verdict
	Changed  Event // last event that changed the tool's verdict or facts
	Retired  bool
}

// ReviewerRow is one reviewer in a list.
type ReviewerRow struct {
	Reviewer
	Motto        string
	Ships, N     int
	LoneDissents int
}

// Count is a filter with the number of rows behind it.
type Count struct {
	Key string // label or slug
	N   int
}

// Paging places a list of many pages. The zero value is a list of one page.
type Paging struct {
	Number int // from 1
	Last   int
	Total  int // rows on all pages
}

// Move is a matchup whose result changed.
type Move struct {
	Left, Right Ref
	From, To    Result
}
