package projections

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold writes a name the way it is searched: small letters without accents.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}
