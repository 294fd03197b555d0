package events

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanText removes the characters that XML 1.0 (section 2.2, production Char)
// forbids, so that every feed stays well formed: the control characters other
// than tab, line feed and carriage return, and U+FFFE and U+FFFF. Invalid UTF-8
// is not its business: [Parse] refuses it. The text is otherwise unchanged.
func CleanText(s string) string {
	if !hasForbidden(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if forbiddenInXML(r) {
			return -1
		}
		return r
	}, s)
}

func forbiddenInXML(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

// hasForbidden looks at bytes first: nearly every text is clean.
func hasForbidden(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x20 && c != '\t' && c != '\n' && c != '\r':
			return true
		case c == 0xEF && i+2 < len(s) && s[i+1] == 0xBF && s[i+2] >= 0xBE:
			return true
		}
	}
	return false
}

// Visible reports whether a text has anything to read in it. Spaces, invisible
// marks and the letters that are drawn as nothing do not count.
func Visible(s string) bool {
	for _, r := range s {
		switch r {
		case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: // Hangul fillers, blank Braille
			continue
		}
		if unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) {
			return true
		}
	}
	return false
}

// printable reports whether s holds no control character, no noncharacter and
// no U+FFFD, which stands for text that was lost: what an id, a source and a
// URL may hold.
func printable(s string) bool {
	for _, r := range s {
		if r < 0x20 || 0x7F <= r && r < 0xA0 || r == utf8.RuneError || r&0xFFFE == 0xFFFE {
			return false
		}
	}
	return true
}
