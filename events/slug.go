package events

import (
	"strings"
)

// MaxSlug is the longest slug, in characters.
const MaxSlug = 80

// SlugProblem says what keeps s from being a slug, or "" when it is one: small
// ASCII letters and digits with single hyphens inside, 1 to 80 characters, not
// containing "-vs-" and not ending in "-vs", since those separate the two
// sides in the address of a comparison page.
func SlugProblem(s string) string {
	switch {
	case s == "":
		return "is empty; use small letters, digits and single hyphens, as in \"my-tool\""
	case len(s) > MaxSlug:
		return "is longer than 80 characters"
	case strings.Contains(s, "-vs-") || strings.HasSuffix(s, "-vs"):
		return "contains \"-vs-\" or ends in \"-vs\", which separates two tools in an address"
	}
	hyphen := true
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !letter && (c != '-' || hyphen) {
			return "may hold only small letters a to z, digits and single hyphens between them"
		}
		hyphen = c == '-'
	}
	if hyphen {
		return "may not end in a hyphen"
	}
	return ""
}

// IsSlug reports whether s is a valid slug.
func IsSlug(s string) bool { return SlugProblem(s) == "" }
