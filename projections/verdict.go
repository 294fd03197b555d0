package projections

import (
	"time"

	"shiplog/events"
)

// VerdictChange is a change of a tool's label.
type VerdictChange struct {
	Event     Stamp
	Published time.Time
	Tool      Ref
	Category  string // of the tool at that time
	From      events.Label
	To        Verdict // with the quorum of that time
	Cause     Cause
	Named     Stamp // last event that renamed its tool, or changed the name, kind or seat of the reviewer who caused it
	Shown     Stamp // last event that changed what its item shows: it, its tool's name, that reviewer's name or seat
}

// Changed is the last event that changed what is shown of it.
func (c *VerdictChange) Changed() Stamp { return c.Event.Later(c.Named) }

// CauseKind is what kind of event changed a count or a label.
type CauseKind string

// The kinds of cause.
const (
	CauseReview     CauseKind = "review"     // a first review, or one after a withdrawal
	CauseRevision   CauseKind = "revision"   // a changed one
	CauseWithdrawal CauseKind = "withdrawal" //
	CauseRules      CauseKind = "rules"
)

// Cause is what changed a count or a label.
type Cause struct {
	Kind      CauseKind
	Publisher string
	Reviewer  Critic         // zero for rules
	Was, Now  events.Verdict // of the reviewer; empty for none
	Reason    string         // as the event gave it
}

// Step is one event that changed the counts behind a verdict.
type Step struct {
	Event   Stamp
	Verdict Verdict // after it, with the quorum of that time
	Cause   Cause
}
