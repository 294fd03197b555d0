package feeds

import (
	"fmt"

	"shiplog/projections"
)

// ruledMost is how many verdicts the item of a rules event lists.
const ruledMost = 60

// Rules is the item of all label changes by one rules event. changed are some
// of them; the item says how many more there are.
func (c *Composer) Rules(in projections.VerdictItem, changed []projections.VerdictChange) Item {
	r := in.Rules
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
	for i := range changed {
		v := &changed[i]
		m.raw("<li>")
		m.linkedName(c.tool(v.Tool.Slug), display(v.Tool))
		m.text(": " + changeText(v) + ", " + countText(v.To))
		m.raw("</li>\n")
	}
	if more := r.Changed - len(changed); more > 0 {
		m.raw("<li>")
		m.link(c.event(r.Seq), plural(more, "more", "more"))
		m.raw("</li>\n")
	}
	m.raw("</ul>\n")
	c.foot(&m, r.Seq, r.Publisher, "")
	return c.finish(item, &m)
}

// rulesText says the rules in a sentence.
func rulesText(r *projections.Rules) string {
	return fmt.Sprintf("A verdict needs %s now (rules version %d).", plural(r.Quorum, "review", "reviews"), r.Version)
}
