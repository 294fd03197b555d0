package pages_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/projections/pages"
)

// scores builds the shared rows of a comparison from pairs such as "10": ship
// left, skip right, for the panel's reviewers in order.
func scores(pairs ...string) []pages.CompareRow {
	verdict := map[byte]string{'1': "ship", '0': "skip"}
	var rows []pages.CompareRow
	for i, p := range pairs {
		r := panel()[i]
		rows = append(rows, pages.CompareRow{
			Reviewer: r,
			Left:     pages.Side{Review: &pages.Review{Verdict: verdict[p[0]]}},
			Right:    pages.Side{Review: &pages.Review{Verdict: verdict[p[1]]}},
		})
	}
	return rows
}

func TestCompareLead(t *testing.T) {
	tests := []struct {
		name   string
		kind   string
		leader pages.Ref
		edge   int
		shared []pages.CompareRow
		want   string
	}{
		{
			"one alone", "leans", lantern, 1, scores("11", "10", "00"),
			"Leans Lantern. Three reviewers judged both, and the Skeptic alone separates them: ship for Lantern, skip for Kestrel.",
		},
		{
			"one alone to the right", "leans", kestrel, -1, scores("11", "11", "00", "00", "01"),
			"Leans Kestrel. Five reviewers judged both, and Inês Prado alone separates them: ship for Kestrel, skip for Lantern.",
		},
		{
			"the only one", "leans", lantern, 1, scores("10"),
			"Leans Lantern. One reviewer judged both: ship for Lantern, skip for Kestrel.",
		},
		{
			"both ways", "leans", lantern, 1, scores("10", "01", "10"),
			"Leans Lantern. Three reviewers judged both. The Builder and the Futurist ship only Lantern, the Skeptic ships only Kestrel.",
		},
		{
			"two of three", "favours", lantern, 2, scores("10", "10", "11"),
			"Favours Lantern. Three reviewers judged both, and the Builder and the Skeptic separate them: ship for Lantern, skip for Kestrel.",
		},
		{
			"all of them", "favours", kestrel, -3, scores("01", "01", "01"),
			"Favours Kestrel. Three reviewers judged both, and all separate them: ship for Kestrel, skip for Lantern.",
		},
		{
			"level, all agree", "level",
			pages.Ref{},
			0, scores("11", "00", "11"),
			"Level. Three reviewers judged both and agree on both.",
		},
		{
			"level, one reviewer", "level",
			pages.Ref{},
			0, scores("11"),
			"Level. One reviewer judged both, with the same verdict for each.",
		},
		{
			"level, once each way", "level",
			pages.Ref{},
			0, scores("10", "11", "01", "00"),
			"Level. Four reviewers judged both and disagree twice, once each way. The Builder ships only Lantern, the Futurist ships only Kestrel.",
		},
		{
			"level, twice each way", "level",
			pages.Ref{},
			0, scores("10", "10", "01", "01"),
			"Level. Four reviewers judged both and disagree four times, twice each way. The Builder and the Skeptic ship only Lantern, the Futurist and the Founder ship only Kestrel.",
		},
		{
			"nobody judged both", "not_comparable",
			pages.Ref{},
			0, nil,
			"Not comparable yet. No reviewer has judged both; a comparison needs three.",
		},
		{
			"one of three", "not_comparable",
			pages.Ref{},
			0, scores("10"),
			"Not comparable yet. One reviewer judged both; a comparison needs three.",
		},
		{
			"two of three judged", "not_comparable",
			pages.Ref{},
			0, scores("10", "11"),
			"Not comparable yet. Two reviewers judged both; a comparison needs three.",
		},
		{
			"contradicted", "too_close",
			pages.Ref{},
			-1, scores("01", "11", "00"),
			"Too close to call. Three reviewers judged both and put Kestrel ahead by one, yet the whole panel says skip for Kestrel and ship for Lantern.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := pages.CompareLead(pages.CompareView{
				Page: page(1), Left: contender(lantern, ship(3, 4)), Right: contender(kestrel, ship(1, 3)), Shared: tt.shared,
				Result: pages.Result{Kind: tt.kind, Leader: tt.leader, Edge: tt.edge, Shared: len(tt.shared)},
			})
			if diff := cmp.Diff(tt.want, got.String()); diff != "" {
				t.Errorf("lead (-want +got):\n%s", diff)
			}
			if html := string(got.HTML()); !strings.HasPrefix(html, "<strong>") || strings.Count(html, "<strong>") != 1 {
				t.Errorf("the result is not stressed once: %s", html)
			}
		})
	}
}

func TestMatrixLead(t *testing.T) {
	a, b, c := contender(lantern, ship(3, 4)), contender(kestrel, ship(1, 3)), contender(sluice, ship(1, 2))
	pair := func(l, r pages.Contender, kind string, leader pages.Ref) pages.PairRow {
		return pages.PairRow{Left: l.Ref, Right: r.Ref, Result: pages.Result{Kind: kind, Leader: leader, Shared: 3}}
	}
	tests := []struct {
		name  string
		pairs []pages.PairRow
		want  string
	}{
		{
			"both pairs",
			[]pages.PairRow{pair(a, b, "leans", lantern), pair(a, c, "favours", lantern), pair(b, c, "level", pages.Ref{})},
			"Lantern leads in both of its pairs. Sluice has two of the three reviews it needs for a verdict.",
		},
		{
			"one pair",
			[]pages.PairRow{pair(a, b, "leans", kestrel), pair(a, c, "not_comparable", pages.Ref{}), pair(b, c, "not_comparable", pages.Ref{})},
			"Kestrel leads in the one pair that can be compared. Sluice has two of the three reviews it needs for a verdict.",
		},
		{
			"nobody",
			[]pages.PairRow{pair(a, b, "level", pages.Ref{}), pair(a, c, "level", pages.Ref{}), pair(b, c, "leans", sluice)},
			"No tool leads in all of its pairs. Sluice has two of the three reviews it needs for a verdict.",
		},
		{
			"none comparable",
			[]pages.PairRow{pair(a, b, "not_comparable", pages.Ref{})},
			"No two of these can be compared yet: a comparison needs three reviewers who judged both. Sluice has two of the three reviews it needs for a verdict.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := pages.MatrixLead(pages.MatrixView{Page: page(1), Tools: []pages.Contender{a, b, c}, Pairs: tt.pairs}).String()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lead (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSeparators(t *testing.T) {
	row := pages.PairRow{Left: lantern, Right: kestrel}
	tests := []struct {
		name            string
		toLeft, toRight []pages.Reviewer
		want            string
	}{
		{"nobody", nil, nil, "Nobody"},
		{"left", []pages.Reviewer{skeptic}, nil, "The Skeptic to Lantern"},
		{"right", nil, []pages.Reviewer{skeptic, ines}, "The Skeptic and Inês Prado to Kestrel"},
		{"both", []pages.Reviewer{skeptic, futurist, builder}, []pages.Reviewer{founder}, "The Skeptic, the Futurist and the Builder to Lantern, the Founder to Kestrel"},
		{"many", []pages.Reviewer{skeptic, futurist, builder, founder, ines, skeptic}, nil, "The Skeptic, the Futurist, the Builder, the Founder and two others to Lantern"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row.ToLeft, row.ToRight = tt.toLeft, tt.toRight
			if diff := cmp.Diff(tt.want, pages.Separators(row).String()); diff != "" {
				t.Errorf("separators (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVerdictText(t *testing.T) {
	for want, v := range map[string]pages.Verdict{
		"Ship 3 of 4 (75%)":         ship(3, 4),
		"Skip 1 of 4 (25%)":         ship(1, 4),
		"Split 2 of 4 (50%)":        ship(2, 4),
		"Ship 2 of 3 (67%)":         ship(2, 3),
		"Ship 5 of 8 (63%)":         ship(5, 8),
		"Pending 2 of 3 reviews":    ship(1, 2),
		"Pending 0 of 1 review":     {Label: "Pending", Quorum: 1},
		"Ship 1,500 of 2,000 (75%)": ship(1500, 2000),
	} {
		if got := v.String(); got != want {
			t.Errorf("verdict reads %q, want %q", got, want)
		}
	}
}
