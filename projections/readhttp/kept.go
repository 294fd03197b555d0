package readhttp

import (
	"net/http"
	"strings"
)

// Admit waits for the event that the request names in Shiplog-Min-Seq, as
// [Gate.Handler] does, for routes that keep finished answers and so do without
// [Tagged]. It returns nil or a refusal.
func (g *Gate) Admit(r *http.Request) *Refusal { return g.admit(r) }

// Matches reports whether If-None-Match names a validator, compared weakly.
func Matches(r *http.Request, tag string) bool {
	values := r.Header["If-None-Match"]
	if len(values) == 1 && values[0] == tag { // as nearly all send it
		return true
	}
	return len(values) > 0 && matches(values, tag)
}

// AcceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3): gzip is wanted where it
// is named, or covered by "*", with a weight that is not nought.
func AcceptsGzip(r *http.Request) bool {
	anything := false
	for _, value := range r.Header["Accept-Encoding"] {
		for rest := value; rest != ""; {
			var part string
			part, rest, _ = strings.Cut(rest, ",")
			coding, weight, _ := strings.Cut(part, ";")
			coding = strings.TrimSpace(coding)
			switch {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				return !nought(weight)
			case coding == "*":
				anything = !nought(weight)
			}
		}
	}
	return anything
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
