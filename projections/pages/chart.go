package pages

import (
	"html/template"
	"strconv"
	"strings"
)

// The chart of a verdict over time: one equal step for every event that changed
// the count, so that it needs no clock. Across it is measured in percent, down
// it in pixels, so that the labels keep their size at any width.
const (
	chartSteps  = 12  // at most; the table below the chart holds all
	chartTop    = 6   // pixels above the largest count
	chartHeight = 108 // pixels from there to the axis, at most
	chartUnit   = 27  // pixels a review, while they fit
	chartLabels = 94  // pixels below the axis
)

// chart is what the drawing needs.
type chart struct {
	Tool  Ref
	steps []Step
	unit  float64
	Left  int // steps left out at the beginning
}

func newChart(tool Ref, steps []Step) chart {
	c := chart{Tool: tool, steps: steps, unit: chartUnit}
	if len(steps) > chartSteps {
		c.Left = len(steps) - chartSteps
		c.steps = steps[c.Left:]
	}
	if most := c.most(); most*chartUnit > chartHeight {
		c.unit = float64(chartHeight) / float64(most)
	}
	return c
}

// floor is the y of the axis: no higher than the largest count needs.
func (c chart) floor() float64 { return chartTop + c.unit*float64(c.most()) }

// Height is what the drawing takes, in pixels.
func (c chart) Height() string { return trimFloat(c.floor() + chartLabels) }

// Many reports whether the words above the counts need a wide window.
func (c chart) Many() bool { return len(c.steps) > 7 }

func (c chart) most() int {
	most := 1
	for _, s := range c.steps {
		most = max(most, s.Verdict.N)
	}
	return most
}

// Name is the tool's name.
func (c chart) Name() string { return c.Tool.display() }

// Describe tells the chart in words for those who do not see it.
func (c chart) Describe() string {
	var b strings.Builder
	for i, s := range c.steps {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.Verdict.String() + " since event " + seqText(s.Event.Seq))
	}
	b.WriteString(".")
	return b.String()
}

// Drawing is the inside of the SVG.
func (c chart) Drawing() template.HTML {
	var b strings.Builder
	c.grid(&b)
	for i, s := range c.steps {
		c.column(&b, i, s.Verdict)
	}
	before := 0
	for i, s := range c.steps {
		if i == 0 || s.Verdict.Ships != before {
			c.line(&b, "step", c.x(i), c.x(i), c.y(before), c.y(s.Verdict.Ships))
		}
		before = s.Verdict.Ships
		c.line(&b, "step", c.x(i), c.x(i+1), c.y(before), c.y(before))
	}
	c.line(&b, "axis", "0%", "100%", c.y(0), c.y(0))
	for i, s := range c.steps {
		c.label(&b, i, s)
	}
	return template.HTML(b.String())
}

func (c chart) x(i int) string {
	return trimFloat(100*float64(i)/float64(len(c.steps))) + "%"
}

func (c chart) y(reviews int) string { return trimFloat(c.floor() - c.unit*float64(reviews)) }

func trimFloat(f float64) string {
	s := strconv.FormatFloat(f, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// grid draws a hairline for each review while there is room for one.
func (c chart) grid(b *strings.Builder) {
	if c.unit < 8 {
		return
	}
	for n := 1; n <= c.most(); n++ {
		c.line(b, "", "0%", "100%", c.y(n), c.y(n))
	}
}

func (c chart) line(b *strings.Builder, class, x1, x2, y1, y2 string) {
	b.WriteString(`<line`)
	if class != "" {
		b.WriteString(` class="` + class + `"`)
	}
	b.WriteString(` x1="` + x1 + `" x2="` + x2 + `" y1="` + y1 + `" y2="` + y2 + `"/>`)
}

func (c chart) column(b *strings.Builder, i int, v Verdict) {
	width := trimFloat(100/float64(len(c.steps))) + "%"
	rect := func(paint string, from, to int) {
		if from == to {
			return
		}
		b.WriteString(`<rect ` + paint + ` x="` + c.x(i) + `" width="` + width + `" y="` + c.y(to) + `" height="` + trimFloat(c.unit*float64(to-from)) + `"/>`)
	}
	rect(`class="fill"`, 0, v.Ships)
	rect(`fill="url(#hatch)"`, v.Ships, v.N)
}

func (c chart) label(b *strings.Builder, i int, s Step) {
	class := ""
	if len(c.steps) > 6 && (len(c.steps)-i)%2 == 0 {
		class = ` class="alt"` // gives way on a phone
	}
	b.WriteString(`<svg` + class + ` x="` + c.x(i) + `" y="` + c.y(0) + `" height="92" overflow="visible">`)
	b.WriteString(`<use href="#` + symbolOf(s.Verdict.Label) + `" x="0" y="12" width="13" height="13"/>`)
	b.WriteString(`<text class="w" x="19" y="23" font-weight="650">` + escape(s.Verdict.Label) + `</text>`)
	b.WriteString(`<text y="43">` + number(s.Verdict.Ships) + ` of ` + number(s.Verdict.N) + `</text>`)
	b.WriteString(`<text class="t" y="62">#` + seqText(s.Event.Seq) + `</text>`)
	b.WriteString(`<text class="t" y="81">` + s.Event.Time.UTC().Format(shortLayout) + `</text></svg>`)
}
