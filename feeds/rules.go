package feeds

import (
	"fmt"

	"shiplog/projections"
)

// ruledMost is how many verdicts the item of a rules event lists.
const ruledMost = 60

// Rules is the item of all label changes by one rules event. effects are what
// that event changed, named as of then.
func (c *Composer) Rules(in projections.VerdictItem, effects []projections.ToolEffect) Item {
	r := in.Rules
	changed := relabelled(effects)
	item := Item{
		Seq:       in.Seq,
		ID:        c.mint.Rules(in.Seq),
		Title:     "Rules changed: " + plural(r.Changed, "verdict", "verdicts"),
		Summary:   rulesText(r) + " " + plural(r.Changed, "verdict", "verdicts") + " changed.",
		Link:      c.base + "/rules",
		Published: in.Published,
		Updated:   in.Updated,
	}
	var m markup
	m.raw("<p>")
	m.text(rulesText(r)+" ", plural(r.Changed, "verdict", "verdicts")+" changed under ")
	m.link(item.Link, "the new rules")
	m.text(":")
	m.raw("</p>\n<ul>\n")
	for i, e := range changed {
		if i == ruledMost {
			m.raw("<li>")
			m.link(c.event(r.Seq), plural(len(changed)-i, "more", "more"))
			m.raw("</li>\n")
			break
		}
		m.raw("<li>")
		m.linkedName(c.tool(e.Tool.Slug), display(e.Tool))
		m.text(": " + string(e.Before.Label) + " → " + string(e.After.Label) + ", " + countText(e.After))
		m.raw("</li>\n")
	}
	m.raw("</ul>\n")
	c.foot(&m, r.Seq, r.Publisher, "")
	item.Content = m.String()
	return item
}

// relabelled are the effects that changed a label.
func relabelled(effects []projections.ToolEffect) []projections.ToolEffect {
	var out []projections.ToolEffect
	for _, e := range effects {
		if e.Before.Label != e.After.Label {
			out = append(out, e)
		}
	}
	return out
}

// rulesText says the rules in a sentence.
func rulesText(r *projections.Rules) string {
	return fmt.Sprintf("A verdict needs %s now (rules version %d).", plural(r.Quorum, "review", "reviews"), r.Version)
}
