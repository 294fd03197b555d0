package projections

import (
	"time"

	"shiplog/events"
)

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
	// Quorum is the one in force at the snapshot.
	Quorum int
	// Changed is the last event that changed what is shown of it: result,
	// counts, labels, names and what else is known of its tools.
	Changed Stamp
	// Shown is the same but for what feeds do not show of its tools and reviewers.
	Shown Stamp
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
