package events

import (
	"fmt"
	"strings"
)

// Code names a kind of problem for programs. Codes are part of the interface:
// they are added to, never renamed.
type Code string

// The codes a receipt may carry.
const (
	CodeInvalidJSON   Code = "invalid_json"
	CodeInvalidUTF8   Code = "invalid_utf8"
	CodeDuplicateKey  Code = "duplicate_key"
	CodeTooDeep       Code = "too_deep"
	CodeTooLarge      Code = "too_large"
	CodeTooLong       Code = "too_long"
	CodeTooMany       Code = "too_many"
	CodeRequired      Code = "required"
	CodeUnknownField  Code = "unknown_field"
	CodeUnknownType   Code = "unknown_type"
	CodeWrongType     Code = "wrong_type"
	CodeNotInteger    Code = "not_integer"
	CodeOutOfRange    Code = "out_of_range"
	CodeNotOneOf      Code = "not_one_of"
	CodeInvalidSlug   Code = "invalid_slug"
	CodeInvalidURL    Code = "invalid_url"
	CodeInvalidValue  Code = "invalid_value"
	CodeInvalidTime   Code = "invalid_time"
	CodeFuture        Code = "in_the_future"
	CodeReserved      Code = "reserved"
	CodeUnknownTool   Code = "unknown_tool"
	CodeUnknownPerson Code = "unknown_reviewer"
	CodeUnseated      Code = "unseated"
	CodeMerged        Code = "merged"
	CodeNotMerged     Code = "not_merged"
	CodeTaken         Code = "taken"
	CodeSamePair      Code = "same_pair"
	CodeSelf          Code = "self"
	CodeStale         Code = "stale"
	CodeNotCurrent    Code = "not_current"
	CodeConflict      Code = "conflict"
	CodeNotAllowed    Code = "not_allowed"
	CodeUnavailable   Code = "unavailable"
)

// A Problem says what is wrong with one member of a submission and how to mend
// it.
type Problem struct {
	// Pointer is the JSON Pointer (RFC 6901) of the member; empty for the
	// submission as a whole.
	Pointer string `json:"pointer" doc:"JSON Pointer (RFC 6901) of the member; empty for the whole event"`
	Code    Code   `json:"code" doc:"what kind of problem, for programs"`
	Detail  string `json:"detail" doc:"what is wrong and what would mend it, for people"`
}

// Problems is every problem found in one submission. It is an error when it is
// not empty.
type Problems []Problem

// Error joins the problems in one line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Detail
	}
	return strings.Join(lines, "; ")
}

// MaxProblems is how many problems of one event are told. An event of nothing
// but unknown fields would else have an answer many times its size.
const MaxProblems = 50

// Add appends a problem, or past MaxProblems a last one that says there are
// more.
func (ps *Problems) Add(pointer string, code Code, format string, args ...any) {
	if len(*ps) >= MaxProblems {
		if len(*ps) == MaxProblems {
			*ps = append(*ps, Problem{Code: CodeTooMany, Detail: "there are more problems; mend these first"})
		}
		return
	}
	detail := format
	if len(args) > 0 {
		detail = fmt.Sprintf(format, args...)
	}
	*ps = append(*ps, Problem{Pointer: pointer, Code: code, Detail: detail})
}

// Has reports whether a problem has the code.
func (ps Problems) Has(code Code) bool {
	for _, p := range ps {
		if p.Code == code {
			return true
		}
	}
	return false
}

// pointer is the JSON Pointer of a member below a prefix, or of the prefix where
// the name is too long to be shown.
func pointer(prefix, name string) string {
	if len(prefix)+len(name) > maxPointer {
		return prefix
	}
	if strings.ContainsAny(name, "~/") {
		name = strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return prefix + "/" + name
}

// quoted shortens a value a publisher sent so that a message stays readable.
func quoted(s string) string {
	const most = 80
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return fmt.Sprintf("%q and %d more bytes", s[:cut], len(s)-cut)
}
