package pages

import "time"

// EventView is the page of one event.
type EventView struct {
	Page
	Facts     EventFacts
	Raw       string // the stored JSON, byte for byte; indented by the page
	Source    string
	ID        string
	Written   time.Time // zero when the publisher gave none
	Recorded  time.Time
	Publisher string
	Cause     uint64 // for derived events
	PrevLeaf  string
	Effects   []Effect
	SkippedBy uint64 // the event that tells every node to pass this one over
	Reason    string // and why
	Prev      *EventLine
	Next      *EventLine
}

// EventFacts is what a sentence about an event needs. Only what its type uses is
// set.
type EventFacts struct {
	Seq      uint64
	Type     string // shiplog.review.submitted.v1 …
	Tool     Ref
	Into     Ref // tool.merged and tool.unmerged
	Left     Ref // matchup.opened
	Right    Ref
	Reviewer Reviewer
	Verdict  string
	Was      string // review.revised: the verdict it replaces
	Revision int
	Replaces uint64 // review.revised, reply.published
	Of       uint64 // review.withdrawn: the review
	Author   string // reply.published
	Again    bool   // a registration or seating of something already known
	Rules    Rules  // rules.published
	Skipped  uint64 // event.skipped
	Title    string // ledger.opened
	Derived  bool   // by Shiplog itself
}

// Effect is one thing an event changed: a tool's verdict or a matchup's result.
type Effect struct {
	Tool          *Ref
	Before, After Verdict // of the tool
	Matchup       *Move
}
