package web_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shiplog/events"
	kit "shiplog/projections/projectionstest"
)

var dated = regexp.MustCompile(`<time datetime="(\d{4}-\d\d-\d\d)`)

// TestDates holds that readers are shown when things were written, as in feeds;
// when they were recorded is told by the footer, the line of the front page that
// says the same, and the event's own page.
func TestDates(t *testing.T) {
	l := kit.Given(t)
	day := 0
	write := func(payloads ...events.Payload) {
		for _, p := range payloads {
			day++
			l.Written = fmt.Sprintf("2019-06-%02dT08:00:00Z", day)
			l.Append(p)
		}
	}
	write(kit.Seat("ann"), kit.Seat("ben"), kit.Seat("cid"), kit.Tool("ferrule", "knots"), kit.Tool("grommet", "knots"))                          // 1–5
	write(kit.Review("ferrule", "ann", events.Ship), kit.Review("ferrule", "ben", events.Ship), kit.Review("ferrule", "cid", events.Skip))        // 6–8
	write(kit.Review("grommet", "ann", events.Ship), kit.Match("ferrule", "grommet"), &events.ReplyPublished{Tool: "ferrule", Body: "Thank you"}) // 9–11
	write(kit.Revise("ferrule", "ann", events.Skip, 2, 7), kit.Withdraw("grommet", "ann"))                                                        // 12, 13
	s := serve(t, l)
	days := func(list ...int) (dates []string) {
		for _, d := range list {
			dates = append(dates, fmt.Sprintf("2019-06-%02d", d))
		}
		return dates
	}
	tests := []struct {
		path string
		want []string
	}{
		{"/", days(6, 8, 10, 12)},
		{"/tools", days(12, 13)},
		{"/tools/ferrule", days(4, 6, 7, 8, 10, 11, 12)},
		{"/tools/grommet", days(5, 9, 10, 13)},
		{"/compare", days(10)},
		{"/compare/ferrule-vs-grommet", days(7, 8, 10, 12)},
		{"/compare?tools=ferrule,grommet&quotes=1", days(7, 8, 10, 12)},
		{"/reviewers/ann", days(1, 12, 13)},
		{"/categories/knots", days(10, 12, 13)},
		{"/search?q=ferrule", days(10, 12)},
	}
	for _, test := range tests {
		body := string(s.page(test.path).body)
		var got []string
		for _, m := range dated.FindAllStringSubmatch(onHome.ReplaceAllString(body, ""), -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, test.want) {
			t.Errorf("%s: dates are %v, want %v", test.path, got, test.want)
		}
		if !strings.Contains(body, "Recorded 2 Mar 2026, ") {
			t.Errorf("%s: the footer does not say when its event was recorded", test.path)
		}
	}
	own := string(s.page("/events/7").body)
	for _, want := range []string{`<dt>Written</dt><dd><time datetime="2019-06-06T08:00:00Z">`, `<dt>Recorded</dt><dd><time datetime="2026-03-02T09:00:06Z">`} {
		if !strings.Contains(own, want) {
			t.Errorf("/events/7: there is no %s", want)
		}
	}
	if past := string(s.page("/tools/ferrule?at=7").body); !strings.Contains(past, `As of event <a href="/events/7">#7</a>, <time datetime="2026-03-02">`) {
		t.Error("?at= does not say when its event was recorded")
	}
}
