package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"shiplog/events"
)

const problemType = "application/problem+json"

// ProblemDetails are the body of every error (RFC 9457).
type ProblemDetails struct {
	Type   string `json:"type" format:"uri-reference" example:"about:blank" doc:"about:blank: the title says it all"`
	Title  string `json:"title" example:"Not Found" doc:"the status in words"`
	Status int    `json:"status" example:"404" doc:"the HTTP status code"`
	Detail string `json:"detail" doc:"what is wrong and what would mend it, for people"`

	ID       string          `json:"id,omitempty" doc:"of an answer to an event: its id, as sent"`
	Source   string          `json:"source,omitempty" doc:"of an answer to an event: its source, as sent"`
	Recorded *bool           `json:"recorded,omitempty" doc:"of an answer to an event: whether the ledger holds an event under its source and id; false where the request was refused before that was looked up, absent where it is not known and the request may be sent again"`
	Problems events.Problems `json:"problems,omitempty" nullable:"false" doc:"of an answer to an event: everything that is wrong with it"`

	header http.Header
}

func newProblem(status int, format string, args ...any) *ProblemDetails {
	return &ProblemDetails{
		Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: fmt.Sprintf(format, args...), header: make(http.Header),
	}
}

// Error is the detail.
func (p *ProblemDetails) Error() string { return p.Detail }

// GetStatus implements [huma.StatusError].
func (p *ProblemDetails) GetStatus() int { return p.Status }

// GetHeaders implements [huma.HeadersError].
func (p *ProblemDetails) GetHeaders() http.Header { return p.header }

// ContentType implements [huma.ContentTypeFilter].
func (p *ProblemDetails) ContentType(string) string { return problemType }

// writeProblem answers outside of huma.
func writeProblem(w http.ResponseWriter, p *ProblemDetails) {
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(p) // a client that went away is no fault
}

// A moved answer sends the client to the canonical address of a thing.
type moved struct {
	Location string `json:"location" doc:"the canonical address"`

	header http.Header
}

// Error names the address.
func (m *moved) Error() string { return "moved to " + m.Location }

// GetStatus implements [huma.StatusError].
func (m *moved) GetStatus() int { return http.StatusMovedPermanently }

// GetHeaders implements [huma.HeadersError].
func (m *moved) GetHeaders() http.Header { return m.header }

// plainErrors turns huma's own errors, which are about parameters, into ours.
func plainErrors(ctx huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	if m.Status == http.StatusUnprocessableEntity {
		m.Status = http.StatusBadRequest
	}
	lines := unknownParameters(ctx.Operation(), m.Errors)
	for _, e := range m.Errors {
		_, name, _ := strings.Cut(e.Location, ".")
		if e.Message == unknownParameter {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s; got %q", wanted(ctx.Operation(), name, e.Message), fmt.Sprint(e.Value)))
	}
	if len(lines) == 0 {
		lines = []string{m.Detail}
	}
	return newProblem(m.Status, "%s", strings.Join(lines, "; ")), nil
}

// wanted says what the value of a parameter must be: huma says what it is not.
func wanted(op *huma.Operation, name, wrong string) string {
	i := slices.IndexFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == name && p.Schema != nil })
	if i < 0 {
		return name + ": " + wrong
	}
	switch s := op.Parameters[i].Schema; {
	case s.Type == huma.TypeBoolean:
		return name + " must be true or false"
	case s.Type == huma.TypeInteger && s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("%s must be a whole number from %.0f to %.0f", name, *s.Minimum, *s.Maximum)
	case s.Type == huma.TypeInteger && s.Minimum != nil:
		return fmt.Sprintf("%s must be a whole number from %.0f on", name, *s.Minimum)
	}
	return name + ": " + wrong
}

// unknownParameter is what huma says of a parameter that a route does not have.
const unknownParameter = "unknown query parameter"

// unknownParameters is one line for all of those, in order, with what the route
// has; or none. Huma tells of no others beside them.
func unknownParameters(op *huma.Operation, errs []*huma.ErrorDetail) []string {
	var unknown, known []string
	for _, e := range errs {
		if name, ok := strings.CutPrefix(e.Location, "query."); ok && e.Message == unknownParameter {
			unknown = append(unknown, quoted(name))
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	for _, p := range op.Parameters {
		if p.In == "query" {
			known = append(known, p.Name)
		}
	}
	slices.Sort(unknown)
	slices.Sort(known)
	are := "are"
	if len(known) == 1 {
		are = "is"
	}
	return []string{fmt.Sprintf("there is no parameter %s here; there %s %s", strings.Join(unknown, " or "), are, strings.Join(known, ", "))}
}

// parameterStatus lets a parameter that cannot be read be 400: here 422 means
// an event that was looked at and refused.
func parameterStatus(ctx huma.Context, next func(huma.Context)) { next(statusContext{ctx}) }

// inner is another name for huma's context: embedded under its own, the field
// would hide the method Context.
type inner huma.Context

type statusContext struct{ inner }

// SetStatus implements [huma.Context].
func (c statusContext) SetStatus(code int) {
	if code == http.StatusUnprocessableEntity {
		code = http.StatusBadRequest
	}
	c.inner.SetStatus(code)
}

// Unwrap lets huma find the request.
func (c statusContext) Unwrap() huma.Context { return c.inner }
