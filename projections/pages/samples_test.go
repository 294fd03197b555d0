package pages_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"shiplog/projections/pages"
)

// sample is one page drawn from invented data.
type sample struct {
	name string
	draw func(*pages.Pages, io.Writer) error
}

func newPages(t testing.TB) *pages.Pages {
	t.Helper()
	p, err := pages.New(pages.Site{Title: "Shiplog", BaseURL: "https://panel.example/"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// at is the event with that number; the numbers and the days run together.
func at(seq uint64) pages.Event {
	return pages.Event{Seq: seq, Time: time.Date(2026, 3, 1, 8, 30, 5, 0, time.UTC).Add(time.Duration(seq) * 26 * time.Hour)}
}

func page(seq uint64) pages.Page {
	return pages.Page{
		Changed: at(seq), Leaf: "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592",
		Rules:     pages.Rules{Event: at(2), Version: 1, Quorum: 3, Matchmaking: "category", MaxMatchups: 8},
		CanTravel: true,
	}
}

var (
	lantern = pages.Ref{Slug: "lantern", Name: "Lantern"}
	kestrel = pages.Ref{Slug: "kestrel", Name: "Kestrel"}
	sluice  = pages.Ref{Slug: "sluice", Name: "Sluice"}
	mihrab  = pages.Ref{Slug: "mihrab", Name: "محراب"}
)

var (
	builder  = pages.Reviewer{Slug: "builder", Name: "The Builder", Kind: "ai"}
	skeptic  = pages.Reviewer{Slug: "skeptic", Name: "The Skeptic", Kind: "ai"}
	futurist = pages.Reviewer{Slug: "futurist", Name: "The Futurist", Kind: "ai"}
	founder  = pages.Reviewer{Slug: "founder", Name: "The Founder", Kind: "ai", Former: true}
	ines     = pages.Reviewer{Slug: "ines", Name: "Inês Prado", Kind: "human"}
)

func panel() []pages.Reviewer {
	return []pages.Reviewer{builder, skeptic, futurist, founder, ines}
}

func ship(ships, n int) pages.Verdict {
	v := pages.Verdict{Label: "Split", Ships: ships, N: n, Quorum: 3}
	switch {
	case n < 3:
		v.Label = "Pending"
	case 2*ships > n:
		v.Label = "Ship"
	case 2*ships < n:
		v.Label = "Skip"
	}
	return v
}

func said(r pages.Reviewer, tool pages.Ref, verdict string, seq uint64, body string) *pages.Review {
	return &pages.Review{
		Event: at(seq), Reviewer: r, Tool: tool, Verdict: verdict, Revision: 1,
		Body: pages.Body{Text: body}, Publisher: "local",
	}
}

func lanternReviews() map[string]*pages.Review {
	second := said(skeptic, lantern, "ship", 41, "The index survives a power cut now; I pulled the plug eleven times. I would still keep a copy of anything that matters.")
	second.Revision, second.Was, second.Reason = 2, "skip", "Release 0.9 writes ahead"
	second.Condition, second.Publisher = "with backups", "nightly-panel"
	third := said(ines, lantern, "ship", 33, "Three clicks from question to answer.\n\nMy parents use it.")
	third.Disclosure, third.Pros, third.Cons = "I know one of the authors", []string{"quick", "no account"}, []string{"no mobile view"}
	third.Evidence = []string{"https://lantern.example/bench?run=7&day=2", "ftp://lantern.example/raw"}
	fourth := said(founder, lantern, "skip", 20, "A search box is a feature, and the feature ships with the disk.")
	fourth.Inferred = true
	return map[string]*pages.Review{
		"builder": said(builder, lantern, "ship", 18, "One binary, one flag, and the first query came back in four milliseconds."),
		"skeptic": second, "ines": third, "founder": fourth,
	}
}

func kestrelReviews() map[string]*pages.Review {
	md := said(builder, kestrel, "ship", 24, "A *tidy* queue:\n\n- back pressure by default\n- [manual](https://kestrel.example/man) of nine pages\n\n> push back\n")
	html, err := pages.NewMarkdown().Render(md.Body.Text)
	if err != nil {
		panic(err)
	}
	md.Body.HTML = html
	return map[string]*pages.Review{
		"builder": md,
		"skeptic": said(skeptic, kestrel, "skip", 26, "It loses the last second on a crash, and says so only in a footnote."),
		"founder": said(founder, kestrel, "skip", 27, "Nobody pays for a queue."),
		"ines":    said(ines, kestrel, "abstain", 36, "I wrote half of its documentation, so I do not vote."),
	}
}

func contender(ref pages.Ref, v pages.Verdict) pages.Contender {
	c := pages.Contender{Ref: ref, Verdict: v}
	switch ref {
	case lantern:
		c.Tagline, c.Pricing, c.PricingNote = "Full text search in one file", "freemium", "Sync from 4 € a month"
		c.Since, c.Before = at(41), "Split"
	case kestrel:
		c.Tagline, c.Pricing, c.Since, c.Before = "A queue that pushes back", "free", at(27), "Pending"
	}
	return c
}

func compareView() pages.CompareView {
	l, k := lanternReviews(), kestrelReviews()
	row := func(r pages.Reviewer) pages.CompareRow {
		return pages.CompareRow{Reviewer: r, Left: pages.Side{Review: l[r.Slug]}, Right: pages.Side{Review: k[r.Slug]}}
	}
	gone := row(futurist)
	gone.Left.Review = said(futurist, lantern, "ship", 30, "Search belongs on the device again.")
	gone.Right.Gone = &pages.Withdrawal{Event: at(35), Reason: "I had read the wrong manual", Of: at(25), OfVerdict: "ship", Publisher: "local"}
	return pages.CompareView{
		Page: page(41), Left: contender(lantern, ship(4, 5)), Right: contender(kestrel, ship(1, 3)), Category: "search-tools",
		Opened: at(34), Matchmade: true,
		Result: pages.Result{Kind: "leans", Leader: lantern, Edge: 1, Shared: 3},
		Since:  at(41), Before: &pages.Result{Kind: "level", Shared: 3},
		Shared:    []pages.CompareRow{row(builder), row(skeptic), row(founder)},
		One:       []pages.CompareRow{gone, row(ines)},
		Abstained: []pages.CompareRow{row(ines)},
		Prev:      &pages.MatchupLink{Left: sluice, Right: mihrab},
		Next:      &pages.MatchupLink{Left: kestrel, Right: sluice},
	}
}

func toolView() pages.ToolView {
	l := lanternReviews()
	first := said(skeptic, lantern, "skip", 19, "The index does not survive a power cut; I pulled the plug twice. I would keep a copy of anything that matters.")
	v := pages.ToolView{
		Page: page(44), Tool: lantern, Tagline: "Full text search in one file", Category: "search-tools",
		Description: "Reads a folder, answers questions about it, and stays out of the way.",
		Homepage:    "https://lantern.example/", Pricing: "freemium", PricingNote: "Sync from 4 € a month",
		Aliases: []string{"lantern-search"}, Registered: at(9), Publisher: "nightly-panel",
		Verdict: ship(3, 4), Since: at(41), Before: "Split", BeforeSince: at(33), Controversy: 0.5,
		Dissent: l["founder"],
		Reviews: []pages.ToolReview{
			{Reviewer: builder, Review: l["builder"]},
			{Reviewer: skeptic, Review: l["skeptic"], Revisions: []pages.Review{*l["skeptic"], *first}},
			{
				Reviewer: futurist, Gone: &pages.Withdrawal{Event: at(31), Reason: "Wrong tool", Of: at(21), OfVerdict: "ship", Publisher: "local"},
				Revisions: []pages.Review{*said(futurist, lantern, "ship", 21, "Early, and right.")},
			},
			{Reviewer: founder, Review: l["founder"]},
			{Reviewer: ines, Review: l["ines"]},
		},
		Replies:    []pages.Reply{{Event: at(43), Author: "Lantern’s makers", Body: pages.Body{Text: "Sync is optional and will stay so."}, Publisher: "local"}},
		Matchups:   matchups()[:2],
		MatchTotal: 2,
		MergedFrom: []pages.MergedFrom{{
			Tool: pages.Ref{Slug: "lantern-old", Name: "Lantern Search"}, Event: at(44), Reason: "The same tool under its former name",
			Reviews: []pages.Review{*said(builder, pages.Ref{Slug: "lantern-old", Name: "Lantern Search"}, "ship", 12, "Small and quick.")},
		}},
	}
	for i, c := range []struct {
		ships, n int
		who      pages.Reviewer
		cause    string
	}{{1, 1, builder, "ship"}, {1, 2, skeptic, "skip"}, {1, 3, founder, "skip"}, {2, 4, futurist, "ship"}, {1, 3, futurist, "withdrawn"}, {2, 4, ines, "ship"}, {3, 4, skeptic, "revised"}} {
		v.Steps = append(v.Steps, pages.Step{Event: at([]uint64{18, 19, 20, 21, 31, 33, 41}[i]), Verdict: ship(c.ships, c.n), Reviewer: c.who, Cause: c.cause, Now: "ship"})
	}
	return v
}

func matchups() []pages.MatchupRow {
	return []pages.MatchupRow{
		{Opened: at(38), Left: lantern, Right: sluice, Result: pages.Result{Kind: "level", Shared: 4}},
		{Opened: at(34), Left: lantern, Right: kestrel, Result: pages.Result{Kind: "leans", Leader: lantern, Edge: 1, Shared: 3}},
		{Opened: at(29), Left: mihrab, Right: sluice, Result: pages.Result{Kind: "favours", Leader: mihrab, Edge: 2, Shared: 3}},
		{Opened: at(28), Left: kestrel, Right: sluice, Result: pages.Result{Kind: "too_close", Edge: 1, Shared: 3}},
		{Opened: pages.Event{Seq: 3, Time: time.Date(2025, 12, 31, 23, 59, 0, 0, time.UTC)}, Left: kestrel, Right: mihrab, Result: pages.Result{Kind: "not_comparable", Shared: 2}},
	}
}

func toolRows() []pages.ToolRow {
	return []pages.ToolRow{
		{Ref: kestrel, Tagline: "A queue that pushes back", Category: "queues", Verdict: ship(1, 3), Changed: at(27)},
		{Ref: lantern, Tagline: "Full text search in one file", Category: "search-tools", Verdict: ship(3, 4), Changed: at(41)},
		{Ref: mihrab, Category: "ai-agents", Verdict: ship(4, 4), Changed: at(29)},
		{Ref: sluice, Tagline: "Streams on paper", Verdict: ship(1, 2), Changed: at(28), Retired: true},
	}
}

func reviewerRows() []pages.ReviewerRow {
	var out []pages.ReviewerRow
	for i, r := range panel() {
		out = append(out, pages.ReviewerRow{Reviewer: r, Motto: fmt.Sprintf("Question number %d?", i+1), Ships: 3 - i%4, N: 3, LoneDissents: i % 2})
	}
	out[4].N = 0
	return out
}

func changes() []pages.ChangeRow {
	return []pages.ChangeRow{
		{Event: at(41), Tool: lantern, From: "Split", To: ship(3, 4)},
		{Event: at(27), Tool: kestrel, From: "Pending", To: ship(1, 3)},
	}
}
