package pages

import (
	"io"
	"strings"
)

// MatrixView sets two to five tools side by side, in the order asked for.
type MatrixView struct {
	Page
	Tools    []Contender
	Category string      // slug, when all share one
	Rows     []MatrixRow // in panel order
	Pairs    []PairRow   // every pair of them
	Quotes   bool        // with the quotes
	Only     bool        // only the rows that differ
	// Candidates are tools that could be added, linked; the form below them
	// sends further values of the field "tools", to be joined with commas.
	Candidates []Ref
}

// MatrixRow is one reviewer's verdicts, one side for each tool, in their order.
type MatrixRow struct {
	Reviewer Reviewer
	Sides    []Side
}

// PairRow is one pair within a matrix.
type PairRow struct {
	Opened      Event // zero for a pair that was never opened
	Left, Right Ref
	Result      Result
	ToLeft      []Reviewer // who ships only the left one
	ToRight     []Reviewer // who ships only the right one
}

// Matrix draws tools side by side.
func (p *Pages) Matrix(w io.Writer, v MatrixView) error {
	return p.draw(w, "matrix", frame{
		Page: v.Page, V: v, Nav: "matchups", Path: v.Path(),
		Title:       v.names() + " side by side",
		Description: MatrixLead(v).String(),
		Feeds:       v.feeds(),
		Travel:      travel{Action: "/compare", Keep: v.query()},
	})
}

func (v MatrixView) names() string {
	spans := make([]Span, len(v.Tools))
	for i, t := range v.Tools {
		spans[i] = nameOf(t.Ref)
	}
	return listOf(spans).String()
}

func (v MatrixView) feeds() []Feed {
	var out []Feed
	if v.Category != "" {
		out = append(out, CategoryFeed(v.Category))
	}
	for _, t := range v.Tools {
		out = append(out, t.feed())
	}
	return append(out, MatchupsFeed())
}

func (v MatrixView) query() []field {
	out := []field{{"tools", v.Slugs()}}
	if v.Quotes {
		out = append(out, field{"quotes", "1"})
	}
	if v.Only {
		out = append(out, field{"only", "differences"})
	}
	return out
}

// Slugs lists the tools as the address does.
func (v MatrixView) Slugs() string {
	slugs := make([]string, len(v.Tools))
	for i, t := range v.Tools {
		slugs[i] = t.Slug
	}
	return strings.Join(slugs, ",")
}

// Path is the plain address of these tools in this order.
func (v MatrixView) Path() string { return sides(v.Tools) }

// Toggle is the address with one of the two switches turned over.
func (v MatrixView) Toggle(which string) string {
	quotes, only := v.Quotes, v.Only
	if which == "quotes" {
		quotes = !quotes
	} else {
		only = !only
	}
	path := v.Path()
	if quotes {
		path = withQuery(path, "quotes", "1")
	}
	if only {
		path = withQuery(path, "only", "differences")
	}
	return path
}

// With is the address with one more tool.
func (v MatrixView) With(slug string) string { return sides(v.Tools, slug) }

// Heading and Lead are the first two lines of the page.
func (v MatrixView) Heading() Sentence { return MatrixHeading(v) }

// Lead says who leads.
func (v MatrixView) Lead() Sentence { return MatrixLead(v) }

// Caption says how large the table is.
func (v MatrixView) Caption() string {
	return "Current reviews, " + pluralWords(len(v.Tools), "tool") + " by " + pluralWords(len(v.Rows), "reviewer")
}

// Shown are the rows to draw.
func (v MatrixView) Shown() []MatrixRow {
	if !v.Only {
		return v.Rows
	}
	var out []MatrixRow
	for _, row := range v.Rows {
		if row.Differs() {
			out = append(out, row)
		}
	}
	return out
}

// AnyDiffers reports whether there is a row to show under "only differences".
func (v MatrixView) AnyDiffers() bool {
	for _, row := range v.Rows {
		if row.Differs() {
			return true
		}
	}
	return false
}

// Room reports whether one more tool may be added.
func (v MatrixView) Room() bool { return len(v.Tools) < 5 }

// Differs reports whether the reviewer ships some of the tools and skips others.
func (r MatrixRow) Differs() bool { return r.has("ship") && r.has("skip") }

// Agrees reports whether the reviewer judged two tools or more and gave all the
// same verdict.
func (r MatrixRow) Agrees() bool {
	n := 0
	for _, s := range r.Sides {
		if s.counts() != "" {
			n++
		}
	}
	return n > 1 && !r.Differs()
}

func (r MatrixRow) has(verdict string) bool {
	for _, s := range r.Sides {
		if s.counts() == verdict {
			return true
		}
	}
	return false
}

// Quoted reports whether the reviewer has anything to quote.
func (r MatrixRow) Quoted() bool {
	for _, s := range r.Sides {
		if s.Review != nil {
			return true
		}
	}
	return false
}
