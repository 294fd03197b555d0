package events

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mozillazg/go-unidecode"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/runenames"
)

// maxProposed is how much of a name is looked at, in bytes: far more than fits
// into a slug.
const maxProposed = 1 << 10

// ProposeSlug proposes a slug for a name in any script: "Node.js" is node-js,
// "C++" c-plus-plus, "Яндекс" iandeks. A name of symbols alone is told by what
// they are called, so that "🚀" is rocket. The proposal is always a valid slug,
// the same one for the same name; two names can have the same.
//
// A slug never changes, so a person should see a proposal before it is used.
func ProposeSlug(name string) string {
	if len(name) > maxProposed {
		name = name[:maxProposed]
	}
	name = strings.ToValidUTF8(name, "")
	words := slugWords(transliterate(name))
	if len(words) == 0 {
		words = slugWords(called(name))
	}
	if len(words) == 0 {
		words = codePoints(name)
	}
	if len(words) == 0 {
		return "unnamed"
	}
	for i := 1; i < len(words); i++ {
		if words[i] == "vs" {
			words[i] = "versus"
		}
	}
	return joinSlug(words)
}

// unmarked takes out what belongs to the sign, not to the name, and what would
// cut a word in two.
var unmarked = strings.NewReplacer("™", "", "®", "", "©", "", "℠", "", "'", "", "’", "", "ʼ", "", "ʻ", "", "`", "")

// transliterate writes a name in ASCII.
func transliterate(name string) string {
	var b strings.Builder
	before := ' '
	// Composed (NFKC), not decomposed: that is what has Hangul and kana by
	// syllable, and full-width, ligature and mathematical letters as plain ones.
	for _, r := range norm.NFKC.String(unmarked.Replace(name)) {
		switch {
		case r <= unicode.MaxASCII:
			b.WriteString(spelled(r, before))
		case 0x1F1E6 <= r && r <= 0x1F1FF: // regional indicators: flags
			b.WriteRune('a' + r - 0x1F1E6)
		case unicode.Is(unicode.Han, r):
			// Each ends in a space: a word of its own.
			b.WriteString(" " + unidecode.Unidecode(string(r)))
		case unicode.In(r, unicode.L, unicode.N, unicode.M):
			b.WriteString(strings.TrimSpace(unidecode.Unidecode(string(r))))
		case r != 0x200D && !unicode.Is(unicode.Variation_Selector, r):
			b.WriteByte(' ')
		}
		before = r
	}
	return b.String()
}

// spelled is an ASCII character as it goes into a slug, with the signs that
// tell names apart spelled out: C, C++ and C# are three.
func spelled(r, before rune) string {
	afterWord := before == '+' || unicode.In(before, unicode.L, unicode.N)
	switch {
	case r == '&':
		return " and "
	case r == '@':
		return " at "
	case r == '%' && afterWord:
		return " percent "
	case r == '+' && afterWord:
		return " plus "
	case r == '#' && afterWord:
		return " sharp "
	}
	return string(r)
}

// called is what the symbols of a name are called.
func called(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.In(r, unicode.S, unicode.P) && !unicode.Is(unicode.Sk, r) {
			b.WriteString(runenames.Name(r) + " ")
		}
	}
	return b.String()
}

// codePoints names the characters of a script that nothing is known of.
func codePoints(name string) []string {
	var words []string
	for _, r := range name {
		if unicode.IsGraphic(r) && !unicode.IsSpace(r) && len(words) < MaxSlug {
			words = append(words, fmt.Sprintf("u%x", r))
		}
	}
	return words
}

// slugWords are the runs of ASCII letters and digits, in small letters.
func slugWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// joinSlug joins words as far as they fit. A word is only cut where leaving it
// out would leave too little.
func joinSlug(words []string) string {
	const enough = MaxSlug / 2
	slug := ""
	for _, word := range words {
		if slug != "" {
			word = "-" + word
		}
		if len(slug)+len(word) > MaxSlug {
			if len(slug) < enough {
				slug += word[:MaxSlug-len(slug)]
			}
			break
		}
		slug += word
	}
	return slug
}
