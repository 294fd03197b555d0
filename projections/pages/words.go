package pages

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// words writes a number in running text: in letters up to twelve.
func words(n int) string {
	names := [...]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	if n >= 0 && n < len(names) {
		return names[n]
	}
	return number(n)
}

// capital begins a sentence. Only words of this package are given to it, which
// begin with an ASCII letter; anything else stays as it is.
func capital(s string) string {
	if s == "" || s[0] >= utf8.RuneSelf {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// times writes how often: once, twice, three times.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return words(n) + " times"
}

// number writes a count with its thousands apart: 12,345.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a count and its noun: "1 tool", "4 tools".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + pluralOf(noun)
}

// pluralWords is plural with the number in letters.
func pluralWords(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return words(n) + " " + pluralOf(noun)
}

func pluralOf(noun string) string {
	if rest, ok := strings.CutSuffix(noun, "y"); ok {
		return rest + "ies"
	}
	return noun + "s"
}

// percent is the share in whole percent, half up.
func percent(part, of int) int {
	if of == 0 {
		return 0
	}
	return (200*part + of) / (2 * of)
}

// share writes "3 of 4 (75%)", or "0 of 0" where there is no share.
func share(part, of int) string {
	if of == 0 {
		return "0 of 0"
	}
	return number(part) + " of " + number(of) + " (" + strconv.Itoa(percent(part, of)) + "%)"
}

func seqText(seq uint64) string { return strconv.FormatUint(seq, 10) }

const (
	dayLayout   = "2 Jan 2006"
	shortLayout = "2 Jan"
	clockLayout = "2 Jan 2006, 15:04 UTC"
	fullLayout  = "2 Jan 2006, 15:04:05 UTC"
)

// Count writes the number beside a verdict's label.
func (v Verdict) Count() string {
	if v.Label == "Pending" {
		return number(v.N) + " of " + plural(v.Quorum, "review")
	}
	return share(v.Ships, v.N)
}

// String writes a verdict in full: "Ship 3 of 4 (75%)".
func (v Verdict) String() string { return v.Label + " " + v.Count() }

// kindName says what kind of reviewer somebody is.
func kindName(kind string) string {
	switch kind {
	case "ai":
		return "AI persona"
	case "team":
		return "Team"
	case "human", "":
		return "Human"
	}
	return capital(kind)
}

// priceName says what a tool costs in a word.
func priceName(pricing string) string {
	switch pricing {
	case "free":
		return "Free"
	case "freemium":
		return "Free core"
	case "paid":
		return "Paid"
	case "":
		return "Not stated"
	}
	return capital(pricing)
}

// ships and only say what a verdict means as a deed.
func deed(verdict string) string {
	switch verdict {
	case "ship":
		return "ships"
	case "skip":
		return "skips"
	case "abstain":
		return "abstains"
	}
	return verdict
}
