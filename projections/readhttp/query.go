package readhttp

import (
	"fmt"
	"net/url"
	"strings"
)

// CheckAt refuses a query whose parameter at cannot be decoded: it would be taken
// for absent, and the newest state for that of then. Whatever else the query has
// is not looked at. It returns nil or a refusal with status 400.
func CheckAt(rawQuery string) *Refusal {
	if _, err := url.ParseQuery(rawQuery); err == nil {
		return nil
	}
	for pair := range strings.SplitSeq(rawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err != nil || name != "at" {
			continue
		}
		if _, err := url.ParseQuery(pair); err != nil {
			return badRequest(fmt.Sprintf("at cannot be read: %v; its value must be percent-encoded", err))
		}
	}
	return nil
}
