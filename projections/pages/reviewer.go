package pages

import (
	"io"
	"strings"
)

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
	Merged      bool   // of a duplicate: it counts for nothing
	Publisher   string // named where it is not "local"
}

// Agreement is how often two reviewers gave the same verdict to a tool both judged.
type Agreement struct {
	With     Reviewer
	Same, Of int
}

// Reviewers draws the panel.
func (p *Pages) Reviewers(w io.Writer, v ReviewersView) error {
	return p.draw(w, "reviewers", frame{
		Page: v.Page, V: v, Nav: "reviewers", Here: true, Path: "/reviewers",
		Title:       "Reviewers",
		Description: "The " + plural(len(v.Seated), "seat") + " of the panel, with how often each says ship.",
		Feeds:       []Feed{ReviewsFeed(), VerdictsFeed(), MatchupsFeed()},
		Travel:      travel{Action: "/reviewers"},
	})
}

// Reviewer draws the page of one reviewer.
func (p *Pages) Reviewer(w io.Writer, v ReviewerView) error {
	r, path := v.Reviewer, reviewerPath(v.Reviewer.Slug)
	return p.draw(w, "reviewer", frame{
		Page: v.Page, V: v, Nav: "reviewers", Path: withPage(path, v.Paging.Number),
		Title:       v.Paging.titled(r.display() + ": " + v.brief()),
		Description: r.display() + " " + v.brief() + verb(v.N, " tool.", " tools."),
		Feeds:       []Feed{ReviewerFeed(r.Slug, r.display()), ReviewsFeed()},
		Travel:      travel{Action: path},
	})
}

func (v ReviewerView) brief() string {
	if v.N == 0 {
		return "no reviews yet"
	}
	return "ships " + number(v.Ships) + " of " + number(v.N)
}

// Feed is the reviewer's own feed.
func (v ReviewerView) Feed() Feed { return ReviewerFeed(v.Reviewer.Slug, v.Reviewer.display()) }

// StripText reads the strip of shapes aloud.
func (v ReviewerView) StripText() string { return strings.Join(v.Strip, ", ") }

// StripCaption says what the strip holds.
func (v ReviewerView) StripCaption() string {
	if len(v.Strip) < v.N {
		return "The last " + words(len(v.Strip)) + " reviews in ledger order, oldest first."
	}
	return capital(pluralWords(len(v.Strip), "current review")) + " in ledger order, oldest first."
}

// Links are the ways to the other parts of the list.
func (v ReviewerView) Links() []pageLink {
	return pageLinks(v.Paging, reviewerPath(v.Reviewer.Slug), "review")
}

// Habit is a remark on a reviewer who never says the other word.
func (r ReviewerRow) Habit() string {
	switch {
	case r.N < 3:
		return ""
	case r.Ships == r.N:
		return "has never skipped"
	case r.Ships == 0:
		return "has never shipped"
	}
	return ""
}

// Name is the reviewer's name as shown.
func (v ReviewerView) Name() string { return v.Reviewer.display() }
