package pages_test

import (
	"bytes"
	"strings"
	"testing"

	"shiplog/projections/pages"
)

// TestSharedSummary holds the words over the shared reviewers and that nothing
// is marked or offered where nobody differs.
func TestSharedSummary(t *testing.T) {
	tests := []struct {
		name   string
		shared []pages.CompareRow
		only   bool
		want   string
		offer  bool
	}{
		{"none differs", scores("11", "00", "11"), false, "In panel order. No row differs.", false},
		{"one differs", scores("11", "10", "00"), false, "In panel order. One row differs.", true},
		{"two differ", scores("11", "10", "01"), false, "In panel order. Two rows differ.", true},
		{"all differ", scores("10", "10"), false, "In panel order. Every row differs.", true},
		{"one row", scores("11"), false, "The row agrees.", false},
		{"only differences", scores("11", "10", "00"), true, "One of three rows differs.", false},
		{"only differences, none", scores("11", "00"), true, "In panel order. No row differs.", false},
	}
	p := newPages(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			same := pages.Verdict{Label: "Ship", Ships: 3, N: 3, Quorum: 3}
			v := pages.CompareView{
				Page: page(1), Left: contender(sluice, same), Right: contender(mihrab, same), Shared: tt.shared,
				OnlyDifferences: tt.only, Result: pages.Result{Kind: "level", Shared: len(tt.shared)},
			}
			var buf bytes.Buffer
			if err := p.Compare(&buf, v); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(buf.String(), tt.want) {
				t.Errorf("page does not say %q", tt.want)
			}
			if got := strings.Contains(buf.String(), "only=differences"); got != tt.offer {
				t.Errorf("page offers only the differences: %v, want %v", got, tt.offer)
			}
			differs := strings.Contains(buf.String(), "differs\">")
			if want := !strings.Contains(tt.want, "No row") && !strings.Contains(tt.want, "agrees"); differs != want {
				t.Errorf("red on the page: %v, want %v", differs, want)
			}
		})
	}
}

// TestReviewsSummary holds the words over a tool's reviews.
func TestReviewsSummary(t *testing.T) {
	gone := pages.ToolReview{Reviewer: ines, Gone: &pages.Withdrawal{Event: at(3)}}
	abstained := pages.ToolReview{Reviewer: skeptic, Review: said(skeptic, sluice, "abstain", 2, "-")}
	counted := pages.ToolReview{Reviewer: builder, Review: said(builder, sluice, "ship", 2, "-")}
	tests := []struct {
		name    string
		n       int
		reviews []pages.ToolReview
		want    string
	}{
		{"one", 1, []pages.ToolReview{counted}, "One counts towards the verdict."},
		{"with others", 4, []pages.ToolReview{counted, abstained, gone}, "Four count towards the verdict, one abstains; one was withdrawn."},
		{"none counts", 0, []pages.ToolReview{abstained}, "None counts towards a verdict, one abstains."},
		{"nobody", 0, nil, "Nobody has reviewed it yet."},
	}
	p := newPages(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var buf bytes.Buffer
			v := pages.ToolView{Page: page(1), Tool: sluice, Verdict: pages.Verdict{Label: "Pending", N: tt.n, Quorum: 9}, Reviews: tt.reviews}
			if err := p.Tool(&buf, v); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(buf.String(), "<p>"+tt.want+"</p>") {
				t.Errorf("page does not say %q", tt.want)
			}
		})
	}
}
