package api

import (
	"math"
	"time"

	"shiplog/projections"
)

// Stamp is an event and when it was recorded.
type Stamp struct {
	Seq  uint64    `json:"seq" doc:"sequence of the event"`
	Time time.Time `json:"time" doc:"when it was recorded"`
}

func stampOf(s projections.Stamp) Stamp { return Stamp{Seq: s.Seq, Time: s.Time.UTC()} }

// Removal is since when and why something is not current.
type Removal struct {
	Stamp
	Reason    string `json:"reason,omitempty" doc:"as the event gave it"`
	Publisher string `json:"publisher,omitempty" doc:"who sent the event"`
}

func removalOf(r *projections.Removal) *Removal {
	if r == nil {
		return nil
	}
	return &Removal{Stamp: stampOf(r.Event), Reason: r.Reason, Publisher: r.Publisher}
}

// Verdict is what the panel says of a tool.
type Verdict struct {
	Label   string `json:"label" enum:"Ship,Skip,Split,Pending" doc:"Pending below the quorum, then what more reviews say, Split when equal"`
	Ships   int    `json:"ships" doc:"reviews that say ship"`
	N       int    `json:"n" doc:"reviews that count: ship or skip, by reviewers seated when they were recorded"`
	Percent *int   `json:"percent" doc:"ships of n in percent, rounded half up; null below the quorum"`
	Quorum  int    `json:"quorum" doc:"how many reviews a verdict takes"`
	Text    string `json:"text" example:"Ship 3 of 4 (75%)" doc:"the same in words"`
}

func verdictOf(v projections.Verdict) Verdict {
	out := Verdict{Label: string(v.Label), Ships: v.Ships, N: v.N(), Quorum: v.Quorum, Text: v.Text(v.Quorum)}
	if v.N() >= v.Quorum && v.N() > 0 {
		percent := v.Percent()
		out.Percent = &percent
	}
	return out
}

// VerdictChange is a change of a tool's label.
type VerdictChange struct {
	Stamp
	From     string  `json:"from" enum:"Ship,Skip,Split,Pending" doc:"the label before"`
	To       Verdict `json:"to" doc:"the verdict after, by the quorum of that time"`
	Cause    string  `json:"cause" enum:"review,revision,withdrawal,rules" doc:"what kind of event changed it"`
	Reviewer string  `json:"reviewer,omitempty" doc:"whose; none for rules"`
}

func changesOf(list []projections.VerdictChange) []VerdictChange {
	out := make([]VerdictChange, len(list))
	for i, c := range list {
		out[i] = VerdictChange{
			Stamp: stampOf(c.Event), From: string(c.From), To: verdictOf(c.To),
			Cause: string(c.Cause.Kind), Reviewer: c.Cause.Reviewer.Slug,
		}
	}
	return out
}

// rounded keeps four digits: a share is of few reviews.
func rounded(share float64) float64 { return math.Round(share*1e4) / 1e4 }
