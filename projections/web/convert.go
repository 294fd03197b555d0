package web

import (
	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/pages"
)

// eventOf is an event with the date that readers are shown, as in feeds.
func eventOf(s projections.Stamp) pages.Event { return pages.Event{Seq: s.Seq, Time: s.Published} }

// recordOf is an event with the time it was recorded, for where the page speaks
// of the ledger itself.
func recordOf(s projections.Stamp) pages.Event { return pages.Event{Seq: s.Seq, Time: s.Time} }

func refOf(r projections.Ref) pages.Ref { return pages.Ref{Slug: r.Slug, Name: r.Name} }

func rulesOf(r projections.Rules) pages.Rules {
	return pages.Rules{
		Event: eventOf(r.Event), Version: r.Version, Quorum: r.Quorum, Matchmaking: r.Matchmaking,
		MaxMatchups: r.MaxMatchupsPerTool, Publisher: r.Publisher, Changed: r.Changed,
	}
}

func verdictOf(v projections.Verdict) pages.Verdict {
	return pages.Verdict{Label: string(v.Label), Ships: v.Ships, N: v.N(), Quorum: v.Quorum}
}

func criticOf(c projections.Critic) pages.Reviewer {
	return pages.Reviewer{Slug: c.Slug, Name: c.Name, Kind: c.Kind, Former: c.Former}
}

func criticsOf(list []projections.Critic) []pages.Reviewer {
	out := make([]pages.Reviewer, len(list))
	for i, c := range list {
		out[i] = criticOf(c)
	}
	return out
}

func reviewerOf(r *projections.Reviewer) pages.Reviewer {
	return pages.Reviewer{Slug: r.Slug, Name: r.Name, Kind: r.Kind, Former: r.Former != nil}
}

func reviewerRowOf(r *projections.Reviewer) pages.ReviewerRow {
	return pages.ReviewerRow{
		Reviewer: reviewerOf(r), Motto: r.Motto, Ships: r.Tally.Ships, N: r.Tally.N(), LoneDissents: r.LoneDissents,
	}
}

func removalOf(r *projections.Removal) *pages.Retirement {
	if r == nil {
		return nil
	}
	return &pages.Retirement{Event: eventOf(r.Event), Reason: r.Reason}
}

func toolRowOf(t *projections.Tool) pages.ToolRow {
	return pages.ToolRow{
		Ref: refOf(t.Ref), Tagline: t.Tagline, Category: t.Category, Verdict: verdictOf(t.Verdict),
		Changed: eventOf(t.Changed()), Retired: t.Retired != nil,
	}
}

func toolRows(list []projections.Tool) []pages.ToolRow {
	out := make([]pages.ToolRow, len(list))
	for i := range list {
		out[i] = toolRowOf(&list[i])
	}
	return out
}

func resultOf(r events.Result, left, right projections.Ref) pages.Result {
	out := pages.Result{Kind: string(r.Kind), Edge: r.Edge, Shared: r.Shared}
	switch r.Leads {
	case events.LeftSide:
		out.Leader = refOf(left)
	case events.RightSide:
		out.Leader = refOf(right)
	}
	return out
}

// matchupRows are the rows of matchups, all of which the page shows.
func (r *reading) matchupRows(list []projections.Matchup) []pages.MatchupRow {
	out := make([]pages.MatchupRow, len(list))
	for i := range list {
		m := &list[i]
		out[i] = pages.MatchupRow{
			Opened: eventOf(m.Event), Left: refOf(m.Left.Ref), Right: refOf(m.Right.Ref),
			Result: resultOf(m.Result, m.Left.Ref, m.Right.Ref),
		}
		// Not all that Changed tells of: a row names no reviewers.
		r.shows(m.Event, m.Left.Named, m.Left.Judged, m.Right.Named, m.Right.Judged)
	}
	return out
}

func changeRowOf(c *projections.VerdictChange) pages.ChangeRow {
	return pages.ChangeRow{Event: eventOf(c.Event), Tool: refOf(c.Tool), From: string(c.From), To: verdictOf(c.To)}
}

// review is a review with its text rendered.
func (r *reading) review(v *projections.Review) (*pages.Review, error) {
	r.shows(v.Changed())
	body, err := r.h.body(v)
	if err != nil {
		return nil, err
	}
	out := &pages.Review{
		Event: eventOf(v.Event), Reviewer: criticOf(v.Reviewer), Tool: refOf(v.Tool), Verdict: string(v.Verdict),
		Body: body, Revision: v.Revision, Condition: v.Condition, Pros: v.Pros, Cons: v.Cons, Evidence: v.Evidence,
		Disclosure: v.Disclosure, Reason: v.Reason, Inferred: v.Inferred, Publisher: v.Publisher,
	}
	if v.Previous != v.Verdict {
		out.Was = string(v.Previous)
	}
	return out, nil
}

func (r *reading) withdrawal(v *projections.Review) *pages.Withdrawal {
	r.shows(v.Changed())
	return &pages.Withdrawal{
		Event: eventOf(v.Event), Reason: v.Reason, Of: eventOf(v.Replaces), OfVerdict: string(v.Previous), Publisher: v.Publisher,
	}
}

// side is what a reviewer says of a tool: nil means nothing.
func (r *reading) side(v *projections.Review) (pages.Side, error) {
	switch {
	case v == nil:
		return pages.Side{}, nil
	case v.Gone():
		return pages.Side{Gone: r.withdrawal(v)}, nil
	}
	review, err := r.review(v)
	return pages.Side{Review: review}, err
}

func contenderOf(t *projections.Tool) pages.Contender {
	c := pages.Contender{
		Ref: refOf(t.Ref), Tagline: t.Tagline, Pricing: t.Pricing, PricingNote: t.PricingNote, Verdict: verdictOf(t.Verdict),
		Since: eventOf(t.Since), Before: string(t.Before), Retired: removalOf(t.Retired),
	}
	if t.Merged != nil {
		into := refOf(t.Merged.Into)
		c.MergedInto, c.Merged = &into, eventOf(t.Merged.Event)
	}
	return c
}
