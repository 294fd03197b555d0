package feeds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"shiplog/events"
	"shiplog/projections"
)

// Review is the item of a review. origin is the review that made the item: it
// differs from the one shown after revisions that keep the verdict, and nil
// means it is the one shown. replaced is what the one shown takes the place of;
// nil for a first review.
func (c *Composer) Review(in projections.ReviewItem, origin, replaced *projections.Review) (Item, error) {
	r := &in.Review
	if origin == nil {
		origin = r
	}
	item := Item{
		Seq:        in.Seq,
		ID:         c.mint.Review(in.Seq),
		Title:      reviewTitle(r, origin.Previous),
		Summary:    c.reviewSummary(r),
		Link:       c.review(r.Tool.Slug, r.Reviewer.Slug),
		Authors:    []Author{c.author(r.Reviewer)},
		Categories: labels(r.Category),
		Published:  in.Published,
		Updated:    in.Updated,
	}
	var m markup
	if err := c.reviewContent(&m, r, origin.Previous, replaced); err != nil {
		return Item{}, fmt.Errorf("review item %d: %w", in.Seq, err)
	}
	return c.finish(item, &m), nil
}

// reviewTitle is "The Skeptic on smolvm: Skip → Ship".
func reviewTitle(r *projections.Review, previous events.Verdict) string {
	title := display(r.Reviewer.Ref) + " on " + display(r.Tool) + ": "
	switch {
	case r.Gone():
		return title + "withdrawn"
	case previous != "" && previous != r.Verdict:
		return title + said(previous) + " → " + said(r.Verdict)
	}
	return title + said(r.Verdict)
}

// reviewSummary is the beginning of the text, of Markdown without its marks.
func (c *Composer) reviewSummary(r *projections.Review) string {
	if r.Gone() {
		return gist("Withdrawn: "+r.Reason, gistLimit)
	}
	if r.Format == events.FormatMarkdown {
		head, _ := excerpt(clean(r.Body), quoteMost)
		if html, err := c.markdown(head); err == nil && html != "" {
			return gist(textOf(string(html)), gistLimit)
		}
	}
	return gist(r.Body, gistLimit)
}

func (c *Composer) reviewContent(m *markup, r *projections.Review, previous events.Verdict, replaced *projections.Review) error {
	c.reviewLead(m, r, previous, replaced)
	if r.Gone() {
		c.note(m, "Reason", r.Reason)
		c.foot(m, r.Event.Seq, r.Publisher, r.Category)
		return nil
	}
	if err := c.quote(m, r, bodyLimit); err != nil {
		return err
	}
	c.note(m, "Condition", r.Condition)
	m.list("For it", r.Pros, listLimit)
	m.list("Against it", r.Cons, listLimit)
	c.evidence(m, r.Evidence)
	c.note(m, "Disclosure", r.Disclosure)
	if r.Kind == projections.ReviewRevised {
		c.note(m, "Why it was revised", r.Reason)
	} else {
		c.note(m, "Reason", r.Reason)
	}
	if r.Inferred {
		m.paragraph("The verdict was inferred from the text.")
	}
	c.foot(m, r.Event.Seq, r.Publisher, r.Category)
	return nil
}

// reviewLead says who says what of which tool, and what was said before.
func (c *Composer) reviewLead(m *markup, r *projections.Review, previous events.Verdict, replaced *projections.Review) {
	m.raw("<p>")
	c.critic(m, r.Reviewer)
	m.text(" on ")
	m.linkedName(c.tool(r.Tool.Slug), display(r.Tool))
	m.raw(": <strong>")
	if r.Gone() {
		m.text("withdrawn")
	} else {
		m.text(said(r.Verdict))
	}
	m.raw("</strong>")
	switch {
	case r.Gone() && r.Previous != "":
		m.text(", was " + string(r.Previous))
	case !r.Gone() && previous != "" && previous != r.Verdict:
		m.text(", was " + string(previous))
	}
	m.text(".")
	if r.Revision > 1 && !r.Gone() {
		m.text(" Revision " + strconv.Itoa(r.Revision) + revised(replaced, r) + ".")
	}
	m.raw("</p>\n")
}

// revised says what a revision did.
func revised(before, now *projections.Review) string {
	if before == nil {
		return ""
	}
	if before.Gone() {
		return " comes after a withdrawal"
	}
	var parts []string
	for _, part := range []struct {
		name    string
		changed bool
	}{
		{"the verdict", before.Verdict != now.Verdict},
		{"the text", before.Body != now.Body || before.Format != now.Format},
		{"the condition", before.Condition != now.Condition},
		{"what speaks for it", !slices.Equal(before.Pros, now.Pros)},
		{"what speaks against it", !slices.Equal(before.Cons, now.Cons)},
		{"the evidence", !slices.Equal(before.Evidence, now.Evidence)},
		{"the disclosure", before.Disclosure != now.Disclosure},
	} {
		if part.changed {
			parts = append(parts, part.name)
		}
	}
	switch last := len(parts) - 1; {
	case last < 0:
		return ""
	case last == 0:
		return " changes " + parts[0]
	default:
		return " changes " + strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
}

// evidence adds what can be checked: addresses of the web as links, others as
// they are.
func (c *Composer) evidence(m *markup, addresses []string) {
	if len(addresses) == 0 {
		return
	}
	m.paragraph("Evidence")
	m.raw("<ul>\n")
	left := listLimit
	for i, address := range addresses {
		if left -= len(address); left < 0 {
			m.raw("<li>", plural(len(addresses)-i, "more", "more"), "</li>\n")
			break
		}
		m.raw("<li>")
		if strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
			m.link(address, address)
		} else {
			m.text(address)
		}
		m.raw("</li>\n")
	}
	m.raw("</ul>\n")
}
