package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// wholeQuery refuses a query of which huma would leave a part aside: what cannot
// be decoded, the second of two values, a parameter without one.
func wholeQuery(ctx huma.Context, next func(huma.Context)) {
	u := ctx.URL()
	faults := queryFaults(ctx.Operation(), u.RawQuery)
	if len(faults) == 0 {
		next(ctx)
		return
	}
	_, w := humago.Unwrap(ctx)
	writeProblem(w, newProblem(http.StatusBadRequest, "%s", strings.Join(faults, "; ")))
}

// queryFaults is a line for each thing that is wrong with a query. Of parameters
// that the route does not have, huma tells.
func queryFaults(op *huma.Operation, raw string) (faults []string) {
	if raw == "" {
		return nil
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return []string{fmt.Sprintf("the query cannot be read: %v; names and values must be percent-encoded", err)}
	}
	for _, p := range op.Parameters {
		if p.In != "query" {
			continue
		}
		values := query[p.Name]
		switch {
		case len(values) > 1:
			faults = append(faults, fmt.Sprintf("%s is given %d times; give it once", p.Name, len(values)))
		case len(values) == 1 && values[0] == "" && !fromTheStart(p.Name, raw):
			faults = append(faults, p.Name+" needs a value; give it one, or leave it out")
		}
	}
	return faults
}

// fromTheStart tells the empty cursor, with which a client may begin its walk
// through the pages, from one whose value was forgotten.
func fromTheStart(name, raw string) bool {
	return name == "after" && strings.Contains(raw, name+"=")
}
