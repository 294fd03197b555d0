package pages_test

import (
	"io"
	"slices"

	"shiplog/projections/pages"
)

// samples are the pages that have a golden file.
func samples() []sample {
	return slices.Concat(entrySamples(), compareSamples(), otherSamples(), hostileSamples())
}

func entrySamples() []sample {
	l := lanternReviews()
	home := pages.HomeView{
		Page: page(41), Seated: 4, Matchups: matchups(), MatchupTotal: 12, Changes: changes(), ChangeTotal: 9, Panel: reviewerRows(),
		Latest: &pages.LatestChange{
			ChangeRow: changes()[0], Cause: "revision", Reviewer: skeptic, Reason: "Release 0.9 writes ahead",
			Then: said(skeptic, lantern, "skip", 19, "The index does not survive a power cut."), Now: l["skeptic"],
			Moves: []pages.Move{{Left: lantern, Right: kestrel, From: pages.Result{Kind: "level", Shared: 3}, To: matchups()[1].Result}},
		},
	}
	young := pages.HomeView{Page: page(7), Seated: 1, Tools: toolRows()[3:], Panel: reviewerRows()[:1]}
	rules := home
	rules.Latest = &pages.LatestChange{ChangeRow: changes()[1], Cause: "rules"}
	opened := pages.EventFacts{Seq: 1, Type: "shiplog.ledger.opened.v1", Derived: true}
	first := pages.FirstView{Page: page(1), Events: []pages.EventLine{{Event: at(1), Facts: opened, Publisher: "shiplog"}}}
	first.CanTravel = false
	pending := pages.ToolView{
		Page: page(8), Tool: sluice, Verdict: ship(1, 2), Registered: at(6), Publisher: "local",
		Reviews: []pages.ToolReview{{Reviewer: builder, Review: said(builder, sluice, "ship", 7, "Fine.")}, {Reviewer: ines, Review: said(ines, sluice, "abstain", 8, "Too early to say.")}},
		Retired: &pages.Retirement{Event: at(8), Reason: "The makers stopped"},
	}
	past := toolView()
	asOf := at(43)
	past.At, past.MergedFrom = &asOf, nil
	return []sample{
		{"home", func(p *pages.Pages, w io.Writer) error { return p.Home(w, home) }},
		{"home-young", func(p *pages.Pages, w io.Writer) error { return p.Home(w, young) }},
		{"home-rules", func(p *pages.Pages, w io.Writer) error { return p.Home(w, rules) }},
		{"first", func(p *pages.Pages, w io.Writer) error { return p.First(w, first) }},
		{"tool", func(p *pages.Pages, w io.Writer) error { return p.Tool(w, toolView()) }},
		{"tool-at", func(p *pages.Pages, w io.Writer) error { return p.Tool(w, past) }},
		{"tool-retired", func(p *pages.Pages, w io.Writer) error { return p.Tool(w, pending) }},
		{"tool-bare", func(p *pages.Pages, w io.Writer) error {
			return p.Tool(w, pages.ToolView{Page: page(6), Tool: sluice, Verdict: ship(0, 0)})
		}},
	}
}

func compareSamples() []sample {
	only := compareView()
	only.OnlyDifferences = true
	merged := compareView()
	merged.Left.MergedInto, merged.Left.Merged = &sluice, at(44)
	merged.Right.Retired = &pages.Retirement{Event: at(45)}
	bare := pages.CompareView{
		Page: page(9), Left: contender(sluice, ship(0, 0)), Right: contender(mihrab, ship(0, 0)),
		Opened: at(9), Publisher: "ci", Result: pages.Result{Kind: "not_comparable"},
	}
	return []sample{
		{"compare", func(p *pages.Pages, w io.Writer) error { return p.Compare(w, compareView()) }},
		{"compare-differences", func(p *pages.Pages, w io.Writer) error { return p.Compare(w, only) }},
		{"compare-merged", func(p *pages.Pages, w io.Writer) error { return p.Compare(w, merged) }},
		{"compare-bare", func(p *pages.Pages, w io.Writer) error { return p.Compare(w, bare) }},
		{"matrix", func(p *pages.Pages, w io.Writer) error { return p.Matrix(w, matrixView()) }},
		{"matrix-quotes", func(p *pages.Pages, w io.Writer) error {
			v := matrixView()
			v.Quotes, v.Only = true, true
			return p.Matrix(w, v)
		}},
		{"matrix-pair", func(p *pages.Pages, w io.Writer) error {
			v := matrixView()
			v.Tools, v.Pairs, v.Rows = v.Tools[:2], v.Pairs[:1], v.Rows[:3]
			for i := range v.Rows {
				v.Rows[i].Sides = v.Rows[i].Sides[:2]
			}
			return p.Matrix(w, v)
		}},
		{"matchups", func(p *pages.Pages, w io.Writer) error {
			return p.Matchups(w, pages.MatchupsView{
				Page: page(41), Matchups: matchups(), Paging: pages.Paging{Number: 2, Last: 3, Total: 212},
				Categories: []pages.Count{{Key: "queues", N: 40}, {Key: "search-tools", N: 172}},
			})
		}},
		{"matchups-none", func(p *pages.Pages, w io.Writer) error { return p.Matchups(w, pages.MatchupsView{Page: page(2)}) }},
	}
}

func matrixView() pages.MatrixView {
	l, k := lanternReviews(), kestrelReviews()
	v := pages.MatrixView{
		Page:       page(41),
		Tools:      []pages.Contender{contender(lantern, ship(3, 4)), contender(kestrel, ship(1, 3)), contender(mihrab, ship(1, 1))},
		Candidates: []pages.Ref{sluice},
		Pairs: []pages.PairRow{
			{Opened: at(34), Left: lantern, Right: kestrel, Result: pages.Result{Kind: "leans", Leader: lantern, Edge: 1, Shared: 3}, ToLeft: []pages.Reviewer{skeptic}},
			{Left: lantern, Right: mihrab, Result: pages.Result{Kind: "not_comparable", Shared: 1}},
			{Left: kestrel, Right: mihrab, Result: pages.Result{Kind: "not_comparable", Shared: 1}},
		},
	}
	for _, r := range panel() {
		row := pages.MatrixRow{Reviewer: r, Sides: []pages.Side{{Review: l[r.Slug]}, {Review: k[r.Slug]}, {}}}
		switch r.Slug {
		case "futurist":
			row.Sides[1].Gone = &pages.Withdrawal{Event: at(35), Of: at(25), OfVerdict: "ship"}
		case "builder":
			row.Sides[2].Review = said(builder, mihrab, "ship", 28, "قصير وواضح.")
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}
