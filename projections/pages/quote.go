package pages

import (
	"html/template"
	"strings"
	"time"
)

// quote is a review as a figure: the words above it, the text, the caption.
type quote struct {
	*Review
	Head    string // what stands above: the tool's name or "Said then"; may be empty
	HeadIs  string // "name" when Head was chosen by a publisher
	Speaker string // read to those who do not see the margin, or shown
	Shown   bool   // the speaker is shown
	Detail  bool   // with condition, disclosure, evidence, pros and cons
	Link    bool   // the revision links to the tool's page
	Plain   bool   // the revision is not told, since the place tells it
}

// newQuote prepares a review for one of the places it appears in: compare,
// tool, merged, dissent, then, now, matrix.
func newQuote(r *Review, place string) quote {
	q := quote{Review: r, Speaker: r.Reviewer.display(), Detail: true}
	switch place {
	case "compare", "matrix":
		q.Head, q.HeadIs, q.Link, q.Detail = r.Tool.display(), "name", true, false
	case "then", "now":
		q.Head, q.Shown, q.Plain, q.Detail = "Says now", true, true, false
		if place == "then" {
			q.Head = "Said then"
		}
		q.Speaker += " on " + r.Tool.display()
	case "dissent":
		q.Speaker += ", " + kindName(r.Reviewer.Kind)
		q.Shown, q.Detail = true, false
	}
	return q
}

// foreign reports whether a publisher is named: all but this machine's own.
func foreign(publisher string) bool { return publisher != "" && publisher != "local" }

// fromPublisher says who sent an event, where that is told.
func fromPublisher(publisher string) template.HTML {
	if !foreign(publisher) {
		return ""
	}
	return template.HTML(`, sent by <bdi>` + escape(publisher) + `</bdi>`)
}

// newestRevisions are those shown in full.
func newestRevisions(r ToolReview) []revision {
	shown := min(len(r.Revisions), 3)
	out := make([]revision, shown)
	for i := range out {
		out[i] = revision{Review: r.Revisions[i]}
		if i+1 < len(r.Revisions) && r.Revisions[i].Body.HTML == "" && r.Revisions[i+1].Body.HTML == "" {
			out[i].Parts = Diff(r.Revisions[i+1].Body.Text, r.Revisions[i].Body.Text)
		}
	}
	return out
}

// revision is one text of a review's history, with marks against the one before
// where both are plain text.
type revision struct {
	Review
	Parts []DiffPart
}

// Marked draws the text with its marks.
func (r revision) Marked() template.HTML { return diffHTML(r.Parts) }

// clockHTML and fullHTML give a time to the minute and to the second.
func clockHTML(t time.Time) string { return t.UTC().Format(clockLayout) }

func fullHTML(t time.Time) template.HTML { return timeHTML(t, fullLayout) }

// breakable lets an address wrap after its slashes.
func breakable(address string) template.HTML {
	_, rest, _ := strings.Cut(address, "://")
	return template.HTML(strings.ReplaceAll(escape(rest), "/", "/<wbr>"))
}

// section is one part of a scorecard. Prefix keeps ids apart where a reviewer
// stands in two sections.
type section struct {
	Prefix      string
	Left, Right Contender
	Rows        []CompareRow
	Marks       bool // say whether the two verdicts agree
}

func newSection(prefix string, v CompareView, rows []CompareRow) section {
	s := section{Prefix: prefix, Left: v.Left, Right: v.Right, Marks: prefix == "both", Rows: rows}
	if s.Marks && v.OnlyDifferences {
		s.Rows = nil
		for _, row := range rows {
			if row.Differs() {
				s.Rows = append(s.Rows, row)
			}
		}
	}
	return s
}

// cell is one side of a row, with all that is needed to say why it is empty.
type cell struct {
	Side
	Tool      Contender
	Reviewer  Reviewer
	Abstained bool // this section is the one that quotes abstentions
}

// Cells are the two sides of a row.
func (s section) Cells(row CompareRow) []cell {
	abstained := s.Prefix == "abst"
	return []cell{
		{row.Left, s.Left, row.Reviewer, abstained},
		{row.Right, s.Right, row.Reviewer, abstained},
	}
}

// Quoted reports whether this section quotes the side's review. A reviewer who
// judged one tool and abstained on the other stands in two sections.
func (c cell) Quoted() bool {
	return c.Review != nil && (c.Review.Verdict == "abstain") == c.Abstained
}

// Agreed is the verdict both sides share, or nothing.
func (r CompareRow) Agreed() string {
	if r.Differs() {
		return ""
	}
	return r.Left.counts()
}
