package pages

import (
	"html/template"
	"strings"
)

// mark draws a verdict as a word and a shape. The shape is hidden from screen
// readers, since the word carries the meaning.
func mark(label string) template.HTML { return drawMark(label, label) }

// narrowMark is mark with a place to break the long words, for narrow columns.
func narrowMark(label string) template.HTML {
	switch label {
	case "Withdrawn":
		return drawMark(label, "With\u00addrawn")
	case "Abstained":
		return drawMark(label, "Ab\u00adstained")
	case "Pending":
		return drawMark(label, "Pend\u00ading")
	}
	return mark(label)
}

func drawMark(label, word string) template.HTML {
	class := "v"
	switch label {
	case "Abstained", "Withdrawn", "No review":
		class = "v un"
	}
	return template.HTML(`<span class="` + class + `">` + string(shape(symbolOf(label))) + escape(word) + `</span>`)
}

// shape draws one symbol of the sprite.
func shape(symbol string) template.HTML {
	return template.HTML(`<svg class="m" aria-hidden="true"><use href="#` + symbol + `"/></svg>`)
}

func symbolOf(label string) string {
	switch label {
	case "Ship", "Skip", "Split", "Pending", "Withdrawn":
		return strings.ToLower(label)
	case "Abstained":
		return "abstain"
	}
	return "none"
}

// reviewLabel is the word for a single review's verdict.
func reviewLabel(verdict string) string {
	switch verdict {
	case "ship":
		return "Ship"
	case "skip":
		return "Skip"
	case "abstain":
		return "Abstained"
	}
	return capital(verdict)
}

// tally draws the shared reviewers' verdicts on one side as shapes alone.
func tally(rows []CompareRow, right bool) template.HTML {
	ships, skips := tallyCount(rows, right)
	var b strings.Builder
	b.WriteString(`<span class="tally">`)
	b.WriteString(strings.Repeat(string(shape("ship")), ships))
	b.WriteString(strings.Repeat(string(shape("skip")), skips))
	b.WriteString(`</span>`)
	return template.HTML(b.String())
}

func tallyCount(rows []CompareRow, right bool) (ships, skips int) {
	for _, row := range rows {
		side := row.Left
		if right {
			side = row.Right
		}
		switch side.counts() {
		case "ship":
			ships++
		case "skip":
			skips++
		}
	}
	return ships, skips
}

// tallyText says the same in words: "2 of 3 ship".
func tallyText(rows []CompareRow, right bool) string {
	ships, skips := tallyCount(rows, right)
	return number(ships) + " of " + number(ships+skips) + verb(ships, " ships", " ship")
}
