package readhttp

import "strings"

// matches tells whether a list of validators (If-None-Match) holds one, by weak
// comparison (RFC 9110, 8.8.3.2). A list that cannot be read holds nothing, so
// that the client gets a full answer.
func matches(values []string, tag string) bool {
	want := strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
	found := false
	for _, value := range values {
		if strings.TrimSpace(value) == "*" {
			found = true
			continue
		}
		for {
			value = strings.TrimLeft(value, " \t,")
			if value == "" {
				break
			}
			var opaque string
			var ok bool
			if opaque, value, ok = cutTag(value); !ok {
				return false
			}
			found = found || sameTag(opaque, want)
		}
	}
	return found
}

// cutTag takes one entity tag off the front of a list.
func cutTag(s string) (opaque, rest string, ok bool) {
	s, ok = strings.CutPrefix(strings.TrimPrefix(s, "W/"), `"`)
	if !ok {
		return "", "", false
	}
	opaque, rest, ok = strings.Cut(s, `"`)
	rest = strings.TrimLeft(rest, " \t")
	return opaque, rest, ok && (rest == "" || rest[0] == ',')
}

// sameTag lets a proxy have marked the tag with the coding it applied.
func sameTag(opaque, want string) bool {
	rest, ok := strings.CutPrefix(opaque, want)
	if !ok {
		return false
	}
	switch rest {
	case "", "-gzip", "--gzip", ";gzip", "/gzip", "-br", "-zstd", "-deflate":
		return true
	}
	return false
}
