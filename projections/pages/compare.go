package pages

import (
	"io"
	"strings"
)

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
	Prev, Next      *MatchupLink
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

// Compare draws a comparison page.
func (p *Pages) Compare(w io.Writer, v CompareView) error {
	path := comparePath(v.Left.Slug, v.Right.Slug)
	t := travel{Action: path}
	if v.OnlyDifferences {
		t.Keep = []field{{"only", "differences"}}
	}
	return p.draw(w, "compare", frame{
		Page: v.Page, V: v, Nav: "matchups", Path: path,
		Title:       v.Left.display() + " vs " + v.Right.display() + ": " + v.brief(),
		Description: CompareLead(v).String(),
		Feeds:       []Feed{v.Left.feed(), v.Right.feed(), MatchupsFeed()},
		Travel:      t,
		Picture:     v.picture(),
	})
}

func (c Contender) feed() Feed { return ToolFeed(c.Slug, c.display()) }

// brief is the result in a title: "leans Ferrule, 3 shared reviewers".
func (v CompareView) brief() string {
	label := ResultLabel(v.Result).String()
	return strings.ToLower(label[:1]) + label[1:] + ", " + plural(v.Result.Shared, "shared reviewer")
}

// Lead is the sentence that answers the page.
func (v CompareView) Lead() Sentence { return CompareLead(v) }

// Path is the page's own address.
func (v CompareView) Path() string { return comparePath(v.Left.Slug, v.Right.Slug) }

// Swapped is the address of the two with their sides swapped. It is not the
// other canonical address, since that leads back here.
func (v CompareView) Swapped() string { return matrixPath(v.Right.Slug, v.Left.Slug) }

// Third is the address where a third tool can be added.
func (v CompareView) Third() string { return matrixPath(v.Left.Slug, v.Right.Slug) + "#add" }

// Contenders are both tools, left first.
func (v CompareView) Contenders() []Contender { return []Contender{v.Left, v.Right} }

// Priced reports whether a price is known for either, and Described the same of
// what they are.
func (v CompareView) Priced() bool { return v.Left.Pricing != "" || v.Right.Pricing != "" }

// Described reports whether either says what it is.
func (v CompareView) Described() bool { return v.Left.Tagline != "" || v.Right.Tagline != "" }

// PriceDiffers reports whether two known prices differ.
func (v CompareView) PriceDiffers() bool {
	l, r := v.Left, v.Right
	return l.Pricing != "" && r.Pricing != "" && (l.Pricing != r.Pricing || l.PricingNote != r.PricingNote)
}

// VerdictDiffers reports whether the panels' labels differ.
func (v CompareView) VerdictDiffers() bool { return v.Left.Verdict.Label != v.Right.Verdict.Label }
