package main

import (
	"encoding/json"
	"testing"

	"shiplog/events"
)

func TestEventSentence(t *testing.T) {
	for _, tt := range []struct{ typ, data, before, want string }{
		{"ledger.opened", `{"title":"Panel","authority":"example.org"}`, "", "ledger opened: Panel (example.org)"},
		{"rules.published", `{"version":1,"quorum":5,"matchmaking":"manual"}`, "", "rules published: quorum 5, matchmaking manual"},
		{"rules.published", `{"version":1}`, "", "rules published"},
		{"reviewer.seated", `{"reviewer":"skeptic","name":"The Skeptic"}`, "", "reviewer seated: skeptic, The Skeptic"},
		{"reviewer.unseated", `{"reviewer":"skeptic"}`, "", "reviewer unseated: skeptic"},
		{"tool.registered", `{"tool":"ferrule","name":"Ferrule"}`, "", "tool registered: ferrule, Ferrule"},
		{"tool.retired", `{"tool":"ferrule","reason":"gone"}`, "", "tool retired: ferrule, gone"},
		{"tool.merged", `{"tool":"a","into":"b"}`, "", "tool merged: a into b"},
		{"tool.unmerged", `{"tool":"a","into":"b"}`, "", "tool unmerged: a from b"},
		{"review.submitted", `{"tool":"ferrule","reviewer":"skeptic","verdict":"skip","body":"No."}`, "", "review submitted: skeptic on ferrule, skip"},
		{"review.revised", `{"tool":"ferrule","reviewer":"skeptic","verdict":"ship","replaces":9}`, "skip", "review revised: skeptic on ferrule, skip → ship"},
		{"review.revised", `{"tool":"ferrule","reviewer":"skeptic","verdict":"ship","replaces":9}`, "ship", "review revised: skeptic on ferrule, ship as before"},
		{"review.revised", `{"tool":"ferrule","reviewer":"skeptic","verdict":"ship","replaces":9}`, "", "review revised: skeptic on ferrule, ship"},
		{"review.withdrawn", `{"tool":"ferrule","reviewer":"skeptic","reason":"x"}`, "", "review withdrawn: skeptic on ferrule"},
		{"reply.published", `{"tool":"ferrule","body":"Thanks."}`, "", "reply published: on ferrule"},
		{"matchup.opened", `{"left":"a","right":"b"}`, "", "matchup opened: a and b"},
		{"event.skipped", `{"seq":12,"reason":"cannot be applied"}`, "", "event skipped: #12, cannot be applied"},
		{"badge.awarded", `{"tool":"ferrule"}`, "", "badge awarded"},
		{"tool.registered", `{"tool":"ferrule","name":"Fer\nrule\u001b[2J\u202e"}`, "", "tool registered: ferrule, Fer rule [2J "},
	} {
		t.Run(tt.want, func(t *testing.T) {
			var e event
			raw := `{"type":"shiplog.` + tt.typ + `.v1","source":"/s","publisher":"local","data":` + tt.data + `}`
			if err := json.Unmarshal([]byte(raw), &e); err != nil {
				t.Fatal(err)
			}
			if got := e.sentence(tt.before); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEventSentenceNamesThePublisher(t *testing.T) {
	e := event{Type: "shiplog.tool.retired.v1", Source: "/s", Publisher: "ci"}
	e.Data.Tool = "ferrule"
	if got, want := e.sentence(""), "tool retired: ferrule (from ci)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEverySentenceSaysSomething finds a new event type that tail would only
// name.
func TestEverySentenceSaysSomething(t *testing.T) {
	var e event
	e.Data.Tool, e.Data.Reviewer, e.Data.Left, e.Data.Title, e.Data.Quorum = "t", "r", "l", "x", 3
	for _, typ := range events.Types() {
		if e.about(typeName(typ.Name), "") == "" {
			t.Errorf("%s has no sentence", typ.Name)
		}
	}
}
