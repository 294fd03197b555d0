package feeds

import (
	"fmt"
	"strconv"
	"strings"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/pages"
)

// Verdict is the item of a change of one tool's label. review is the review,
// revision or tombstone that changed it; nil for rules.
func (c *Composer) Verdict(in projections.VerdictItem, review *projections.Review) (Item, error) {
	v := in.Change
	item := Item{
		Seq:        in.Seq,
		ID:         c.mint.Verdict(in.Seq, v.Tool.Slug),
		Title:      display(v.Tool) + ": " + changeText(v) + ", " + countText(v.To),
		Summary:    strings.TrimSpace(changeText(v) + ", " + countText(v.To) + ". " + causeText(&v.Cause)),
		Link:       c.tool(v.Tool.Slug),
		Picture:    pages.ToolPictureURL(c.base, v.Tool.Slug, in.Seq),
		Categories: labels(v.Category),
		Published:  in.Published,
		Updated:    in.Updated,
	}
	if v.Cause.Kind != projections.CauseRules {
		item.Authors = []Author{c.author(v.Cause.Reviewer)}
	}
	var m markup
	m.raw("<p>")
	m.linkedName(c.tool(v.Tool.Slug), display(v.Tool))
	m.text(" was " + string(v.From) + " and is ")
	m.raw("<strong>", escape(string(v.To.Label)), "</strong>")
	m.text(": " + v.To.Count(v.To.Quorum) + ".")
	m.raw("</p>\n")
	if err := c.cause(&m, &v.Cause, review); err != nil {
		return Item{}, fmt.Errorf("verdict item %d: %w", in.Seq, err)
	}
	c.foot(&m, v.Event.Seq, v.Cause.Publisher, v.Category)
	return c.finish(item, &m), nil
}

func changeText(v *projections.VerdictChange) string {
	return string(v.From) + " → " + string(v.To.Label)
}

// countText is "2 of 4", or "2 of 3 reviews" below the quorum.
func countText(v projections.Verdict) string {
	if v.Label == events.LabelPending {
		return v.Count(v.Quorum)
	}
	return strconv.Itoa(v.Ships) + " of " + strconv.Itoa(v.N())
}

// causeText says what moved the verdict.
func causeText(cause *projections.Cause) string {
	who := display(cause.Reviewer.Ref)
	switch cause.Kind {
	case projections.CauseReview:
		return who + " says " + string(cause.Now) + "."
	case projections.CauseRevision:
		if cause.Was == "" || cause.Was == cause.Now {
			return who + " revised a review."
		}
		return who + " moved from " + string(cause.Was) + " to " + string(cause.Now) + "."
	case projections.CauseWithdrawal:
		if cause.Was == "" {
			return who + " withdrew a review."
		}
		return who + " withdrew a review that said " + string(cause.Was) + "."
	case projections.CauseRules:
		return "The rules changed."
	}
	return ""
}

// cause adds whose review changed the verdict and what it says.
func (c *Composer) cause(m *markup, cause *projections.Cause, review *projections.Review) error {
	if cause.Kind == projections.CauseRules {
		m.raw("<p>")
		m.link(c.base+"/rules", causeText(cause))
		m.raw("</p>\n")
		return nil
	}
	who := display(cause.Reviewer.Ref)
	m.raw("<p>")
	c.critic(m, cause.Reviewer)
	m.text(strings.TrimPrefix(causeText(cause), who))
	m.raw("</p>\n")
	if review != nil && !review.Gone() {
		if err := c.quote(m, review, quoteMost); err != nil {
			return err
		}
	}
	c.note(m, "Reason", cause.Reason)
	return nil
}
