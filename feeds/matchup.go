package feeds

import (
	"fmt"
	"strings"
	"time"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/pages"
)

// Matchup is the item of a matchup with its scorecard as it stands.
func (c *Composer) Matchup(in projections.MatchupItem, card projections.Scorecard) (Item, error) {
	v := &in.Matchup
	quoted := quotedRows(card)
	since, err := c.quotedSince(card, quoted)
	if err != nil {
		return Item{}, fmt.Errorf("matchup item %d: %w", in.Seq, err)
	}
	item := Item{
		Seq:        in.Seq,
		ID:         c.mint.Matchup(in.Seq),
		Title:      display(v.Left.Ref) + " vs " + display(v.Right.Ref),
		Summary:    v.LabelText() + ". " + standing(&v.Left) + ". " + standing(&v.Right) + ".",
		Link:       c.compare(v.Left.Slug, v.Right.Slug),
		Picture:    pages.PictureURL(c.base, v.Left.Slug, v.Right.Slug),
		Categories: labels(v.Category),
		Published:  in.Published,
		Updated:    later(in.Updated, since),
	}
	seen := map[string]bool{}
	for _, q := range quoted {
		if !seen[q.row.Reviewer.Slug] {
			seen[q.row.Reviewer.Slug] = true
			item.Authors = append(item.Authors, c.author(q.row.Reviewer))
		}
	}
	var m markup
	if err := c.matchupContent(&m, v, card, quoted); err != nil {
		return Item{}, fmt.Errorf("matchup item %d: %w", in.Seq, err)
	}
	return c.finish(item, &m), nil
}

// quotedSince is when the last event was recorded that changed what is quoted, by whom
// and in which order. A quotation that is cut leads to the rest of it, which every
// revision moves.
func (c *Composer) quotedSince(card projections.Scorecard, quoted []quotedRow) (time.Time, error) {
	last, limit := card.Ordered, quoteLimit(quoted)
	for i, q := range quoted {
		last = last.Later(q.row.Reviewer.Shown)
		if i >= rowsMost {
			continue
		}
		for _, r := range q.reviews {
			if len(clean(r.Body)) > limit {
				last = last.Later(r.Event)
			}
			since, err := c.saidSince(r)
			if err != nil {
				return time.Time{}, err
			}
			last = last.Later(since)
		}
	}
	return last.Time, nil
}

// saidSince is the event since which a quotation shows what it does. A revision that
// writes the same in another format changes it where the two look different.
func (c *Composer) saidSince(r *projections.Review) (projections.Stamp, error) {
	if r.Worded.Seq == r.Said.Seq {
		return r.Said, nil
	}
	body := clean(r.Body)
	var text, markdown markup
	text.plain(body)
	if err := c.body(&markdown, body, events.FormatMarkdown); err != nil {
		return projections.Stamp{}, err
	}
	if text.String() == markdown.String() {
		return r.Said, nil
	}
	return r.Worded, nil
}

// standing is a tool with its verdict: "smolvm: Ship 3 of 4 (75%)".
func standing(t *projections.Tool) string {
	return display(t.Ref) + ": " + t.Verdict.Text(t.Verdict.Quorum)
}

func (c *Composer) matchupContent(m *markup, v *projections.Matchup, card projections.Scorecard, quoted []quotedRow) error {
	m.sentence(pages.CompareLead(leadView(v, card)))
	m.raw("<ul>\n")
	for _, t := range []*projections.Tool{&v.Left, &v.Right} {
		m.raw("<li>")
		m.linkedName(c.tool(t.Slug), display(t.Ref))
		m.text(": " + t.Verdict.Text(t.Verdict.Quorum))
		if t.Merged != nil {
			m.text(" · merged into ")
			m.linkedName(c.tool(t.Merged.Into.Slug), display(t.Merged.Into))
		}
		if t.Retired != nil {
			m.text(" · retired")
		}
		m.raw("</li>\n")
	}
	m.raw("</ul>\n")
	if err := c.rows(m, v, quoted); err != nil {
		return err
	}
	m.raw("<p>")
	m.link(c.compare(v.Left.Slug, v.Right.Slug), "The comparison")
	m.raw("</p>\n")
	c.foot(m, v.Event.Seq, v.Publisher, v.Category)
	return nil
}

// A quotedRow is one row of the scorecard with the reviews its section quotes.
type quotedRow struct {
	section string
	row     projections.Row
	reviews []*projections.Review
}

// quotedRows are the rows in the order of the page: shared reviewers, those who
// judged one of the two, abstentions. A reviewer who judged one tool and
// abstained on the other stands in two sections; each quotes its own part.
func quotedRows(card projections.Scorecard) []quotedRow {
	var out []quotedRow
	add := func(section string, rows []projections.Row, abstained bool) {
		for _, row := range rows {
			q := quotedRow{section: section, row: row}
			for _, r := range []*projections.Review{row.Left, row.Right} {
				if r != nil && !r.Gone() && (r.Verdict == events.Abstain) == abstained {
					q.reviews = append(q.reviews, r)
				}
			}
			if len(q.reviews) > 0 {
				out = append(out, q)
			}
		}
	}
	add("Judged both", card.Common, false)
	add("Judged only one of the two", card.One, false)
	add("Abstained", card.Abstained, true)
	return out
}

// rows adds the scorecard: each reviewer, then what they say of left and right.
func (c *Composer) rows(m *markup, v *projections.Matchup, quoted []quotedRow) error {
	limit, section := quoteLimit(quoted), ""
	for i, q := range quoted {
		if i == rowsMost {
			m.raw("<p>")
			m.link(c.compare(v.Left.Slug, v.Right.Slug), plural(len(quoted)-i, "more reviewer", "more reviewers"))
			m.raw("</p>\n")
			break
		}
		if q.section != section {
			section = q.section
			m.raw("<h3>", escape(section), "</h3>\n")
		}
		m.raw("<h4>")
		c.critic(m, q.row.Reviewer)
		m.raw("</h4>\n")
		for _, r := range q.reviews {
			m.raw("<p>")
			m.linkedName(c.review(r.Tool.Slug, r.Reviewer.Slug), toolName(v, r))
			m.text(": ")
			m.raw("<strong>", escape(said(r.Verdict)), "</strong></p>\n")
			if err := c.quote(m, r, limit); err != nil {
				return err
			}
		}
	}
	return nil
}

// quoteLimit is how much of each review is quoted.
func quoteLimit(quoted []quotedRow) int {
	quotes := 0
	for _, q := range quoted {
		quotes += len(q.reviews)
	}
	return min(quoteMost, max(quoteLeast, quotesLimit/max(1, quotes)))
}

// toolName is the name of the side a review is of.
func toolName(v *projections.Matchup, r *projections.Review) string {
	switch r.Tool.Slug {
	case v.Left.Slug:
		return display(v.Left.Ref)
	case v.Right.Slug:
		return display(v.Right.Ref)
	}
	return display(r.Tool)
}

// leadView is as much of the page's view as its lead is told from, so that feed
// and page say the same.
func leadView(v *projections.Matchup, card projections.Scorecard) pages.CompareView {
	view := pages.CompareView{
		Page:   pages.Page{Rules: pages.Rules{Quorum: v.Quorum}},
		Left:   contender(&v.Left),
		Right:  contender(&v.Right),
		Result: pages.Result{Kind: string(v.Result.Kind), Edge: v.Result.Edge, Shared: v.Result.Shared},
	}
	if leader := v.Leads(); leader != nil {
		view.Result.Leader = pages.Ref(leader.Ref)
	}
	for _, row := range card.Common {
		view.Shared = append(view.Shared, pages.CompareRow{
			Reviewer: pages.Reviewer{Slug: row.Reviewer.Slug, Name: row.Reviewer.Name},
			Left:     side(row.Left),
			Right:    side(row.Right),
		})
	}
	return view
}

func contender(t *projections.Tool) pages.Contender {
	return pages.Contender{Ref: pages.Ref(t.Ref), Verdict: pages.Verdict{
		Label: string(t.Verdict.Label), Ships: t.Verdict.Ships, N: t.Verdict.N(), Quorum: t.Verdict.Quorum,
	}}
}

func side(r *projections.Review) pages.Side {
	if r == nil || r.Gone() {
		return pages.Side{}
	}
	return pages.Side{Review: &pages.Review{Verdict: strings.ToLower(string(r.Verdict))}}
}
