package projections

import (
	"shiplog/events"
)

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
	// What was said of a duplicate counts in none of them.
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
	Shown  Stamp // last event that changed the name or the seat, which is what feeds show
}
