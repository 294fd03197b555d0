package feeds_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/projections"
)

func newTool(slug, name string, ships, skips int) projections.Tool {
	tally := events.Tally{Ships: ships, Skips: skips}
	return projections.Tool{
		Ref:      projections.Ref{Slug: slug, Name: name},
		Category: "ai-agents",
		Verdict:  projections.Verdict{Tally: tally, Label: tally.Label(3), Quorum: 3},
	}
}

func reviewOf(tool projections.Tool, by projections.Critic, verdict events.Verdict, body string) *projections.Review {
	r := newReview(body)
	r.Tool, r.Reviewer, r.Verdict = tool.Ref, by, verdict
	return &r
}

// newMatchup is a matchup with a reviewer in every place a scorecard has.
func newMatchup() (projections.MatchupItem, projections.Scorecard) {
	left, right := newTool("agency", "Agency <beta>", 3, 1), newTool("smolvm", "smolvm", 2, 2)
	builder, skeptic, futurist := critic("builder", "The Builder"), critic("skeptic", "The Skeptic"), critic("futurist", "دفتر")
	founder, creator := critic("founder", "The Founder"), critic("creator", "The Creator")
	founder.Former = true
	card := projections.Scorecard{
		Common: []projections.Row{
			{Reviewer: builder, Left: reviewOf(left, builder, events.Ship, "builder left"), Right: reviewOf(right, builder, events.Ship, "builder right")},
			{Reviewer: skeptic, Left: reviewOf(left, skeptic, events.Ship, "skeptic left"), Right: reviewOf(right, skeptic, events.Skip, "skeptic right")},
			{Reviewer: futurist, Left: reviewOf(left, futurist, events.Ship, "futurist left"), Right: reviewOf(right, futurist, events.Ship, "futurist right")},
		},
		One:       []projections.Row{{Reviewer: founder, Left: reviewOf(left, founder, events.Skip, "founder left"), Right: reviewOf(right, founder, events.Abstain, "founder right")}},
		Abstained: []projections.Row{{Reviewer: founder, Left: reviewOf(left, founder, events.Skip, "founder left"), Right: reviewOf(right, founder, events.Abstain, "founder right")}},
	}
	card.One = append(card.One, projections.Row{Reviewer: creator, Right: reviewOf(right, creator, events.Skip, "creator right")})
	var shared events.Shared
	for _, row := range card.Common {
		shared.Add(row.Left.Verdict, row.Right.Verdict)
	}
	in := projections.MatchupItem{
		Seq: 31, Published: moment("2026-03-04T08:00:00Z"), Updated: moment("2026-03-05T08:00:00Z"),
		Matchup: projections.Matchup{
			Event: stampAt(31, "2026-03-04T08:00:01Z"), Publisher: "newsroom", Category: "ai-agents", Left: left, Right: right,
			Result: events.Compare(shared, left.Verdict.Label, right.Verdict.Label, 3), Shared: []projections.Critic{builder, skeptic, futurist},
		},
	}
	return in, card
}

// quotes are the texts of all blockquotes, in order.
func quotes(content string) []string {
	var out []string
	for _, part := range strings.Split(content, "<blockquote")[1:] {
		body, _, _ := strings.Cut(part, "</blockquote>")
		_, body, _ = strings.Cut(body, "<p>")
		out = append(out, strings.TrimSuffix(body, "</p>"))
	}
	return out
}

func TestItemsGolden(t *testing.T) {
	c := newComposer()
	f := wideFeed()
	in, card := newMatchup()
	matchup, err := c.Matchup(in, card)
	if err != nil {
		t.Fatal(err)
	}
	change := projections.VerdictItem{
		Seq: 40, Published: moment("2026-03-06T08:00:00Z"), Updated: moment("2026-03-06T08:00:01Z"),
		Change: &projections.VerdictChange{
			Event: stampAt(40, "2026-03-06T08:00:01Z"), Tool: in.Matchup.Right.Ref, Category: "ai-agents", From: events.LabelShip,
			To: in.Matchup.Right.Verdict,
			Cause: projections.Cause{
				Kind: projections.CauseRevision, Publisher: "local", Reviewer: critic("skeptic", "The Skeptic"),
				Was: events.Ship, Now: events.Skip, Reason: "The licence changed.",
			},
		},
	}
	verdict, err := c.Verdict(change, reviewOf(in.Matchup.Right, critic("skeptic", "The Skeptic"), events.Skip, "Not any more.\nSee the licence."))
	if err != nil {
		t.Fatal(err)
	}
	rules := c.Rules(projections.VerdictItem{
		Seq: 50, Published: moment("2026-03-07T08:00:00Z"), Updated: moment("2026-03-07T08:00:01Z"),
		Rules: &projections.Rules{Rules: events.Rules{Version: 1, Quorum: 5, Seq: 50}, Event: stampAt(50, "2026-03-07T08:00:01Z"), Publisher: "local", Changed: 214},
	}, []projections.VerdictChange{{
		Tool: in.Matchup.Left.Ref, From: events.LabelShip,
		To: projections.Verdict{Tally: in.Matchup.Left.Verdict.Tally, Label: events.LabelPending, Quorum: 5},
	}})
	gone := newReview("")
	gone.Kind, gone.Verdict, gone.Previous, gone.Item, gone.Reason = projections.ReviewWithdrawn, "", events.Ship, 60, "Tested the wrong build."
	gone.Event = stampAt(60, "2026-03-08T08:00:00Z")
	withdrawn, err := c.Review(reviewItem(gone), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Items = []feeds.Item{withdrawn, rules, verdict, matchup}
	for _, format := range feeds.Formats() {
		golden(t, "items."+string(format), render(t, f, format))
	}
}

func TestMatchupQuotesInScorecardOrder(t *testing.T) {
	item, err := newComposer().Matchup(newMatchup())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"builder left", "builder right", "skeptic left", "skeptic right", "futurist left", "futurist right",
		"founder left", "creator right", "founder right",
	}
	if got := quotes(item.Content); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("quotes\n got %q\nwant %q", got, want)
	}
	if item.Title != "Agency <beta> vs smolvm" {
		t.Errorf("title %q", item.Title)
	}
	if want := "Leans Agency <beta>. Agency <beta>: Ship 3 of 4 (75%). smolvm: Split 2 of 4 (50%)."; item.Summary != want {
		t.Errorf("summary %q, want %q", item.Summary, want)
	}
	if len(item.Authors) != 5 {
		t.Errorf("authors %v, want each reviewer quoted, once", item.Authors)
	}
}

// TestGreatMatchupStaysSmall has many reviewers who all wrote as much as they
// may.
func TestGreatMatchupStaysSmall(t *testing.T) {
	in, _ := newMatchup()
	body := strings.Repeat(`"<&>" `, 10<<10)
	var card projections.Scorecard
	for i := range 500 {
		by := critic(fmt.Sprintf("r%d", i), fmt.Sprintf("Reviewer %d", i))
		card.Common = append(card.Common, projections.Row{
			Reviewer: by, Left: reviewOf(in.Matchup.Left, by, events.Ship, body), Right: reviewOf(in.Matchup.Right, by, events.Skip, body),
		})
	}
	item, err := newComposer().Matchup(in, card)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(item.Content, "440 more reviewers") {
		t.Error("the item does not say how many reviewers it leaves out")
	}
	f := wideFeed()
	f.Items = []feeds.Item{item}
	for _, format := range feeds.Formats() {
		if body := render(t, f, format); len(body) > 512<<10 {
			t.Errorf("%s has %d bytes, over 512 KiB", format, len(body))
		} else if format != feeds.JSON {
			strict(t, bytes.Clone(body))
		}
	}
}

func TestReviewTitles(t *testing.T) {
	first := newReview("x")
	revised := newReview("x")
	revised.Kind, revised.Previous, revised.Verdict, revised.Revision = projections.ReviewRevised, events.Ship, events.Skip, 2
	edited := revised
	edited.Previous, edited.Revision = events.Skip, 3
	abstained := newReview("x")
	abstained.Verdict = events.Abstain
	gone := newReview("")
	gone.Kind, gone.Verdict, gone.Previous = projections.ReviewWithdrawn, "", events.Skip
	tests := []struct {
		name   string
		review projections.Review
		origin *projections.Review
		want   string
	}{
		{"First", first, nil, "The Builder on smolvm: Ship"},
		{"Changed", revised, nil, "The Builder on smolvm: Ship → Skip"},
		{"EditedLater", edited, &revised, "The Builder on smolvm: Ship → Skip"},
		{"Abstained", abstained, nil, "The Builder on smolvm: Abstains"},
		{"Withdrawn", gone, nil, "The Builder on smolvm: withdrawn"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			item, err := newComposer().Review(reviewItem(test.review), test.origin, nil)
			if err != nil {
				t.Fatal(err)
			}
			if item.Title != test.want {
				t.Errorf("title %q, want %q", item.Title, test.want)
			}
		})
	}
}

// TestFormerReviewersAreMarked: leaving the panel counts as a change of what a
// reviewer's items show, so it is to be seen there.
func TestFormerReviewersAreMarked(t *testing.T) {
	p := newPanel(t, story()...)
	before := p.ok("/feeds/tools/smolvm.json").body
	p.record(&events.ReviewerUnseated{Reviewer: "futurist", Reason: "Left."})
	after := p.ok("/feeds/tools/smolvm.json").body
	const mark = `dir=\"auto\">The Futurist</span></a> (former)`
	if strings.Contains(before, mark) {
		t.Error("marked before leaving")
	}
	// The matchup, the change of the verdict, the review.
	if got := strings.Count(after, mark); got != 3 {
		t.Errorf("marked in %d items, want 3:\n%s", got, after)
	}
}

// TestMarkdownNamesControlCharacters has characters that no document can carry
// come by their numbers.
func TestMarkdownNamesControlCharacters(t *testing.T) {
	r := newReview("&#7; a &#xFFFE; b &#x1;")
	r.Format = events.FormatMarkdown
	item, err := newComposer().Review(reviewItem(r), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if item.Summary != "a b" {
		t.Errorf("summed up as %q", item.Summary)
	}
	f := wideFeed()
	f.Items = []feeds.Item{item}
	for _, format := range feeds.Formats() {
		body := render(t, f, format)
		if format != feeds.JSON {
			strict(t, body)
		}
		if strings.ContainsAny(string(body), "\x07\x01\ufffe") || strings.Contains(string(body), `\u0007`) {
			t.Errorf("%s holds a control character", format)
		}
	}
}

// TestMarkdownOfNothingIsShownAsWritten has sources of which a renderer leaves
// nothing that could be read.
func TestMarkdownOfNothingIsShownAsWritten(t *testing.T) {
	for _, body := range []string{"---", "```\n```", "![](https://x.example/p.png)", "# ", "> \n\n- ", "&nbsp;", "[a]: https://x.example", "<b>"} {
		r := newReview(body)
		r.Format = events.FormatMarkdown
		item, err := newComposer().Review(reviewItem(r), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := quoted(t, item.Content); got != written(body) {
			t.Errorf("%q is shown as %q", body, got)
		}
		if want := strings.Join(strings.Fields(body), " "); item.Summary != want {
			t.Errorf("%q is summed up as %q", body, item.Summary)
		}
	}
}

func TestIDsComeFromTheLedger(t *testing.T) {
	m := newMint()
	for want, got := range map[string]string{
		"tag:reviews.example,2026-03-01:matchup/31":        m.Matchup(31),
		"tag:reviews.example,2026-03-01:verdict/40/smolvm": m.Verdict(40, "smolvm"),
		"tag:reviews.example,2026-03-01:review/12":         m.Review(12),
		"tag:reviews.example,2026-03-01:rules/50":          m.Rules(50),
		"tag:reviews.example,2026-03-01:feed/verdicts":     m.Feed(feeds.Verdicts, ""),
		"tag:reviews.example,2026-03-01:feed/tool/smolvm":  m.Feed(feeds.Tool, "smolvm"),
	} {
		if got != want {
			t.Errorf("id %q, want %q", got, want)
		}
	}
}
