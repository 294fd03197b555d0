package projections_test

import (
	"testing"

	"shiplog/events"
	kit "shiplog/projections/projectionstest"
)

const forever = "9223372036854775807"

// Columns: tool, reviewer, seq, until, verdict, counts, item, published.
func TestRowsOfStances(t *testing.T) {
	l := kit.Given(t, kit.Seat("ann"), kit.Tool("a", ""), kit.Review("a", "ann", events.Ship)) // 4
	l.Append(kit.Revise("a", "ann", events.Ship, 2, 4), kit.Withdraw("a", "ann"))              // 5, 6
	kit.Then(t, kit.Model(t, l), "stances",
		"1 1 4 5 1 1 4 1772442003000",
		"1 1 5 6 1 1 4 1772442004000",
		"1 1 6 "+forever+" 0 0 6 1772442005000",
	)
}

// Columns: tool, seq, ships, skips, abstains, sums of the reviewers who ship and
// skip. A revision that changes no count has no row.
func TestRowsOfTallies(t *testing.T) {
	l := kit.Given(t, kit.Seat("ann"), kit.Seat("ben"), kit.Tool("a", "")) // 4
	l.Append(kit.Review("a", "ann", events.Ship), kit.Review("a", "ben", events.Skip))
	l.Append(kit.Revise("a", "ben", events.Skip, 2, 6), kit.Revise("a", "ben", events.Abstain, 3, 7))
	kit.Then(t, kit.Model(t, l), "tallies",
		"1 5 1 0 0 1 0",
		"1 6 1 1 0 1 2",
		"1 8 1 0 1 1 0",
	)
}

// Columns: number, seq, tool, was, now, ships, skips, abstains, quorum, by
// rules, category, published.
func TestRowsOfChanges(t *testing.T) {
	l := kit.Given(t, kit.Seat("ann"), kit.Tool("a", "c"), kit.Review("a", "ann", events.Skip), kit.Quorum(1), kit.Withdraw("a", "ann"))
	kit.Then(t, kit.Model(t, l), "changes",
		"1 5 1 0 2 0 1 0 1 1 1 1772442004000",
		"2 6 1 2 0 0 0 0 1 0 1 1772442005000",
	)
}
