package feeds_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/feeds"
)

// dated makes items, the newest first, at the given ages.
func dated(ages ...time.Duration) []feeds.Item {
	newest := moment("2026-05-01T12:00:00Z")
	items := make([]feeds.Item, len(ages))
	for i, age := range ages {
		items[i] = feeds.Item{
			Seq: uint64(len(ages) - i), ID: fmt.Sprintf("tag:x,2026-01-01:review/%d", len(ages)-i), Title: "t", Content: "c",
			Link: "https://x.example/", Published: newest.Add(-age), Updated: newest.Add(-age),
		}
	}
	return items
}

// every makes n ages, one step apart.
func every(n int, step time.Duration) []time.Duration {
	ages := make([]time.Duration, n)
	for i := range ages {
		ages[i] = time.Duration(i) * step
	}
	return ages
}

func TestWindow(t *testing.T) {
	const day = 24 * time.Hour
	tests := []struct {
		name string
		ages []time.Duration
		want int
	}{
		{"Empty", nil, 0},
		{"Few", every(3, 365*day), 3},
		{"NewestFifty", every(120, day), 50},
		{"Burst", every(120, time.Hour), 120},
		{"FourteenDaysToTheLast", append(every(50, time.Minute), 14*day, 14*day+time.Second), 51},
		{"AtMostTwoHundred", every(500, time.Minute), 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := len(feeds.Window(dated(test.ages...))); got != test.want {
				t.Errorf("%d items, want %d", got, test.want)
			}
		})
	}
}

func TestWindowKeepsEveryFormatSmall(t *testing.T) {
	texts := map[string]string{
		"Plain": "word ", "Quotes": `"'"'`, "Markup": "<&>", "Lines": "a\n", "Tabs": "\t", "Separators": "\u2028", "Backslash": `\`, "Hebrew": "שלום",
	}
	for name, unit := range texts {
		t.Run(name, func(t *testing.T) {
			items := dated(every(200, time.Minute)...)
			for i := range items {
				items[i].Title = unit + "t"
				items[i].Summary = strings.Repeat(unit, 50) + "s"
				items[i].Content = "x" + strings.Repeat(unit, 3000)
				items[i].Authors = []feeds.Author{{Name: unit + "a", URL: "https://x.example/a"}}
				items[i].Categories = []feeds.Label{{Term: "c", Name: unit + "c"}}
			}
			f := wideFeed()
			f.Items = feeds.Window(items)
			if len(f.Items) == 0 {
				t.Fatal("no items")
			}
			for _, format := range feeds.Formats() {
				if n := len(render(t, f, format)); n > 512<<10 {
					t.Errorf("%s has %d bytes with %d items, over 512 KiB", format, n, len(f.Items))
				}
			}
		})
	}
}

func TestSort(t *testing.T) {
	at := moment("2026-05-01T12:00:00Z")
	items := []feeds.Item{
		{Seq: 3, ID: "c", Published: at},
		{Seq: 9, ID: "a", Published: at.Add(-time.Hour)},
		{Seq: 4, ID: "e", Published: at},
		{Seq: 4, ID: "d", Published: at},
		{Seq: 1, ID: "b", Published: at.Add(time.Millisecond)},
	}
	feeds.Sort(items)
	var got []string
	for _, item := range items {
		got = append(got, item.ID)
	}
	if diff := cmp.Diff([]string{"b", "d", "e", "c", "a"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// TestItemTooLargeForAnyFeed has reviews whose markup is many times as long as
// what was written. Each is cut to the beginning of its text, and leaves room
// for the others.
func TestItemTooLargeForAnyFeed(t *testing.T) {
	for name, body := range map[string]string{
		"References": "[a]: https://x.example/" + strings.Repeat("x", 1000) + "\n\n" + strings.Repeat("[a] ", 2000),
		"Nested":     strings.Repeat(strings.Repeat("- ", 60)+"deep\n\nx\n\n", 240),
		"Quotations": strings.Repeat(">", 20<<10) + " deep",
		"Quotes":     strings.Repeat(`"`, 60<<10),
		"Breaks":     strings.Repeat("a\n", 30<<10),
		"Lists":      strings.Repeat("- a\n\n", 10<<10),
	} {
		t.Run(name, func(t *testing.T) {
			p := newPanel(t, story()...)
			p.record(&events.ReviewSubmitted{Review: events.Review{
				Tool: "other", Reviewer: "builder", Verdict: "skip", Format: events.FormatMarkdown, Body: body,
				Pros: []string{strings.Repeat("'", 4<<10)}, Condition: strings.Repeat("&", 4<<10),
			}})
			var first []string
			for _, format := range feeds.Formats() {
				a := p.ok("/feeds/reviews." + string(format))
				if len(a.body) > 512<<10 {
					t.Errorf("%s has %d bytes, over 512 KiB", format, len(a.body))
				}
				list := p.items("/feeds/reviews." + string(format))
				if len(list) < 2 || list[0] != "review/15 | The Builder on Other: Skip | 15" {
					t.Fatalf("%s has %q", format, list)
				}
				if first == nil {
					first = list
				}
				if format != feeds.RSS { // whose dates of change its reader leaves out
					if diff := cmp.Diff(first, list); diff != "" {
						t.Errorf("atom and %s (-atom +%s):\n%s", format, format, diff)
					}
				}
			}
		})
	}
}
