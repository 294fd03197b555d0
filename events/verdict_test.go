package events_test

import (
	"testing"

	"pgregory.net/rapid"

	"shiplog/events"
)

func TestTally(t *testing.T) {
	tests := []struct {
		tally       events.Tally
		text        string
		unanimous   bool
		dissent     events.Verdict
		controversy float64 // -1 below the quorum
	}{
		{events.Tally{}, "Pending, 0 of 3 reviews", false, "", -1},
		{events.Tally{Ships: 2}, "Pending, 2 of 3 reviews", false, "", -1},
		{events.Tally{Ships: 1, Skips: 1}, "Pending, 2 of 3 reviews", false, "", -1},
		{events.Tally{Ships: 3}, "Ship 3 of 3 (100%)", true, "", 0},
		{events.Tally{Skips: 3}, "Skip 0 of 3 (0%)", true, "", 0},
		{events.Tally{Ships: 2, Skips: 1}, "Ship 2 of 3 (67%)", false, events.Skip, 2.0 / 3},
		{events.Tally{Ships: 1, Skips: 2}, "Skip 1 of 3 (33%)", false, events.Ship, 2.0 / 3},
		{events.Tally{Ships: 3, Skips: 1}, "Ship 3 of 4 (75%)", false, events.Skip, 0.5},
		{events.Tally{Ships: 1, Skips: 3}, "Skip 1 of 4 (25%)", false, events.Ship, 0.5},
		{events.Tally{Ships: 2, Skips: 2}, "Split 2 of 4 (50%)", false, "", 1},
		{events.Tally{Ships: 3, Skips: 2}, "Ship 3 of 5 (60%)", false, "", 0.8},
		{events.Tally{Ships: 5, Skips: 3}, "Ship 5 of 8 (63%)", false, "", 0.75}, // 62.5, half up
		{events.Tally{Ships: 1, Skips: 7}, "Skip 1 of 8 (13%)", false, events.Ship, 0.25},
		{events.Tally{Ships: 199, Skips: 1}, "Ship 199 of 200 (100%)", false, events.Skip, 0.01}, // 99.5
	}
	for _, test := range tests {
		if got := test.tally.Text(3); got != test.text {
			t.Errorf("%+v is %q, want %q", test.tally, got, test.text)
		}
		if got := test.tally.Unanimous(3); got != test.unanimous {
			t.Errorf("%+v unanimous: %v", test.tally, got)
		}
		if got := test.tally.LoneDissent(); got != test.dissent {
			t.Errorf("%+v has the lone dissent %q, want %q", test.tally, got, test.dissent)
		}
		share, ok := test.tally.Controversy(3)
		if ok != (test.controversy >= 0) || ok && share != test.controversy {
			t.Errorf("%+v has the controversy %v %v, want %v", test.tally, share, ok, test.controversy)
		}
	}
}

func TestTallyWith(t *testing.T) {
	verdicts := rapid.SampledFrom([]events.Verdict{"", events.Ship, events.Skip, events.Abstain})
	rapid.Check(t, func(t *rapid.T) {
		// However often they change their minds, the tally is that of the last.
		last := map[int]events.Verdict{}
		var tally events.Tally
		for range rapid.IntRange(0, 40).Draw(t, "changes") {
			who, verdict := rapid.IntRange(0, 5).Draw(t, "who"), verdicts.Draw(t, "verdict")
			tally = tally.With(last[who], verdict)
			last[who] = verdict
		}
		var want events.Tally
		for _, verdict := range last {
			want = want.With("", verdict)
		}
		if tally != want {
			t.Fatalf("tally %+v, want %+v", tally, want)
		}
	})
}

func TestCompare(t *testing.T) {
	const ship, skip, split, pending = events.LabelShip, events.LabelSkip, events.LabelSplit, events.LabelPending
	tests := []struct {
		name        string
		shared      events.Shared
		left, right events.Label
		want        string
		leads       events.Side
		edge        int
	}{
		{"nobody", events.Shared{}, pending, pending, "Not comparable yet", events.NoSide, 0},
		{"below the quorum", events.Shared{Reviewers: 2, LeftShips: 2}, ship, skip, "Not comparable yet", events.NoSide, 2},
		{"level", events.Shared{Reviewers: 3, LeftShips: 2, RightShips: 2}, ship, ship, "Level", events.NoSide, 0},
		{"level against the labels", events.Shared{Reviewers: 3, LeftShips: 1, RightShips: 1}, ship, skip, "Level", events.NoSide, 0},
		{"leans left", events.Shared{Reviewers: 3, LeftShips: 2, RightShips: 1}, ship, ship, "Leans Anvil", events.LeftSide, 1},
		{"leans right", events.Shared{Reviewers: 3, LeftShips: 0, RightShips: 1}, skip, skip, "Leans Ferrule", events.RightSide, -1},
		{"favours left", events.Shared{Reviewers: 4, LeftShips: 3, RightShips: 1}, ship, skip, "Favours Anvil", events.LeftSide, 2},
		{"favours right", events.Shared{Reviewers: 3, LeftShips: 0, RightShips: 3}, skip, ship, "Favours Ferrule", events.RightSide, -3},
		{"too close left", events.Shared{Reviewers: 3, LeftShips: 2, RightShips: 1}, split, ship, "Too close to call", events.NoSide, 1},
		{"too close right", events.Shared{Reviewers: 3, LeftShips: 0, RightShips: 2}, ship, skip, "Too close to call", events.NoSide, -2},
		{"both ship", events.Shared{Reviewers: 3, LeftShips: 1, RightShips: 3}, ship, ship, "Favours Ferrule", events.RightSide, -2},
		{"neither ships", events.Shared{Reviewers: 3, LeftShips: 1, RightShips: 0}, split, split, "Leans Anvil", events.LeftSide, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := events.Compare(test.shared, test.left, test.right, 3)
			if label := got.Label("Anvil", "Ferrule"); label != test.want || got.Leads != test.leads || got.Edge != test.edge || got.Shared != test.shared.Reviewers {
				t.Errorf("%s, %+v; want %s", label, got, test.want)
			}
		})
	}
}

func TestSharedCountsWhoJudgedBoth(t *testing.T) {
	var s events.Shared
	for _, pair := range [][2]events.Verdict{
		{events.Ship, events.Skip},
		{events.Skip, events.Ship},
		{events.Ship, events.Ship},
		{events.Skip, events.Skip},
		{events.Ship, events.Abstain},
		{events.Abstain, events.Skip},
		{"", events.Ship},
		{events.Ship, ""},
	} {
		s.Add(pair[0], pair[1])
	}
	if want := (events.Shared{Reviewers: 4, LeftShips: 2, RightShips: 2}); s != want {
		t.Errorf("shared %+v, want %+v", s, want)
	}
}

// TestCompareIsFair holds that the order of two tools does not matter.
func TestCompareIsFair(t *testing.T) {
	labels := rapid.SampledFrom([]events.Label{events.LabelPending, events.LabelShip, events.LabelSkip, events.LabelSplit})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		s := events.Shared{Reviewers: n, LeftShips: rapid.IntRange(0, n).Draw(t, "left"), RightShips: rapid.IntRange(0, n).Draw(t, "right")}
		left, right, quorum := labels.Draw(t, "l"), labels.Draw(t, "r"), rapid.IntRange(1, 4).Draw(t, "quorum")
		one := events.Compare(s, left, right, quorum)
		other := events.Compare(events.Shared{Reviewers: n, LeftShips: s.RightShips, RightShips: s.LeftShips}, right, left, quorum)
		if one.Label("A", "B") != other.Label("B", "A") || one.Edge != -other.Edge {
			t.Fatalf("%+v one way, %+v the other", one, other)
		}
	})
}

func TestRules(t *testing.T) {
	tests := []struct {
		data string
		want events.Rules
	}{
		{`{"version":1}`, events.Rules{Version: 1, Quorum: 3, Matchmaking: "category", MaxMatchupsPerTool: 8, Seq: 9}},
		{`{"version":1,"quorum":1,"matchmaking":"manual","max_matchups_per_tool":0}`, events.Rules{Version: 1, Quorum: 1, Matchmaking: "manual", Seq: 9}},
		{`{"version":2,"quorum":5}`, events.Rules{Version: 2, Quorum: 5, Matchmaking: "category", MaxMatchupsPerTool: 8, Seq: 9}},
	}
	for _, test := range tests {
		p := parsedData("rules.published", test.data).(*events.RulesPublished)
		if got := p.Rules(9); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.data, got, test.want)
		}
	}
}
