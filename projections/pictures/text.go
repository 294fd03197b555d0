package pictures

import (
	"image"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

const ellipsis = "…"

// write sets a text on a baseline and returns where it ends.
func (s *sheet) write(c cut, x, baseline int, text string, i ink) int {
	face := s.face(c)
	if face == nil {
		return x
	}
	dot := fixed.P(x, baseline)
	before := rune(-1)
	for _, r := range text {
		if before >= 0 {
			dot.X += face.Kern(before, r)
		}
		to, mask, from, advance, ok := face.Glyph(dot, r)
		if alpha, is := mask.(*image.Alpha); ok && is && !to.Empty() {
			s.stamp(to, alpha, from, i)
		}
		dot.X += advance
		before = r
	}
	return dot.X.Ceil()
}

// measure is how wide a text is set.
func (s *sheet) measure(c cut, text string) int {
	face := s.face(c)
	if face == nil {
		return 0
	}
	return font.MeasureString(face, text).Ceil()
}

// A block is a text set in lines.
type block struct {
	cut
	lines []string
}

// leading is the distance of baselines for names, and taller that for sentences.
func (b block) leading() int { return b.size * 108 / 100 }

func (b block) height() int { return len(b.lines) * b.leading() }

// A room is a number of lines and the sizes that text may have in them, largest
// first.
type room struct {
	lines int
	sizes []int
}

// fit sets a text in the first of the rooms, and there in the first of the
// sizes, in which it goes without breaking a word; else in the last of all,
// broken anywhere between graphemes and cut with an ellipsis.
func (s *sheet) fit(text string, st style, width int, rooms ...room) block {
	var last cut
	for _, r := range rooms {
		for _, size := range r.sizes {
			last = cut{st, size}
			if lines, whole := s.wrap(last, text, width, r.lines, false); whole {
				return block{last, lines}
			}
		}
	}
	lines, whole := s.wrap(last, text, width, rooms[len(rooms)-1].lines, true)
	if !whole && len(lines) > 0 {
		end := len(lines) - 1
		lines[end] = s.shorten(last, lines[end], width)
	}
	return block{last, lines}
}

// wrap fills lines. It reports false if the text goes on after the last of them,
// or has a word wider than a line that may not be broken.
func (s *sheet) wrap(c cut, text string, width, most int, anywhere bool) (lines []string, whole bool) {
	line := ""
	rest, state := text, -1
	var word string
	for rest != "" {
		word, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		if s.goes(c, line+word, width) {
			line += word
			continue
		}
		if s.goes(c, word, width) {
			lines, line = append(lines, line), word
		} else {
			if !anywhere {
				return lines, false
			}
			var full []string
			full, line = s.breakWord(c, line, word, width)
			lines = append(lines, full...)
		}
		if len(lines) >= most {
			return trimmed(lines[:most]), false
		}
	}
	return trimmed(append(lines, line)), true
}

// goes reports whether a text fits a line. Space at its end takes none.
func (s *sheet) goes(c cut, text string, width int) bool {
	return s.measure(c, strings.TrimRight(text, " ")) <= width
}

func trimmed(lines []string) []string {
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// breakWord breaks a word that is wider than a line between its graphemes, from
// the line that was begun on. What is left begins the next.
func (s *sheet) breakWord(c cut, line, word string, width int) (full []string, left string) {
	left = line
	state := -1
	var cluster string
	for word != "" {
		cluster, word, _, state = uniseg.FirstGraphemeClusterInString(word, state)
		if left != "" && !s.goes(c, left+cluster, width) {
			full, left = append(full, left), ""
		}
		left += cluster
	}
	return full, left
}

// shorten ends a line with an ellipsis, in place of as much as that takes.
func (s *sheet) shorten(c cut, text string, width int) string {
	for text != "" && s.measure(c, text+ellipsis) > width {
		text = strings.TrimRight(withoutLast(text), " ")
	}
	return text + ellipsis
}

// withoutLast is a text without its last grapheme.
func withoutLast(text string) string {
	end, state := 0, -1
	for rest := text; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if rest != "" {
			end += len(cluster)
		}
	}
	return text[:end]
}

// set writes a block with its first baseline below y, and returns where it ends.
func (s *sheet) set(b block, x, y int, i ink) int {
	for _, text := range b.lines {
		s.write(b.cut, x, y+b.ascent(), text, i)
		y += b.leading()
	}
	return y
}

// ascent is how far a line's baseline lies below its top.
func (b block) ascent() int { return b.size * 86 / 100 }
