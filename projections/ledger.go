package projections

import (
	"time"

	"shiplog/events"
)

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
