package pages

import "html/template"

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
	if publisher == itself {
		return ", by Shiplog with the first review"
	}
	return template.HTML(`, sent by <bdi>` + escape(publisher) + `</bdi>`)
}

// itself is the publisher of what Shiplog adds on its own, such as a tool that
// came with its first review.
const itself = "shiplog"

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
