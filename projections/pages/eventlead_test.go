package pages_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/projections/pages"
)

func TestEventLead(t *testing.T) {
	rules := pages.Rules{Version: 1, Quorum: 5, Matchmaking: "category", MaxMatchups: 8}
	byHand := rules
	byHand.Matchmaking = "manual"
	tests := []struct {
		name string
		in   pages.EventFacts
		want string
	}{
		{"opened", pages.EventFacts{Type: "shiplog.ledger.opened.v1"}, "The ledger was opened."},
		{"rules", pages.EventFacts{Type: "shiplog.rules.published.v1", Rules: rules}, "Rules were published: version 1, quorum 5, matchups by category, at most 8 a tool."},
		{"rules by hand", pages.EventFacts{Type: "shiplog.rules.published.v1", Rules: byHand}, "Rules were published: version 1, quorum 5, matchups by hand."},
		{"seated", pages.EventFacts{Type: "shiplog.reviewer.seated.v1", Reviewer: skeptic}, "The Skeptic took a seat on the panel."},
		{"seated again", pages.EventFacts{Type: "shiplog.reviewer.seated.v1", Reviewer: skeptic, Again: true}, "The entry of the Skeptic was updated."},
		{"unseated", pages.EventFacts{Type: "shiplog.reviewer.unseated.v1", Reviewer: skeptic}, "The Skeptic left the panel. What was said before keeps counting."},
		{"registered", pages.EventFacts{Type: "shiplog.tool.registered.v1", Tool: lantern}, "Lantern was registered."},
		{"updated", pages.EventFacts{Type: "shiplog.tool.registered.v1", Tool: lantern, Again: true}, "The entry of Lantern was updated."},
		{"merged", pages.EventFacts{Type: "shiplog.tool.merged.v1", Tool: lantern, Into: kestrel}, "Lantern was merged into Kestrel. Its page and feeds lead there now, and its reviews are shown there uncounted."},
		{"unmerged", pages.EventFacts{Type: "shiplog.tool.unmerged.v1", Tool: lantern, Into: kestrel}, "Lantern was parted from Kestrel again."},
		{"of another version", pages.EventFacts{Type: "shiplog.tool.retired.v9", Unknown: true}, "An event of type shiplog.tool.retired.v9. This version of Shiplog does not know it."},
		{"revised after a withdrawal", pages.EventFacts{Type: "shiplog.review.revised.v1", Tool: lantern, Reviewer: skeptic, Verdict: "ship", Revision: 2, Replaces: 58}, "The Skeptic revised the review of Lantern: Ship. This is revision 2; it replaces #58."},
		{"retired", pages.EventFacts{Type: "shiplog.tool.retired.v1", Tool: pages.Ref{Slug: "no-name"}}, "no-name was retired."},
		{"reviewed", pages.EventFacts{Type: "shiplog.review.submitted.v1", Tool: lantern, Reviewer: ines, Verdict: "skip"}, "Inês Prado reviewed Lantern: Skip."},
		{"abstained", pages.EventFacts{Type: "shiplog.review.submitted.v1", Tool: lantern, Reviewer: ines, Verdict: "abstain"}, "Inês Prado abstained on Lantern."},
		{"revised", pages.EventFacts{Type: "shiplog.review.revised.v1", Tool: lantern, Reviewer: skeptic, Verdict: "ship", Was: "skip", Revision: 2, Replaces: 58}, "The Skeptic revised the review of Lantern: Skip → Ship. This is revision 2; it replaces #58."},
		{"reworded", pages.EventFacts{Type: "shiplog.review.revised.v1", Tool: lantern, Reviewer: skeptic, Verdict: "ship", Was: "ship", Revision: 3, Replaces: 60}, "The Skeptic revised the review of Lantern: still Ship. This is revision 3; it replaces #60."},
		{"withdrawn", pages.EventFacts{Type: "shiplog.review.withdrawn.v1", Tool: lantern, Reviewer: skeptic, Of: 58}, "The Skeptic withdrew the review of Lantern, #58."},
		{"replied", pages.EventFacts{Type: "shiplog.reply.published.v1", Tool: lantern}, "The maker of Lantern replied."},
		{"replied by name", pages.EventFacts{Type: "shiplog.reply.published.v1", Tool: lantern, Author: "Ada", Replaces: 9}, "Ada replied for Lantern. It replaces #9."},
		{"paired", pages.EventFacts{Type: "shiplog.matchup.opened.v1", Left: lantern, Right: kestrel, Derived: true}, "Lantern vs Kestrel was opened by the matchmaker."},
		{"paired by hand", pages.EventFacts{Type: "shiplog.matchup.opened.v1", Left: lantern, Right: kestrel}, "Lantern vs Kestrel was opened."},
		{"skipped", pages.EventFacts{Type: "shiplog.event.skipped.v1", Skipped: 12}, "An operator had event #12 skipped. Every node and every rebuild passes it over alike."},
		{"unknown", pages.EventFacts{Type: "shiplog.tea.brewed.v2"}, "An event of type shiplog.tea.brewed.v2."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pages.EventLead(tt.in).String()); diff != "" {
				t.Errorf("lead (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSentenceHTML(t *testing.T) {
	got := pages.EventLead(pages.EventFacts{Type: "shiplog.review.submitted.v1", Tool: pages.Ref{Slug: "a-b", Name: "<A>"}, Reviewer: pages.Reviewer{Slug: "x", Name: "The X&Y"}, Verdict: "ship"}).HTML()
	want := `<bdi>The X&amp;Y</bdi> reviewed <a href="/tools/a-b"><bdi>&lt;A&gt;</bdi></a>: <span class="nw"><span class="v"><svg class="m" aria-hidden="true"><use href="#ship"/></svg>Ship</span>.</span>`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("markup (-want +got):\n%s", diff)
	}
}
