package events

import (
	"fmt"
)

// Verdict is what one review says of a tool.
type Verdict string

// The verdicts of a review.
const (
	Ship    Verdict = "ship"
	Skip    Verdict = "skip"
	Abstain Verdict = "abstain"
)

// Counts reports whether the verdict counts towards the panel's label:
// abstentions are shown, not counted.
func (v Verdict) Counts() bool { return v == Ship || v == Skip }

// Label is the panel's verdict on a tool.
type Label string

// The labels of a tool. Every tool starts as LabelPending.
const (
	LabelPending Label = "Pending"
	LabelShip    Label = "Ship"
	LabelSkip    Label = "Skip"
	LabelSplit   Label = "Split"
)

// Tally counts the current reviews of a tool that count: ship or skip, by a
// reviewer who was seated when it was recorded.
type Tally struct {
	Ships int
	Skips int
}

// N is the number of reviews that count.
func (t Tally) N() int { return t.Ships + t.Skips }

// With is the tally after one review changes from one verdict to another; ""
// stands for no review.
func (t Tally) With(from, to Verdict) Tally {
	switch from {
	case Ship:
		t.Ships--
	case Skip:
		t.Skips--
	}
	switch to {
	case Ship:
		t.Ships++
	case Skip:
		t.Skips++
	}
	return t
}

// Label is the panel's verdict (rules version 1): below the quorum Pending,
// then what more reviews say, Split when equal.
func (t Tally) Label(quorum int) Label {
	switch {
	case t.N() < quorum:
		return LabelPending
	case t.Ships > t.Skips:
		return LabelShip
	case t.Skips > t.Ships:
		return LabelSkip
	}
	return LabelSplit
}

// Percent is the share of ships, an integer rounded half up; 0 when nothing
// counts.
func (t Tally) Percent() int {
	n := t.N()
	if n == 0 {
		return 0
	}
	return (200*t.Ships + n) / (2 * n)
}

// Count says the numbers: "3 of 4 (75%)", or below the quorum "2 of 3 reviews".
func (t Tally) Count(quorum int) string {
	if t.N() < quorum {
		return fmt.Sprintf("%d of %d reviews", t.N(), quorum)
	}
	return fmt.Sprintf("%d of %d (%d%%)", t.Ships, t.N(), t.Percent())
}

// Text is label and count: "Ship 3 of 4 (75%)", "Pending, 2 of 3 reviews".
func (t Tally) Text(quorum int) string {
	label := t.Label(quorum)
	if label == LabelPending {
		return "Pending, " + t.Count(quorum)
	}
	return string(label) + " " + t.Count(quorum)
}

// Unanimous reports whether the quorum is met and all agree.
func (t Tally) Unanimous(quorum int) bool {
	return t.N() >= quorum && t.N() > 0 && (t.Ships == 0 || t.Skips == 0)
}

// LoneDissent is the verdict of the one reviewer who disagrees with two or
// more, or "" when there is no such reviewer.
func (t Tally) LoneDissent() Verdict {
	switch {
	case t.Ships == 1 && t.Skips >= 2:
		return Ship
	case t.Skips == 1 && t.Ships >= 2:
		return Skip
	}
	return ""
}

// Controversy is 2·min(ship, skip)/n, from 0 (all agree) to 1 (evenly split);
// ok is false below the quorum.
func (t Tally) Controversy(quorum int) (share float64, ok bool) {
	n := t.N()
	if n < quorum || n == 0 {
		return 0, false
	}
	return 2 * float64(min(t.Ships, t.Skips)) / float64(n), true
}
