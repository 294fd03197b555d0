package projections

import (
	"time"

	"shiplog/events"
)

// ReviewKind is which event a review came by.
type ReviewKind string

// The kinds of review.
const (
	ReviewSubmitted ReviewKind = "submitted"
	ReviewRevised   ReviewKind = "revised"
	ReviewWithdrawn ReviewKind = "withdrawn" // a tombstone: no verdict, no body
)

// Review is one review, one revision of it or the tombstone of one.
type Review struct {
	Event    Stamp
	Kind     ReviewKind
	Tool     Ref
	Category string // of the tool when the review was recorded
	Reviewer Critic

	Verdict  events.Verdict // empty for a tombstone
	Previous events.Verdict // of the one it replaces; empty for a first one or after a tombstone
	// Counts: ship or skip by a reviewer who was seated when it was recorded.
	// Whether it is the current one is told by Until.
	Counts bool
	Until  uint64 // the event that replaced it; 0 while it is current at the snapshot

	Body       string
	Format     string // text, markdown
	Condition  string
	Pros, Cons []string
	Evidence   []string
	Disclosure string
	Reason     string // of the revision or the withdrawal
	Inferred   bool   // provenance "inferred"
	Publisher  string

	Revision int   // 1 for the first; a tombstone has the number of what it withdrew
	Replaces Stamp // the review before; zero for the first

	Written   time.Time
	Published time.Time // min(written, recorded)
	Named     Stamp     // last event that renamed its tool, or changed the name, kind or seat of its reviewer
	Shown     Stamp     // last event that changed what its item shows: it, its tool's name, its reviewer's name or seat
	Worded    Stamp     // since when verdict, text and format are these, as written; of Scorecards only
	Said      Stamp     // the same of verdict and text, in whatever format
	// Item is the sequence in the id of the feed item that shows the review: a
	// revision that keeps the verdict is shown by the item of what it revises.
	Item          uint64
	ItemPublished time.Time
}

// Gone reports whether this is a tombstone.
func (r *Review) Gone() bool { return r.Kind == ReviewWithdrawn }

// Changed is the last event that changed what is shown of the review: it, or a
// new name of its tool or reviewer.
func (r *Review) Changed() Stamp { return r.Event.Later(r.Named) }

// Reply is a vendor's reply.
type Reply struct {
	Event     Stamp
	Tool      Ref
	Author    string
	Body      string
	Publisher string
	Replaces  uint64
}

// MergedFrom is a duplicate of a tool with its current reviews, which do not
// count there.
type MergedFrom struct {
	Tool    Tool
	Reviews []Review // in panel order
}
