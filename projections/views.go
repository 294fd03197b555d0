package projections

import (
	"time"

	"shiplog/events"
)

// Comparison is a matchup with everything its page shows.
type Comparison struct {
	Matchup
	Scorecard
	// Since is the event that made the result what it is and Before the result
	// until then; zero and nil while it never changed.
	Since  Stamp
	Before *events.Result
	// Older and Newer are the matchups opened just before and after.
	Older, Newer *Neighbour
}

// A Neighbour is a matchup that another one's page only links.
type Neighbour struct {
	Event       Stamp // that opened it
	Left, Right Ref
	Named       Stamp // the last event that changed a name of the two
}

// Scorecard sets two tools side by side, each section in scorecard order.
type Scorecard struct {
	Common []Row // judged both: in panel order
	// One judged only one of the two: those of the left tool, then those of
	// the right one. Who abstained on the other stands here and in Abstained.
	One       []Row
	Abstained []Row
	// Ordered is the last event that changed the order of these rows by a
	// reviewer's place in the panel; of Scorecards only.
	Ordered Stamp
}

// Row is what one reviewer says of each tool: a review, a tombstone or nil.
type Row struct {
	Reviewer Critic
	Left     *Review
	Right    *Review
}

// Matrix sets 2 to 5 tools side by side, in the order asked for.
type Matrix struct {
	Tools []Tool
	Rows  []MatrixRow // in panel order
	Pairs []Pair      // every pair, by place of left, then right
}

// MatrixRow is what one reviewer says of each tool, in the order of the tools:
// a review, a tombstone or nil.
type MatrixRow struct {
	Reviewer Critic
	Reviews  []*Review
}

// Pair is one pair of a matrix. For a pair that was opened, left and right are
// as first opened.
type Pair struct {
	Left, Right Ref
	Opened      Stamp // zero for a pair never opened
	Result      events.Result
	ToLeft      []Critic // shared reviewers who ship only the left one
	ToRight     []Critic
}

// ReviewerDetail is what a reviewer's page shows beyond the reviewer.
type ReviewerDetail struct {
	Reviewer
	Revisions int // ever
	Withdrawn int // ever
	Flips     int // verdicts of the panel that this reviewer's events changed
	// Strip is the verdicts of the current reviews in ledger order, oldest
	// first: the last 60 of them. Like all counts but those of what was ever
	// done it leaves out duplicates.
	Strip     []events.Verdict
	Agreement []Agreement // in panel order
}

// Agreement is how often two reviewers gave the same verdict to a tool both
// judged.
type Agreement struct {
	With     Critic
	Same, Of int
}

// ReviewerReview is one of a reviewer's current reviews (or tombstones) with
// what the panel says. Its review has no body.
type ReviewerReview struct {
	Review
	Panel       Verdict
	LoneDissent bool
	Merged      bool  // the tool is a duplicate: the review counts for nothing
	Judged      Stamp // last event that changed what the panel says
}

// CategoryCount is a category and how many current tools and matchups it has.
type CategoryCount struct {
	Slug     string
	Tools    int
	Matchups int
}

// LabelCount is how many current tools have a label.
type LabelCount struct {
	Label events.Label
	Tools int
}

// Stats are counts as of the snapshot.
type Stats struct {
	Events         uint64
	Tools          int // current: neither merged nor retired
	Seated         int
	Former         int
	Reviews        int // current ones
	Matchups       int
	VerdictChanges int
}

// Found is what a search found. The lists hold the best, at most the limit.
type Found struct {
	Tools         []Tool
	ToolTotal     int
	Reviewers     []Reviewer
	ReviewerTotal int
	Matchups      []Matchup
	MatchupTotal  int
}

// Skip is an operator's mend for an event that cannot be applied.
type Skip struct {
	Target uint64 // the event every node passes over
	Event  Stamp  // that says so
	Reason string
}

// Effects are what one event changed.
type Effects struct {
	Tools    []ToolEffect
	Matchups []MatchupEffect
}

// ToolEffect is a tool whose counts or label an event changed.
type ToolEffect struct {
	Tool          Ref
	Before, After Verdict
}

// MatchupEffect is a matchup whose result an event changed.
type MatchupEffect struct {
	Left, Right   Ref
	Before, After events.Result
}

// ReviewItem is an item of a review feed: the review it shows now.
type ReviewItem struct {
	Seq       uint64 // in its id
	Published time.Time
	Updated   time.Time
	Review    Review
}

// VerdictItem is an item of a verdict feed: a change of one tool's label, or
// in the feed of all tools the label changes of one rules event.
type VerdictItem struct {
	Seq       uint64
	Published time.Time
	Updated   time.Time
	Change    *VerdictChange // nil for rules
	Rules     *Rules         // nil for a change; Rules.Changed is the number of verdicts
}

// MatchupItem is an item of a matchup feed.
type MatchupItem struct {
	Seq       uint64
	Published time.Time
	Updated   time.Time
	Matchup   Matchup
}
