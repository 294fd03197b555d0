package web_test

import (
	"net/http"
	"strings"
	"testing"

	"shiplog/events"
	kit "shiplog/projections/projectionstest"
)

// TestScenarios plays events and looks at what pages say after each.
func TestScenarios(t *testing.T) {
	s := serve(t, kit.Given(t,
		kit.Seat("ann"), kit.Seat("ben"), kit.Seat("cid"), kit.Tool("ferrule", "knots"), kit.Tool("grommet", "knots"), // 2–6
		kit.Review("ferrule", "ann", events.Ship), kit.Review("ferrule", "ben", events.Ship), kit.Review("ferrule", "cid", events.Skip), // 7–9
		kit.Review("grommet", "ann", events.Ship), kit.Review("grommet", "cid", events.Skip), kit.Match("ferrule", "grommet"))) // 10–12
	const notCounted = "merged into another tool, not counted"
	steps := []struct {
		name       string
		event      events.Payload
		path       string
		has, lacks []string
	}{
		{"merged", &events.ToolMerged{Tool: "ferrule", Into: "grommet", Reason: "the same"}, "/tools/grommet", []string{"Merged from <bdi>Ferrule</bdi>", "Not counted", "Ann on Ferrule: ship"}, nil},
		{"merged: lists", nil, "/tools", []string{"Grommet"}, []string{"Ferrule"}},
		{"merged: category", nil, "/categories/knots", []string{"1 tool, 1 matchup"}, nil},
		{"merged: reviewer", nil, "/reviewers/cid", []string{notCounted, "Ships 0 of 1", "<dt>Lone dissents</dt><dd>None</dd>", "One current review in ledger order"}, []string{`Lone dissent</span>`}},
		{"merged: panel", nil, "/reviewers", []string{"0 of 1"}, []string{"0 of 2"}},
		{"merged: comparison", nil, "/compare/ferrule-vs-grommet", []string{"was merged into", "Ann on Ferrule: ship"}, nil},
		{"unmerged", &events.ToolUnmerged{Tool: "ferrule", Into: "grommet"}, "/tools/grommet", nil, []string{"Merged from"}},
		{"unmerged: own page", nil, "/tools/ferrule", []string{"Ship", "Ann on Ferrule: ship"}, nil},
		{"unmerged: lists", nil, "/tools", []string{"Grommet", "Ferrule"}, nil},
		{"unmerged: reviewer", nil, "/reviewers/cid", []string{"Ships 0 of 2", `Lone dissent</span>`}, []string{notCounted}},
		{"retired", &events.ToolRetired{Tool: "ferrule", Reason: "no more"}, "/tools/ferrule", []string{"no more", "Ann on Ferrule: ship"}, nil},
		{"retired: lists", nil, "/tools", []string{"Grommet"}, []string{"Ferrule"}},
		{"retired: reviewer", nil, "/reviewers/cid", []string{"Ships 0 of 2"}, []string{notCounted}},
		{"registered again", kit.Tool("ferrule", "knots"), "/tools/ferrule", []string{"Ann on Ferrule: ship"}, []string{"no more"}},
		{"registered again: lists", nil, "/tools", []string{"Grommet", "Ferrule"}, nil},
		{"unseated", &events.ReviewerUnseated{Reviewer: "ben", Reason: "moved on"}, "/tools/ferrule", []string{"Human, former", "2 of 3"}, nil},
		{"unseated: panel", nil, "/reviewers", []string{"Former"}, nil},
		{"seated again", kit.Seat("ben"), "/tools/ferrule", []string{"2 of 3"}, []string{"former"}},
		{"seated again: panel", nil, "/reviewers", nil, []string{"Former"}},
	}
	for _, step := range steps {
		if step.event != nil {
			s.record(step.event)
		}
		main := string(s.page(step.path).body)
		_, main, _ = strings.Cut(main, `<main id="main">`)
		main, _, _ = strings.Cut(main, "</main>")
		for _, text := range step.has {
			if !strings.Contains(main, text) {
				t.Errorf("%s: %s lacks %q\n%s", step.name, step.path, text, main)
			}
		}
		for _, text := range step.lacks {
			if strings.Contains(main, text) {
				t.Errorf("%s: %s has %q", step.name, step.path, text)
			}
		}
		if step.name == "merged" {
			if a := s.get("/tools/ferrule"); a.StatusCode != http.StatusMovedPermanently || a.Header.Get("Location") != "/tools/grommet" {
				t.Errorf("the page of the duplicate: %d %s", a.StatusCode, a.Header.Get("Location"))
			}
		}
	}
}
