package feeds

import (
	"net/http"
	"strings"
	"time"
)

// fresh reports whether the client's copy is the document: it named the
// validator in If-None-Match, or, when it sent no such header, its date is not
// before the document's. A value that cannot be read never makes a copy fresh.
func fresh(r *http.Request, tag string, modified time.Time) bool {
	if values := r.Header["If-None-Match"]; len(values) > 0 {
		return matches(values, tag)
	}
	since := r.Header.Get("If-Modified-Since")
	if since == "" || modified.IsZero() {
		return false
	}
	t, err := http.ParseTime(since)
	return err == nil && !t.Before(modified)
}

// matches compares a list of validators with a document's, weakly (RFC 9110,
// 8.8.3.2): W/"x" matches "x". tag is the document's without quotes.
func matches(values []string, tag string) bool {
	found := false
	for _, value := range values {
		if strings.TrimSpace(value) == "*" {
			found = true
			continue
		}
		for rest := value; ; {
			rest = strings.TrimLeft(rest, " \t,")
			if rest == "" {
				break
			}
			var opaque string
			var ok bool
			if opaque, rest, ok = cutTag(rest); !ok {
				return false
			}
			found = found || sameTag(opaque, tag)
		}
	}
	return found
}

// cutTag takes one entity tag off the front of a list.
func cutTag(s string) (opaque, rest string, ok bool) {
	s = strings.TrimPrefix(s, "W/")
	s, ok = strings.CutPrefix(s, `"`)
	if !ok {
		return "", "", false
	}
	opaque, rest, ok = strings.Cut(s, `"`)
	if !ok {
		return "", "", false
	}
	rest = strings.TrimLeft(rest, " \t")
	return opaque, rest, rest == "" || rest[0] == ','
}

// sameTag lets a proxy have marked the tag with the coding it applied: the tag
// is that of the bytes before any coding.
func sameTag(opaque, tag string) bool {
	rest, ok := strings.CutPrefix(opaque, tag)
	if !ok {
		return false
	}
	switch rest {
	case "", "-gzip", "-br", "-deflate", "-zstd", "--gzip", ";gzip", "/gzip":
		return true
	}
	return false
}

// acceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3): gzip is wanted where it
// is named, or covered by "*", with a weight that is not nought.
func acceptsGzip(r *http.Request) bool {
	rest := false // whether codings that are not named are wanted
	for _, value := range r.Header["Accept-Encoding"] {
		for left := value; left != ""; {
			var part string
			part, left, _ = strings.Cut(left, ",")
			coding, params, _ := strings.Cut(part, ";")
			coding = strings.TrimSpace(coding)
			switch {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				return !nought(params)
			case coding == "*":
				rest = !nought(params)
			}
		}
	}
	return rest
}

// nought reports a weight of 0, which means "not acceptable".
func nought(params string) bool {
	for rest := params; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, ";")
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "q") {
			return strings.Trim(strings.TrimSpace(value), "0.") == ""
		}
	}
	return false
}
