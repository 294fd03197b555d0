package decide

import (
	"strconv"

	"shiplog/events"
)

func itoa(i int) string { return strconv.Itoa(i) }

func (d *decider) review(p *events.ReviewSubmitted) {
	slug, t, known := d.lookup(p.Tool)
	switch {
	case known && t.Merged != "":
		d.tool("tool", slug)
	case !known && p.ToolName == "":
		d.unknownTool("tool", p.Tool)
	}
	reviewer, seen, _ := d.s.Reviewer(p.Reviewer)
	switch {
	case !seen && p.ReviewerName == "":
		d.unknownReviewer(p.Reviewer)
	case seen && !reviewer.Seated:
		d.refuse("reviewer", events.CodeUnseated, "reviewer %q is no longer seated; seat it again first with %s",
			p.Reviewer, (*events.ReviewerSeated)(nil).Type())
	}
	if len(d.problems) > 0 {
		return
	}
	say := p.Review
	say.Tool = slug
	old, reviewed, _ := d.s.Review(About{slug, p.Reviewer})
	if reviewed && !old.Withdrawn && old.Digest == digest(&say) {
		d.duplicate(old.Seq, recordedType(old))
		return
	}
	if current := old.current(); events.Has(p, "expects") && uint64(p.Expects) != current {
		d.stale(p, current)
		return
	}
	if !known {
		d.derive(IntakeSource, "tool/"+slug, &events.ToolRegistered{Tool: slug, Name: p.ToolName})
	}
	if !seen {
		d.derive(IntakeSource, "reviewer/"+p.Reviewer, &events.ReviewerSeated{Reviewer: p.Reviewer, Name: p.ReviewerName})
	}
	d.record(p, say, old, reviewed)
	d.matchAfter(slug, t, old.standing(), events.Verdict(say.Verdict))
}

// record accepts a first review as such and a changed one as a revision.
func (d *decider) record(p *events.ReviewSubmitted, say events.Review, old Review, reviewed bool) {
	if !reviewed {
		// What else was sent are instructions, which are not stored.
		d.accept(&events.ReviewSubmitted{Members: p.Members, Review: say})
		return
	}
	d.accept(&events.ReviewRevised{Review: say, Revision: old.Revision + 1, Replaces: int64(old.Seq)})
}

func recordedType(r Review) string {
	if r.Revision > 1 {
		return (*events.ReviewRevised)(nil).Type()
	}
	return (*events.ReviewSubmitted)(nil).Type()
}

// current is the sequence of the review that stands, 0 for none.
func (r Review) current() uint64 {
	if r.Withdrawn {
		return 0
	}
	return r.Seq
}

func (d *decider) stale(p *events.ReviewSubmitted, current uint64) {
	now := "there is no current review; expects must be 0"
	if current != 0 {
		now = "the current review is event " + strconv.FormatUint(current, 10)
	}
	d.refuse("expects", events.CodeStale, "expects %d, but %s; read it and decide again", p.Expects, now)
}

func (d *decider) withdraw(p *events.ReviewWithdrawn) {
	slug, _, _ := d.tool("tool", p.Tool)
	if _, seen, _ := d.s.Reviewer(p.Reviewer); !seen {
		d.unknownReviewer(p.Reviewer)
	}
	if len(d.problems) > 0 {
		return
	}
	old, reviewed, _ := d.s.Review(About{slug, p.Reviewer})
	if !reviewed || old.Withdrawn {
		d.refuse("reviewer", events.CodeNotCurrent, "%q has no current review of %q; there is nothing to withdraw", p.Reviewer, slug)
		return
	}
	with := *p
	with.Tool = slug
	d.accept(&with)
}
