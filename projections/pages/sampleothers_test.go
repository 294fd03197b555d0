package pages_test

import (
	"io"

	"shiplog/projections/pages"
)

const rawEvent = `{"data":{"body":"a < b & c","reason":"Release 0.9 writes ahead","replaces":19,"reviewer":"skeptic","revision":2,"tool":"lantern","verdict":"ship"},"id":"r-7","inputhash":"00","prevleaf":"5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592","publisher":"nightly-panel","recordedtime":"2026-04-14T18:30:05.000Z","salt":"00","source":"/panel","specversion":"1.0","type":"shiplog.review.revised.v1"}`

func eventView() pages.EventView {
	return pages.EventView{
		Page: page(41),
		Facts: pages.EventFacts{
			Seq: 41, Type: "shiplog.review.revised.v1", Tool: lantern, Reviewer: skeptic,
			Verdict: "ship", Was: "skip", Revision: 2, Replaces: 19,
		},
		Raw: rawEvent, Source: "/panel", ID: "r-7", Publisher: "nightly-panel",
		Written: at(40).Time, Recorded: at(41).Time, Leaf: page(41).Leaf, PrevLeaf: "7d793037a0760186574b0282f2f435e77d793037a0760186574b0282f2f435e7",
		Effects: []pages.Effect{
			{Tool: &lantern, Before: ship(2, 4), After: ship(3, 4)},
			{Matchup: &pages.Move{Left: lantern, Right: kestrel, From: pages.Result{Kind: "level"}, To: matchups()[1].Result}},
		},
		Prev: &pages.EventLine{Event: at(40), Facts: pages.EventFacts{Seq: 40, Type: "shiplog.reply.published.v1", Tool: kestrel}},
		Next: &pages.EventLine{Event: at(42), Facts: pages.EventFacts{Seq: 42, Type: "shiplog.matchup.opened.v1", Left: sluice, Right: mihrab}},
	}
}

func reviewerView() pages.ReviewerView {
	return pages.ReviewerView{
		Page: page(41), Reviewer: skeptic, Motto: "Pull the plug first.", Lens: "Looks for what fails on a bad day.",
		Ships: 1, N: 3, Seated: at(4), Publisher: "local", LoneDissents: 1, Revisions: 2, Flips: 1, Withdrawn: 1,
		Strip: []string{"skip", "ship", "skip"},
		Reviews: []pages.ReviewerReview{
			{Event: at(41), Tool: lantern, Verdict: "ship", Revision: 2, Was: "skip", Panel: ship(3, 4), Publisher: "nightly-panel"},
			{Event: at(32), Tool: mihrab, Gone: true, Panel: ship(1, 1)},
			{Event: at(26), Tool: kestrel, Verdict: "skip", Revision: 1, LoneDissent: true, Panel: ship(2, 3)},
			{Event: at(25), Tool: sluice, Verdict: "ship", Revision: 1, Merged: true, Panel: ship(1, 1)},
		},
		Paging:    pages.Paging{Number: 1, Last: 2, Total: 150},
		Agreement: []pages.Agreement{{With: builder, Same: 2, Of: 3}, {With: founder, Same: 1, Of: 3}},
	}
}

func otherSamples() []sample {
	former := reviewerView()
	former.Reviewer, former.Unseated = founder, &pages.Retirement{Event: at(45), Reason: "Moved on"}
	former.N, former.Strip, former.Reviews, former.Agreement, former.Paging = 0, nil, nil, nil, pages.Paging{}
	first := pages.EventView{
		Page: page(1), Facts: pages.EventFacts{Seq: 1, Type: "shiplog.ledger.opened.v1", Derived: true}, Raw: `{"source":"/shiplog/ledger"}`,
		Recorded: at(1).Time, Publisher: "shiplog", Leaf: page(1).Leaf, SkippedBy: 9, Reason: "An operator's mend",
	}
	rules := page(41)
	ruleRows := []pages.Rules{{Event: at(12), Version: 1, Quorum: 5, Matchmaking: "manual", Publisher: "ci", Changed: 214}, rules.Rules}
	return []sample{
		{"event", func(p *pages.Pages, w io.Writer) error { return p.Event(w, eventView()) }},
		{"event-first", func(p *pages.Pages, w io.Writer) error { return p.Event(w, first) }},
		{"reviewer", func(p *pages.Pages, w io.Writer) error { return p.Reviewer(w, reviewerView()) }},
		{"reviewer-former", func(p *pages.Pages, w io.Writer) error { return p.Reviewer(w, former) }},
		{"reviewers", func(p *pages.Pages, w io.Writer) error {
			rows := reviewerRows()
			return p.Reviewers(w, pages.ReviewersView{Page: page(41), Seated: append(rows[:3:3], rows[4]), Former: rows[3:4]})
		}},
		{"reviewers-none", func(p *pages.Pages, w io.Writer) error { return p.Reviewers(w, pages.ReviewersView{Page: page(1)}) }},
		{"tools", func(p *pages.Pages, w io.Writer) error {
			return p.Tools(w, pages.ToolsView{
				Page: page(41), Tools: toolRows(), Paging: pages.Paging{Number: 1, Last: 1, Total: 4}, Total: 4,
				Verdicts:   []pages.Count{{Key: "Ship", N: 2}, {Key: "Skip", N: 1}, {Key: "Split", N: 0}, {Key: "Pending", N: 1}},
				Categories: []pages.Count{{Key: "ai-agents", N: 1}, {Key: "queues", N: 1}},
			})
		}},
		{"tools-filtered", func(p *pages.Pages, w io.Writer) error {
			return p.Tools(w, pages.ToolsView{Page: page(41), Verdict: "split", Category: "queues", Total: 1, Verdicts: []pages.Count{{Key: "Split", N: 0}}, Categories: []pages.Count{{Key: "queues", N: 1}}})
		}},
		{"category", func(p *pages.Pages, w io.Writer) error {
			return p.Category(w, pages.CategoryView{Page: page(41), Slug: "search-tools", Tools: toolRows(), Paging: pages.Paging{Number: 1, Last: 1, Total: 4}, Matchups: matchups(), MatchupTotal: 40})
		}},
		{"category-bare", func(p *pages.Pages, w io.Writer) error {
			return p.Category(w, pages.CategoryView{Page: page(9), Slug: "ai-agents"})
		}},
		{"feeds", func(p *pages.Pages, w io.Writer) error {
			return p.FeedList(w, pages.FeedsView{
				Page: page(41), Categories: []pages.FeedRow{{Ref: pages.Ref{Slug: "queues"}, Note: "2 tools"}},
				Tools: []pages.FeedRow{{Ref: lantern, Note: "Full text search in one file"}, {Ref: mihrab}}, Paging: pages.Paging{Number: 1, Last: 2, Total: 2},
				Reviewers: []pages.FeedRow{{Ref: pages.Ref{Slug: "skeptic", Name: "The Skeptic"}, Note: "AI persona"}},
			})
		}},
		{"rules", func(p *pages.Pages, w io.Writer) error {
			return p.Rules(w, pages.RulesView{Page: rules, History: ruleRows})
		}},
		{"rules-builtin", func(p *pages.Pages, w io.Writer) error {
			v := pages.RulesView{Page: page(1)}
			v.Page.Rules.Event = pages.Event{}
			return p.Rules(w, v)
		}},
		{"search", func(p *pages.Pages, w io.Writer) error {
			return p.Search(w, pages.SearchView{Page: page(41), Query: `lan"tern`, Tools: toolRows()[1:2], ToolTotal: 3, Reviewers: reviewerRows()[:1], ReviewerTotal: 1, Matchups: matchups()[:1], MatchupTotal: 1})
		}},
		{"search-empty", func(p *pages.Pages, w io.Writer) error { return p.Search(w, pages.SearchView{Page: page(41)}) }},
		{"search-none", func(p *pages.Pages, w io.Writer) error {
			return p.Search(w, pages.SearchView{Page: page(41), Query: "zzz"})
		}},
		{"problem-404", func(p *pages.Pages, w io.Writer) error {
			return p.Problem(w, pages.ProblemView{Status: 404, Detail: "There is no tool called lantrn.", Near: toolRows()[1:2]})
		}},
		{"problem-400", func(p *pages.Pages, w io.Writer) error {
			return p.Problem(w, pages.ProblemView{Status: 400, Detail: "at=9999 is beyond the newest event, 41."})
		}},
		{"problem-503", func(p *pages.Pages, w io.Writer) error { return p.Problem(w, pages.ProblemView{Status: 503}) }},
	}
}
