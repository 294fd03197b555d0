package projections

import (
	"time"

	"shiplog/events"
)

// A Stamp is an event and when it was recorded. A zero Seq means none.
type Stamp struct {
	Seq  uint64
	Time time.Time // recordedtime, UTC
}

// Later is the later of two stamps.
func (s Stamp) Later(other Stamp) Stamp {
	if other.Seq > s.Seq {
		return other
	}
	return s
}

// A Ref is a thing with a page of its own.
type Ref struct {
	Slug string
	Name string // as of the snapshot
}

// Ledger says which ledger the read model was built from.
type Ledger struct {
	ID          string // UUID
	Authority   string
	Title       string
	Description string
	Opened      Stamp
}

// TagPrefix is what every id minted from the ledger begins with (RFC 4151):
// "tag:<authority>,<date of event 1>:".
func (l Ledger) TagPrefix() string {
	return "tag:" + l.Authority + "," + l.Opened.Time.UTC().Format(time.DateOnly) + ":"
}

// Rules are rules with the event that put them in force.
type Rules struct {
	events.Rules
	Event     Stamp     // zero for the default rules
	Published time.Time // min(time, recordedtime) of that event
	Publisher string
	// Changed is how many tools got another label when they took effect.
	Changed int
}

// A Verdict is what the panel says of a tool.
type Verdict struct {
	events.Tally
	Abstains int
	Label    events.Label
	Quorum   int // in force at the snapshot, or for a past verdict then
}

// A Merge says that a tool is a duplicate.
type Merge struct {
	Event  Stamp
	Into   Ref
	Reason string
}

// A Removal says since when, and why, a tool is retired or a reviewer unseated.
type Removal struct {
	Event     Stamp
	Reason    string
	Publisher string
}

// Tool is a tool as of the snapshot.
type Tool struct {
	Ref
	Category    string // slug; empty when none
	Tagline     string
	Description string
	Homepage    string
	Pricing     string // free, freemium, paid or empty
	PricingNote string
	Aliases     []string // sorted; of Tool and Compare only, lists leave them out

	Registered Stamp
	Publisher  string   // who registered it first
	Merged     *Merge   // set for a duplicate
	Retired    *Removal // set for a tool no longer current

	Verdict Verdict
	// Lone is the reviewer who alone disagrees with two or more; nil when
	// nobody does.
	Lone *Ref
	// Since is the event that made the label what it is and Before the label
	// until then; zero while the label never changed.
	Since  Stamp
	Before events.Label

	// Facts is the last event that changed anything of the tool but its
	// reviews, Named the last that changed its name, Judged the last review,
	// revision, withdrawal or rules that changed its counts or label.
	Facts  Stamp
	Named  Stamp
	Judged Stamp
}

// Changed is the last event that changed what a list shows of the tool.
func (t *Tool) Changed() Stamp { return t.Facts.Later(t.Judged) }

// Reviewer is a member of the panel as of the snapshot.
type Reviewer struct {
	Ref
	Kind   string // human, ai, team
	Motto  string
	Lens   string
	Former *Removal // set once unseated

	Seated    Stamp // the first time
	Publisher string
	Facts     Stamp // last event that changed any of the above
	Named     Stamp // last event that changed the name

	// The current reviews, and how often the reviewer is the lone dissenter.
	Tally        events.Tally
	Abstains     int
	LoneDissents int
	Judged       Stamp // last review, revision or withdrawal
}

// Percent is the ship rate.
func (r *Reviewer) Percent() int { return r.Tally.Percent() }

// Critic is a reviewer beside a review.
type Critic struct {
	Ref
	Kind   string
	Former bool  // unseated; what was said before keeps counting
	Named  Stamp // last event that changed the name, the kind or the seat
}

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
	Named     Stamp     // last event that renamed its tool, or changed the name or seat of its reviewer
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

// VerdictChange is a change of a tool's label.
type VerdictChange struct {
	Event     Stamp
	Published time.Time
	Tool      Ref
	Category  string // of the tool at that time
	From      events.Label
	To        Verdict // with the quorum of that time
	Cause     Cause
	Named     Stamp // last event that renamed its tool
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

// Matchup is the comparison of two tools.
type Matchup struct {
	Event     Stamp     // that opened it
	Published time.Time // min(time, recordedtime) of that event
	Publisher string
	Matchmade bool   // opened by the matchmaker
	Category  string // that both tools share at the snapshot; empty when none
	Left      Tool   // without description, aliases
	Right     Tool
	Result    events.Result
	// Shared are the reviewers whose current verdict is ship or skip on both,
	// in panel order; ToLeft and ToRight those of them who ship only the one.
	Shared  []Critic
	ToLeft  []Critic
	ToRight []Critic
	// Changed is the last event that changed what is shown of it: result,
	// counts, labels and names.
	Changed Stamp
}

// LabelText says the result with the names of the tools.
func (m *Matchup) LabelText() string { return m.Result.Label(m.Left.Name, m.Right.Name) }

// Leads is the tool a lean or favour is for; nil when neither leads.
func (m *Matchup) Leads() *Tool {
	switch m.Result.Leads {
	case events.LeftSide:
		return &m.Left
	case events.RightSide:
		return &m.Right
	}
	return nil
}
