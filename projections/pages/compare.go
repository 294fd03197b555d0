package pages

// CompareView is the comparison page of one matchup.
type CompareView struct {
	Page
	Left, Right Contender
	Category    string // slug, when both share one
	Opened      Event
	Matchmade   bool   // opened by the matchmaker
	Publisher   string // who opened it, unless matchmade
	Result      Result
	Since       Event   // when the result became what it is; zero while it never changed
	Before      *Result // what it was until then

	// The three sections of the scorecard, each in scorecard order. A reviewer
	// who judged one tool and abstained on the other stands in One and in
	// Abstained with both reviews; each section quotes its own part.
	Shared, One, Abstained []CompareRow

	OnlyDifferences bool // show only the shared rows that differ
	Prev, Next      *MatchupRow
}

// Contender is a tool in a comparison.
type Contender struct {
	Ref
	Tagline     string
	Pricing     string // free, freemium, paid
	PricingNote string
	Verdict     Verdict
	Since       Event  // when the label became what it is; zero while it never changed
	Before      string // the label before that
	MergedInto  *Ref
	Merged      Event
	Retired     *Retirement
}

// CompareRow is one reviewer's view of the two.
type CompareRow struct {
	Reviewer    Reviewer
	Left, Right Side
}

// Side is what a reviewer says of one tool now: a review, a withdrawn one, or
// nothing.
type Side struct {
	Review *Review
	Gone   *Withdrawal
}

// Differs reports whether the reviewer ships one of the two and skips the other.
func (r CompareRow) Differs() bool {
	l, ri := r.Left.counts(), r.Right.counts()
	return l != "" && ri != "" && l != ri
}

// counts returns ship or skip, or nothing when the side holds neither.
func (s Side) counts() string {
	if s.Review == nil || s.Review.Verdict == "abstain" {
		return ""
	}
	return s.Review.Verdict
}

// MatchupsView lists the matchups, newest first.
type MatchupsView struct {
	Page
	Matchups   []MatchupRow
	Paging     Paging
	Categories []Count // by slug, linked to the category pages
}
