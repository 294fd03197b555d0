package api

import (
	"shiplog/projections"
)

// Tool is a tool as lists show it.
type Tool struct {
	Tool    string  `json:"tool" example:"tidegate" doc:"its slug, which never changes"`
	Name    string  `json:"name" example:"Tidegate"`
	Verdict Verdict `json:"verdict" doc:"what the panel says"`
	Seq     uint64  `json:"seq" doc:"the last event that changed it: facts, verdict, and where they are shown reviews and replies"`
	URL     string  `json:"url" format:"uri-reference" doc:"its page"`

	Category    string   `json:"category,omitempty" doc:"slug of the category"`
	Tagline     string   `json:"tagline,omitempty"`
	Homepage    string   `json:"homepage,omitempty" format:"uri"`
	Pricing     string   `json:"pricing,omitempty" enum:"free,freemium,paid"`
	PricingNote string   `json:"pricing_note,omitempty"`
	Registered  Stamp    `json:"registered" doc:"the event that registered it first"`
	Publisher   string   `json:"publisher" doc:"who sent that event"`
	MergedInto  *Merge   `json:"merged_into,omitempty" doc:"for a duplicate: which tool it is"`
	Retired     *Removal `json:"retired,omitempty" doc:"for a tool no longer current"`

	Abstains    int           `json:"abstains" doc:"current reviews that abstain; they do not count"`
	Unanimous   bool          `json:"unanimous" doc:"whether the quorum is met and all agree"`
	LoneDissent *LoneDissent  `json:"lone_dissent,omitempty" doc:"the reviewer who alone disagrees with two or more"`
	Controversy *float64      `json:"controversy" doc:"2·min(ship, skip)/n, from 0 (all agree) to 1 (evenly split); null below the quorum"`
	Since       *VerdictSince `json:"since,omitempty" doc:"when the label became what it is; left out while it never changed"`
}

// Merge says which tool a duplicate is.
type Merge struct {
	Stamp
	Tool   string `json:"tool" doc:"slug of the tool it was merged into"`
	Name   string `json:"name"`
	Reason string `json:"reason,omitempty"`
}

// LoneDissent is the reviewer who alone disagrees.
type LoneDissent struct {
	Reviewer string `json:"reviewer" doc:"slug"`
	Name     string `json:"name"`
	Verdict  string `json:"verdict" enum:"ship,skip"`
}

// VerdictSince is the event that made a label what it is.
type VerdictSince struct {
	Stamp
	Before string `json:"before" enum:"Ship,Skip,Split,Pending" doc:"the label until then"`
}

func (a *API) toolOf(t *projections.Tool) Tool {
	out := Tool{
		Tool: t.Slug, Name: t.Name, Verdict: verdictOf(t.Verdict), Seq: t.Changed().Seq, URL: a.o.BaseURL + "/tools/" + t.Slug,
		Category: t.Category, Tagline: t.Tagline, Homepage: t.Homepage, Pricing: t.Pricing, PricingNote: t.PricingNote,
		Registered: stampOf(t.Registered), Publisher: t.Publisher, Retired: removalOf(t.Retired),
		Abstains: t.Verdict.Abstains, Unanimous: t.Verdict.Unanimous(t.Verdict.Quorum),
	}
	if m := t.Merged; m != nil {
		out.MergedInto = &Merge{Stamp: stampOf(m.Event), Tool: m.Into.Slug, Name: m.Into.Name, Reason: m.Reason}
	}
	if t.Lone != nil {
		out.LoneDissent = &LoneDissent{Reviewer: t.Lone.Slug, Name: t.Lone.Name, Verdict: string(t.Verdict.LoneDissent())}
	}
	if share, ok := t.Verdict.Controversy(t.Verdict.Quorum); ok {
		share = rounded(share)
		out.Controversy = &share
	}
	if t.Since.Seq != 0 {
		out.Since = &VerdictSince{Stamp: stampOf(t.Since), Before: string(t.Before)}
	}
	return out
}

func (a *API) toolsOf(list []projections.Tool) []Tool {
	out := make([]Tool, len(list))
	for i := range list {
		out[i] = a.toolOf(&list[i])
	}
	return out
}
