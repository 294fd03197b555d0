package api

import (
	"time"

	"shiplog/projections"
)

// Review is one review, one revision of it or the tombstone of one.
type Review struct {
	Seq      uint64    `json:"seq" doc:"the event that made it"`
	Recorded time.Time `json:"recorded" doc:"when it was recorded"`
	Written  time.Time `json:"written" doc:"when it was written, as the publisher says"`
	Kind     string    `json:"kind" enum:"submitted,revised,withdrawn" doc:"a withdrawn one is a tombstone: it has no verdict and no body"`

	Tool         string `json:"tool" doc:"slug of the tool"`
	Reviewer     string `json:"reviewer" doc:"slug of the reviewer"`
	ReviewerName string `json:"reviewer_name"`
	ReviewerKind string `json:"reviewer_kind" enum:"human,ai,team"`
	Former       bool   `json:"former" doc:"whether the reviewer has left the panel; what was said before keeps counting"`

	Verdict    string `json:"verdict,omitempty" enum:"ship,skip,abstain"`
	Previous   string `json:"previous,omitempty" enum:"ship,skip,abstain" doc:"the verdict it replaces"`
	Counts     bool   `json:"counts" doc:"whether it is of the kind that counts: ship or skip, by a reviewer seated when it was recorded"`
	Current    bool   `json:"current" doc:"whether nothing has replaced it"`
	ReplacedBy uint64 `json:"replaced_by,omitempty" doc:"the event that did"`
	Replaces   uint64 `json:"replaces,omitempty" doc:"the event it replaces"`
	Revision   int    `json:"revision" doc:"1 for the first; a tombstone has the number of what it withdrew"`

	Body       string   `json:"body,omitempty" doc:"the source text, as sent"`
	Format     string   `json:"format,omitempty" enum:"text,markdown" doc:"how body is to be read"`
	Condition  string   `json:"condition,omitempty" doc:"what the verdict depends on"`
	Pros       []string `json:"pros,omitempty" nullable:"false"`
	Cons       []string `json:"cons,omitempty" nullable:"false"`
	Evidence   []string `json:"evidence,omitempty" nullable:"false" doc:"URLs"`
	Disclosure string   `json:"disclosure,omitempty" doc:"interests the reviewer declares"`
	Reason     string   `json:"reason,omitempty" doc:"of the revision or the withdrawal"`
	Provenance string   `json:"provenance,omitempty" enum:"stated,inferred" doc:"whether the reviewer said so, or it was inferred"`
	Publisher  string   `json:"publisher" doc:"who sent it, as the server knows it"`
}

func reviewOf(r *projections.Review) Review {
	out := Review{
		Seq: r.Event.Seq, Recorded: r.Event.Time.UTC(), Written: r.Written.UTC(), Kind: string(r.Kind),
		Tool: r.Tool.Slug, Reviewer: r.Reviewer.Slug, ReviewerName: r.Reviewer.Name, ReviewerKind: r.Reviewer.Kind, Former: r.Reviewer.Former,
		Verdict: string(r.Verdict), Previous: string(r.Previous), Counts: r.Counts,
		Current: r.Until == 0, ReplacedBy: r.Until, Replaces: r.Replaces.Seq, Revision: r.Revision,
		Body: r.Body, Condition: r.Condition, Pros: r.Pros, Cons: r.Cons, Evidence: r.Evidence,
		Disclosure: r.Disclosure, Reason: r.Reason, Publisher: r.Publisher,
	}
	if r.Gone() {
		return out
	}
	out.Format, out.Provenance = r.Format, "stated"
	if r.Inferred {
		out.Provenance = "inferred"
	}
	return out
}

func reviewsOf(list []projections.Review) []Review {
	out := make([]Review, len(list))
	for i := range list {
		out[i] = reviewOf(&list[i])
	}
	return out
}

// Reply is what the maker of a tool says to the panel. It never counts.
type Reply struct {
	Stamp
	Author    string `json:"author,omitempty"`
	Body      string `json:"body" doc:"plain text"`
	Publisher string `json:"publisher"`
	Replaces  uint64 `json:"replaces,omitempty" doc:"the reply it replaces"`
}

func repliesOf(list []projections.Reply) []Reply {
	out := make([]Reply, len(list))
	for i, r := range list {
		out[i] = Reply{Stamp: stampOf(r.Event), Author: r.Author, Body: r.Body, Publisher: r.Publisher, Replaces: r.Replaces}
	}
	return out
}
