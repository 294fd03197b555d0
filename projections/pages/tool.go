package pages

import (
	"io"
	"slices"
	"strings"
)

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

// Tool draws the page of one tool.
func (p *Pages) Tool(w io.Writer, v ToolView) error {
	feeds := []Feed{ToolFeed(v.Tool.Slug, v.Tool.display())}
	if v.Category != "" {
		feeds = append(feeds, CategoryFeed(v.Category))
	}
	return p.draw(w, "tool", frame{
		Page: v.Page, V: v, Nav: "tools", Path: toolPath(v.Tool.Slug),
		Title:       v.Tool.display() + ": " + v.Verdict.brief(),
		Description: v.describe(),
		Feeds:       append(feeds, VerdictsFeed()),
		Travel:      travel{Action: toolPath(v.Tool.Slug)},
		Picture:     v.picture(),
	})
}

// brief is a verdict in a title: "ship, 3 of 4".
func (v Verdict) brief() string {
	if v.Label == "Pending" {
		return "pending, " + v.Count()
	}
	return strings.ToLower(v.Label) + ", " + number(v.Ships) + " of " + number(v.N)
}

func (v ToolView) describe() string {
	s := v.Verdict.String() + "."
	if v.Dissent != nil {
		s += " Lone dissent: " + lowerThe(v.Dissent.Reviewer.display()) + "."
	}
	if v.Tagline != "" {
		s += " " + v.Tagline
	}
	return s
}

// Decided reports whether the tool has a verdict, and so a controversy.
func (v ToolView) Decided() bool { return v.Verdict.Label != "Pending" }

// ControversyText is the controversy with at most two decimals: "0.5 of 1".
func (v ToolView) ControversyText() string { return trimFloat(v.Controversy) + " of 1" }

// Feed is the tool's own feed.
func (v ToolView) Feed() Feed { return ToolFeed(v.Tool.Slug, v.Tool.display()) }

// Side is the address of the tool beside those of its newest matchups, or
// nothing when there are fewer than two.
func (v ToolView) Side() string {
	if len(v.Matchups) < 2 {
		return ""
	}
	slugs := []string{v.Tool.Slug}
	for _, m := range v.Matchups[:min(len(v.Matchups), 4)] {
		slugs = append(slugs, m.Against(v.Tool.Slug).Slug)
	}
	return matrixPath(slugs...)
}

// Against is the other tool of a matchup.
func (m MatchupRow) Against(slug string) Ref {
	if m.Left.Slug == slug {
		return m.Right
	}
	return m.Left
}

// History reports whether there is more to show than the current text.
func (r ToolReview) History() bool {
	return len(r.Revisions) > 1 || (r.Review == nil && len(r.Revisions) > 0)
}

// newestFirst turns the steps around.
func newestFirst(steps []Step) []Step {
	out := slices.Clone(steps)
	slices.Reverse(out)
	return out
}
