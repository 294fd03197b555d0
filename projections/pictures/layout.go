package pictures

import (
	"image"
	"strconv"

	"shiplog/projections/pages"
)

// Where things stand, in pixels. A thumbnail has a quarter of them, so nothing
// that matters is set smaller than 40.
const (
	margin = 64
	right  = width - margin
	full   = right - margin

	headBaseline = 68
	headRule     = 92
	top          = headRule + 9 // below the double rule
	band         = 446          // the line above the result
	bandBaseline = band + 78
	bandNote     = bandBaseline + 60

	middle  = width / 2
	gutter  = 52 // between the middle and a column
	column  = middle - gutter - margin
	leftAt  = margin
	rightAt = middle + gutter
)

// masthead is what every picture begins with: whose it is, and of when.
func (s *sheet) masthead(title string, at *pages.Event) {
	space := full
	if at != nil {
		note, c := "As of event "+strconv.FormatUint(at.Seq, 10), cut{sans, 36}
		w := s.measure(c, note)
		s.write(c, right-w, headBaseline, note, soft)
		space -= w + gutter
	}
	const mark = 30
	s.mark("Ship", margin, headBaseline-mark+2, mark, black)
	b := s.fit(title, bold, space-mark-14, room{1, []int{42}})
	s.write(b.cut, margin+mark+14, headBaseline, b.lines[0], black)
	s.double(margin, headRule, full)
}

// verdict sets a mark, the word and, in the same line or the next, the count. It
// returns where the word ends.
func (s *sheet) verdict(label string, x, baseline, size int) int {
	mark := size * 84 / 100
	s.mark(label, x, baseline-mark+size/20, mark, black)
	return s.write(cut{strong, size}, x+mark+size/4, baseline, label, black)
}

// compare sets two names side by side, each with its verdict, and the result
// below.
func (s *sheet) compare(v Compare) {
	l, r := s.fonts.name(v.Left.Ref), s.fonts.name(v.Right.Ref)
	names := s.pair(l, r)
	const gap, word, count = 30, 56, 42
	rows := max(names[0].height(), names[1].height())
	y := top + (band-top-rows-gap-word-12-count)/2
	s.rect(middle-1, top, 3, band-top, rule)
	s.versus(y + names[0].ascent())
	for i, c := range []Contender{v.Left, v.Right} {
		x := [...]int{leftAt, rightAt}[i]
		s.set(names[i], x, y, black)
		baseline := y + rows + gap + word*80/100
		s.verdict(c.Verdict.Label, x, baseline, word)
		s.write(cut{sans, count}, x, baseline+count+14, c.Verdict.Count(), soft)
	}
	s.result(v.Result, l, r, v.Left.Slug)
}

// pair fits two names, both in the size of the longer.
func (s *sheet) pair(l, r string) [2]block {
	rooms := []room{{1, []int{92, 84, 76}}, {2, []int{68, 60, 54, 48}}}
	a, b := s.fit(l, serif, column, rooms...), s.fit(r, serif, column, rooms...)
	switch both := (room{2, []int{min(a.size, b.size)}}); {
	case a.size > b.size:
		a = s.fit(l, serif, column, both)
	case b.size > a.size:
		b = s.fit(r, serif, column, both)
	}
	return [2]block{a, b}
}

// versus sets the word between the names, on the rule.
func (s *sheet) versus(baseline int) {
	c := cut{italic, 44}
	w := s.measure(c, "vs")
	s.erase(image.Rect(middle-w/2-8, baseline-c.size, middle+w/2+8, baseline+c.size/2))
	s.write(c, middle-w/2, baseline, "vs", soft)
}

// result answers the picture. Only where the panel and the shared reviewers
// contradict each other it is red.
func (s *sheet) result(r pages.Result, left, other, leftSlug string) {
	s.rect(margin, band, full, 3, line)
	switch r.Leader.Slug {
	case "":
	case leftSlug:
		r.Leader.Name = left
	default:
		r.Leader.Name = other
	}
	i := black
	if r.Kind == "too_close" {
		i = accent
	}
	b := s.fit(pages.ResultLabel(r).String(), bold, full, room{1, []int{64, 56, 50}})
	s.write(b.cut, margin, bandBaseline, b.lines[0], i)
	s.write(cut{sans, 38}, margin, bandNote, judged(r.Shared), soft)
}

// judged says on how many reviewers a result rests.
func judged(n int) string {
	switch n {
	case 0:
		return "No reviewer has judged both"
	case 1:
		return "1 reviewer judged both"
	}
	return strconv.Itoa(n) + " reviewers judged both"
}

// tool sets a name, what it is, and the verdict with a mark for each review.
func (s *sheet) tool(v Tool) {
	name := s.fit(s.fonts.name(v.Tool), serif, full, room{1, []int{120, 108, 96, 88}}, room{2, []int{84, 72, 64, 56}})
	var tagline block
	gap := 0
	if text, ok := s.fonts.tidy(sans, v.Tagline); ok {
		tagline, gap = s.fit(text, sans, full, room{2, []int{44, 40}}), 24
	}
	y := top + (band-top-name.height()-gap-tagline.height())/2
	y = s.set(name, margin, y, black)
	s.set(tagline, margin, y+gap, soft)

	s.rect(margin, band, full, 3, line)
	x := s.verdict(v.Verdict.Label, margin, bandBaseline, 64)
	s.write(cut{sans, 48}, x+20, bandBaseline, v.Verdict.Count(), soft)
	s.tally(v.Verdict, margin, bandNote-30)
}

// tally draws a mark for each review that counts and each that is awaited, or
// the share where those are too many.
func (s *sheet) tally(v pages.Verdict, x, y int) {
	const size, step = 40, 54
	awaited := 0
	if v.Label == "Pending" {
		awaited = max(0, v.Quorum-v.N)
	}
	if v.N+awaited > full/step {
		s.rect(margin, y+8, full, 24, rule)
		s.rect(margin, y+8, full*v.Ships/max(1, v.N+awaited), 24, black)
		return
	}
	for _, part := range []struct {
		label string
		n     int
		ink   ink
	}{{"Ship", v.Ships, black}, {"Skip", v.N - v.Ships, black}, {"Pending", awaited, soft}} {
		for range part.n {
			s.mark(part.label, x, y, size, part.ink)
			x += step
		}
	}
}
