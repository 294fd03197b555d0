package projections

import (
	"shiplog/events"
)

// A Verdict is what the panel says of a tool.
type Verdict struct {
	events.Tally
	Abstains int
	Label    events.Label
	Quorum   int // in force at the snapshot, or for a past verdict and a duplicate's then
}

// A Merge says that a tool is a duplicate.
type Merge struct {
	Event  Stamp
	Into   Ref
	Named  Stamp // last event that changed the name of that one
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
	// nobody does, and for a duplicate.
	Lone *Ref
	// Since is the event that made the label what it is and Before the label
	// until then; zero while the label never changed.
	Since  Stamp
	Before events.Label

	// Facts is the last event that changed anything of the tool but its
	// reviews, Named the last that changed its name, Shown the last that changed
	// that or whether it is merged or retired, Judged the last review, revision,
	// withdrawal or rules that changed its counts or label.
	Facts  Stamp
	Named  Stamp
	Shown  Stamp
	Judged Stamp
}

// Changed is the last event that changed what a list shows of the tool.
func (t *Tool) Changed() Stamp { return t.Facts.Later(t.Judged) }
