package pages_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"shiplog/projections/pages"
)

// hostileNames are what a publisher may call a thing.
func hostileNames() map[string]string {
	return map[string]string{
		"long":   strings.Repeat("Unbroken", 25),
		"rtl":    "دفتر \u202eالسفينة",
		"markup": `<script>alert("x")</script>`,
		"vec":    "Vec<T> & 'Option'",
		"quotes": `"` + "`" + `'"><b onclick=1>`,
		"emoji":  "🚢👩‍👩‍👧‍👦 ship 🏴‍☠️",
	}
}

const hostileBody = " \n<img src=x onerror=alert(1)>\r\n\r\n  two  spaces\tand a tab & an &amp; and \"quotes\"\n\n" +
	"</blockquote><script>alert(1)</script> {{.Site}} \u2066RTL\u2069 سلام "

// hostileSamples draw the pages with nothing but hostile data.
func hostileSamples() []sample {
	name := hostileNames()
	long := pages.Ref{Slug: "long", Name: name["long"]}
	rtl := pages.Ref{Slug: "rtl", Name: name["rtl"]}
	var tools []pages.Ref
	for _, slug := range []string{"long", "rtl", "markup", "vec", "quotes"} {
		tools = append(tools, pages.Ref{Slug: slug, Name: name[slug]})
	}
	who := pages.Reviewer{Slug: "main", Name: "The " + name["markup"], Kind: "<i>"}
	whoLong := pages.Reviewer{Slug: "ship", Name: name["long"], Kind: "ai", Former: true}
	review := func(r pages.Reviewer, t pages.Ref, verdict string) *pages.Review {
		v := said(r, t, verdict, 20, hostileBody)
		v.Condition, v.Reason, v.Disclosure, v.Publisher = name["long"], name["quotes"], name["vec"], name["markup"]
		v.Pros, v.Cons = []string{name["long"], name["rtl"]}, []string{name["markup"]}
		v.Evidence = []string{"javascript:alert(1)", "https://e.example/" + name["long"], "http://e.example/\"><b>", "data:text/html,x"}
		return v
	}
	left := pages.Contender{Ref: long, Tagline: name["markup"], Pricing: "<b>", PricingNote: name["long"], Verdict: ship(1, 2)}
	right := pages.Contender{Ref: rtl, Tagline: name["rtl"], Verdict: ship(3, 3), Since: at(9), Before: "Pending"}
	row := pages.CompareRow{Reviewer: who, Left: pages.Side{Review: review(who, long, "ship")}, Right: pages.Side{Review: review(who, rtl, "skip")}}
	one := pages.CompareRow{
		Reviewer: whoLong, Left: pages.Side{Review: review(whoLong, long, "ship")},
		Right: pages.Side{Gone: &pages.Withdrawal{Event: at(21), Reason: name["markup"] + name["long"], Publisher: name["vec"]}},
	}
	compare := pages.CompareView{
		Page: page(41), Left: left, Right: right, Category: "x", Opened: at(10), Publisher: name["emoji"],
		Result: pages.Result{Kind: "leans", Leader: long, Edge: 1, Shared: 1}, Shared: []pages.CompareRow{row}, One: []pages.CompareRow{one},
	}
	tool := pages.ToolView{
		Page: page(41), Tool: long, Tagline: name["long"], Description: hostileBody, Homepage: "javascript:alert(1)",
		Pricing: "paid", PricingNote: name["long"], Aliases: []string{"a", strings.Repeat("b", 80)}, Registered: at(3), Publisher: name["long"],
		Verdict: ship(3, 4), Dissent: review(whoLong, long, "skip"),
		Reviews: []pages.ToolReview{{Reviewer: who, Review: review(who, long, "ship"), Revisions: []pages.Review{*review(who, long, "ship"), *said(who, long, "skip", 4, hostileBody+name["vec"])}}},
		Replies: []pages.Reply{{Event: at(40), Author: name["long"], Body: pages.Body{Text: hostileBody}, Publisher: "x"}},
	}
	matrix := pages.MatrixView{Page: page(41), Quotes: true}
	mrow := pages.MatrixRow{Reviewer: whoLong}
	for i, t := range tools {
		matrix.Tools = append(matrix.Tools, pages.Contender{Ref: t, Verdict: ship(i, 5)})
		mrow.Sides = append(mrow.Sides, pages.Side{Review: review(whoLong, t, []string{"ship", "skip", "abstain"}[i%3])})
	}
	matrix.Rows = []pages.MatrixRow{mrow}
	matrix.Pairs = []pages.PairRow{{Left: tools[0], Right: tools[1], Result: pages.Result{Kind: "favours", Leader: tools[0], Edge: 2, Shared: 3}, ToLeft: []pages.Reviewer{who, whoLong}}}
	var rows []pages.ToolRow
	var feeds []pages.FeedRow
	for _, t := range tools {
		rows = append(rows, pages.ToolRow{Ref: t, Tagline: name["markup"] + name["long"], Category: strings.Repeat("c", 80), Verdict: ship(2, 3), Changed: pages.Event{Seq: 12345678, Time: at(1).Time}})
		feeds = append(feeds, pages.FeedRow{Ref: t, Note: name["long"]})
	}
	event := eventView()
	event.Facts.Tool, event.Facts.Reviewer, event.Source, event.ID, event.Publisher = long, whoLong, name["long"], name["quotes"], name["markup"]
	event.Raw = `{"data":{"body":"</code></pre><script>"},"id":"` + name["long"] + `"}`
	return []sample{
		{"hostile-compare", func(p *pages.Pages, w io.Writer) error { return p.Compare(w, compare) }},
		{"hostile-tool", func(p *pages.Pages, w io.Writer) error { return p.Tool(w, tool) }},
		{"hostile-matrix", func(p *pages.Pages, w io.Writer) error { return p.Matrix(w, matrix) }},
		{"hostile-tools", func(p *pages.Pages, w io.Writer) error {
			return p.Tools(w, pages.ToolsView{Page: page(41), Tools: rows, Total: 5, Paging: pages.Paging{Number: 1, Last: 1, Total: 5}, Categories: []pages.Count{{Key: strings.Repeat("c", 80), N: 5}}})
		}},
		{"hostile-feeds", func(p *pages.Pages, w io.Writer) error {
			return p.FeedList(w, pages.FeedsView{Page: page(41), Tools: feeds})
		}},
		{"hostile-event", func(p *pages.Pages, w io.Writer) error { return p.Event(w, event) }},
		{"hostile-search", func(p *pages.Pages, w io.Writer) error {
			return p.Search(w, pages.SearchView{Page: page(41), Query: name["quotes"] + name["long"]})
		}},
		{"hostile-home", func(p *pages.Pages, w io.Writer) error {
			return p.Home(w, pages.HomeView{
				Page: page(41), Seated: 99, Tools: rows,
				Latest: &pages.LatestChange{
					ChangeRow: pages.ChangeRow{Event: at(41), Tool: long, From: "Split", To: ship(3, 4)}, Cause: "withdrawal", Reviewer: whoLong,
					Reason: name["quotes"], Then: review(whoLong, long, "skip"), Gone: &pages.Withdrawal{Event: at(41)},
				},
				Matchups: []pages.MatchupRow{{Opened: at(12), Left: long, Right: rtl, Result: compare.Result}}, Changes: []pages.ChangeRow{{Event: at(41), Tool: long, From: "Split", To: ship(3, 4)}},
				Panel: []pages.ReviewerRow{{Reviewer: whoLong, Motto: name["long"], N: 3, Ships: 1}},
			})
		}},
	}
}

// TestBodyVerbatim holds that a text review comes out of the page character by
// character, whatever it is.
func TestBodyVerbatim(t *testing.T) {
	p := newPages(t)
	for _, s := range hostileSamples() {
		if s.name != "hostile-compare" && s.name != "hostile-tool" && s.name != "hostile-matrix" {
			continue
		}
		var buf bytes.Buffer
		if err := s.draw(p, &buf); err != nil {
			t.Fatal(err)
		}
		root, err := html.Parse(&buf)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && n.Data == "blockquote" {
				found++
				if got := text(n); !strings.HasPrefix(got, hostileBody) || (got != hostileBody && s.name != "hostile-tool") {
					t.Errorf("%s: blockquote holds %q, want %q", s.name, got, hostileBody)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no blockquote", s.name)
		}
	}
}

// TestQuoteOrder holds the order of the quotes on a comparison page: those who
// judged both, left then right, then those who judged one, then abstentions.
func TestQuoteOrder(t *testing.T) {
	var buf bytes.Buffer
	if err := newPages(t).Compare(&buf, compareView()); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	l, k := lanternReviews(), kestrelReviews()
	want := []string{
		l["builder"].Body.Text, "A tidy queue:", l["skeptic"].Body.Text, k["skeptic"].Body.Text, l["founder"].Body.Text, k["founder"].Body.Text,
		"Search belongs on the device again.", l["ines"].Body.Text, k["ines"].Body.Text,
	}
	var got []string
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "blockquote" {
			got = append(got, text(n))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("page holds %d quotes, want %d", len(got), len(want))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("quote %d is %q, want %q", i, got[i], want[i])
		}
	}
}
