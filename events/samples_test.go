package events_test

import (
	"testing"
	"time"

	"shiplog/events"
)

// samples are a payload of every type and version, with every member that is
// stored: some null, some with characters that JSON escapes.
func samples() []events.Payload {
	said := events.Review{
		Tool: "ferrule", Reviewer: "skeptic", Verdict: "ship", Body: "Build times halved.\nThe \"cache\" is honest: 日本語, é, 🚀, <b>&amp;</b>, a\\b.",
		Format: events.FormatMarkdown, Condition: "one build host for each team", Pros: []string{"fast", "honest\ttabs"}, Cons: []string{},
		Evidence: []string{"https://example.org/bench?a=1&b=2#c"}, Disclosure: "none", Reason: "a new release", Provenance: "stated",
	}
	submitted := &events.ReviewSubmitted{Review: said}
	events.Mark(submitted, "cons")
	revised := &events.ReviewRevised{Review: said, Revision: 2, Replaces: 41}
	events.Mark(revised, "cons")
	return []events.Payload{
		&events.LedgerOpened{Ledger: "0190a5b2-7c1e-7d00-8000-00000000abcd", Authority: "ledger.example", Title: "The panel", Description: "What we would ship."},
		&events.RulesPublished{Version: 1, Quorum: 5, Matchmaking: events.MatchManual, MaxMatchupsPerTool: 12},
		parsedData("reviewer.seated", `{"reviewer":"skeptic","name":"The Skeptic","kind":"ai","motto":null,"lens":"What breaks?","order":0}`),
		&events.ReviewerUnseated{Reviewer: "skeptic", Reason: "moved on"},
		parsedData("tool.registered", `{"tool":"ferrule","name":"Ferrule","category":"build-tools","tagline":null,"description":"A cache.","homepage":"https://example.org/ferrule","pricing":"freemium","pricing_note":"","aliases":["ferule","ferrule-cli"]}`),
		&events.ToolMerged{Tool: "ferule", Into: "ferrule", Reason: "a misspelling"},
		&events.ToolUnmerged{Tool: "ferule", Into: "ferrule", Reason: "another tool after all"},
		&events.ToolRetired{Tool: "ferrule", Reason: "no longer made"},
		submitted,
		revised,
		&events.ReviewWithdrawn{Tool: "ferrule", Reviewer: "skeptic", Reason: "judged the wrong tool"},
		&events.ReplyPublished{Tool: "ferrule", Body: "Permissions come in 2.1.", Author: "The makers", Replaces: 44},
		&events.MatchupOpened{Left: "anvil", Right: "ferrule"},
		&events.EventSkipped{Seq: 17, Reason: "cannot be applied by any version"},
	}
}

// parsedData is a payload as it was sent, nulls and all.
func parsedData(typ, data string) events.Payload {
	s, ps := events.Parse([]byte(of(typ, data)))
	if len(ps) > 0 {
		panic(ps)
	}
	return s.Data
}

// sampleEvent is an event with every attribute that there is.
func sampleEvent(p events.Payload) *events.Event {
	return &events.Event{
		Seq: 42, ID: "sample/1 é", Source: "/panel/pipeline", Subject: "ferrule", Time: "2026-05-02T11:30:00.25+02:00",
		Extensions:   []events.Attribute{{Name: "quiet", Value: "false"}, {Name: "sampled", Value: "7"}, {Name: "zone", Value: `"eu \"1\""`}},
		RecordedTime: time.Date(2026, 5, 2, 9, 30, 1, 7e6, time.UTC), Publisher: "local", Cause: 41,
		Salt: events.Salt{0: 0xA0, 15: 0x0F}, InputHash: events.Hash{0: 1, 31: 2}, PrevLeaf: events.Hash{0: 3, 31: 4},
		Data: p,
	}
}

func TestSamplesHaveEveryMember(t *testing.T) {
	all := map[string]bool{}
	for _, p := range samples() {
		all[p.Type()] = true
		for _, f := range events.Fields(p) {
			if !f.Instruction && !events.Has(p, f.Name) {
				t.Errorf("%s: no %s", p.Type(), f.Name)
			}
		}
	}
	for _, info := range events.Types() {
		if !all[info.Name] {
			t.Errorf("no sample of %s", info.Name)
		}
	}
}
