package pages

import (
	"html/template"
	"slices"
	"strings"
	"unicode"
)

// DiffPart is a run of text that stayed, was removed or is new.
type DiffPart struct {
	Kind string // "", del, ins
	Text string
}

// maxDiffCells bounds the work of one comparison: two texts of 1,000 words.
// Beyond it a revision is shown without marks.
const maxDiffCells = 1_000_000

// Diff compares two texts word by word. It returns nil when they are equal, too
// long to compare, or have so little in common that marks would not help.
func Diff(before, after string) []DiffPart {
	if before == after {
		return nil
	}
	a, b := splitWords(before), splitWords(after)
	if len(a)*len(b) > maxDiffCells {
		return nil
	}
	parts := gather(a, b, commonWords(a, b))
	kept := 0
	for _, p := range parts {
		if p.Kind == "" {
			kept += len(strings.Fields(p.Text))
		}
	}
	if 4*kept < len(strings.Fields(after)) {
		return nil
	}
	return parts
}

// splitWords cuts a text into words, each with the white space after it.
func splitWords(s string) []string {
	var out []string
	start, inSpace := 0, false
	for i, r := range s {
		space := unicode.IsSpace(r)
		if inSpace && !space {
			out = append(out, s[start:i])
			start = i
		}
		inSpace = space
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// commonWords fills the table of longest common subsequences from the end, so
// that the walk in gather goes forward.
func commonWords(a, b []string) [][]int32 {
	table := make([][]int32, len(a)+1)
	cells := make([]int32, (len(a)+1)*(len(b)+1))
	for i := range table {
		table[i] = cells[i*(len(b)+1) : (i+1)*(len(b)+1)]
	}
	for i, word := range slices.Backward(a) {
		for j, other := range slices.Backward(b) {
			if sameWord(word, other) {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

func sameWord(a, b string) bool {
	return strings.TrimRightFunc(a, unicode.IsSpace) == strings.TrimRightFunc(b, unicode.IsSpace)
}

// gather walks both texts and joins neighbours of one kind, the removed words of
// a place before the new ones.
func gather(a, b []string, table [][]int32) []DiffPart {
	var parts []DiffPart
	var removed, added strings.Builder
	flush := func() {
		if removed.Len() > 0 {
			parts = append(parts, DiffPart{"del", removed.String()})
		}
		if added.Len() > 0 {
			parts = append(parts, DiffPart{"ins", added.String()})
		}
		removed.Reset()
		added.Reset()
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && sameWord(a[i], b[j]):
			flush()
			if n := len(parts); n > 0 && parts[n-1].Kind == "" {
				parts[n-1].Text += b[j]
			} else {
				parts = append(parts, DiffPart{"", b[j]})
			}
			i++
			j++
		case j == len(b) || (i < len(a) && table[i+1][j] >= table[i][j+1]):
			removed.WriteString(a[i])
			i++
		default:
			added.WriteString(b[j])
			j++
		}
	}
	flush()
	return parts
}

// diffHTML draws a comparison. White space at the edge of a run stays outside
// its marks, so that no line is drawn under or through a gap.
func diffHTML(parts []DiffPart) template.HTML {
	var b strings.Builder
	for _, p := range parts {
		if p.Kind == "" {
			b.WriteString(escape(p.Text))
			continue
		}
		text := strings.TrimRightFunc(p.Text, unicode.IsSpace)
		b.WriteString("<" + p.Kind + ">" + escape(text) + "</" + p.Kind + ">")
		if space := p.Text[len(text):]; space != "" {
			b.WriteString(escape(space))
		} else {
			b.WriteString(" ")
		}
	}
	return template.HTML(b.String())
}
