package pictures

import (
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"

	"shiplog/projections/pages"
)

// nameMost is how many characters of a text are looked at. More than fit any
// picture, they keep the cost of a hostile name small.
const nameMost = 400

// readable is a text, or what stands in for one that cannot be set.
func (f *fonts) readable(s style, text, instead string) string {
	if tidy, ok := f.tidy(s, text); ok {
		return tidy
	}
	return instead
}

// name is how a tool is called in a picture. Slugs can always be set.
func (f *fonts) name(r pages.Ref) string { return f.readable(serif, r.Name, r.Slug) }

// tidy is a text as the pictures set it, with white space collapsed and what is
// invisible left out. It reports false for one they cannot set.
func (f *fonts) tidy(s style, text string) (string, bool) {
	var b strings.Builder
	var buffer sfnt.Buffer
	gap := false
	seen := 0
	for _, r := range norm.NFC.String(firstRunes(text, 2*nameMost)) {
		switch {
		case unicode.IsSpace(r):
			gap = b.Len() > 0
			continue
		case invisible(r):
			continue
		case !f.sets(s, r, &buffer):
			return "", false
		}
		if seen++; seen > nameMost {
			break
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String(), b.Len() > 0
}

// sets reports whether a font shows a character as it is read when it is set by
// itself, after the one before.
func (f *fonts) sets(s style, r rune, buffer *sfnt.Buffer) bool {
	if !unicode.IsGraphic(r) || unicode.Is(unicode.M, r) {
		return false
	}
	properties, _ := bidi.LookupRune(r)
	switch properties.Class() {
	case bidi.R, bidi.AL, bidi.AN:
		return false
	}
	glyph, err := f[s].GlyphIndex(buffer, r)
	return err == nil && glyph != 0
}

// invisible reports whether a character shows nothing itself: joiners, soft
// hyphens, marks of direction, selectors of variants.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.IsControl(r)
}

// firstRunes cuts a text after so many characters.
func firstRunes(text string, most int) string {
	for i := range text {
		if most == 0 {
			return text[:i]
		}
		most--
	}
	return text
}
