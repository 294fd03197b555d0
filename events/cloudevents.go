package events

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The media types of CloudEvents.
const (
	MediaEvent = "application/cloudevents+json"
	MediaBatch = "application/cloudevents-batch+json"
	MediaJSON  = "application/json"
)

// IsBinary reports whether headers carry an event in binary content mode.
// Names compare case-insensitively, as the bindings want.
func IsBinary(headers map[string][]string) bool {
	for name := range headers {
		if strings.EqualFold(name, "ce-specversion") {
			return true
		}
	}
	return false
}

// FromBinary makes the JSON form of an event in binary content mode: the ce-*
// headers, decoded as the HTTP and NATS bindings say, the content-type header
// as datacontenttype, and the body as data. The order of headers does not
// matter. Invalid headers and a body that is no JSON are reported, and what was
// made is [Parse]d all the same for its id and source; everything else is left
// to Parse.
func FromBinary(headers map[string][]string, body []byte) ([]byte, Problems) {
	h := binary{b: make([]byte, 1, len(body)+512)}
	h.b[0] = '{'
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		lower := strings.ToLower(name)
		if attr, found := strings.CutPrefix(lower, "ce-"); found {
			h.attribute(attr, lower, headers[name])
		} else if lower == "content-type" {
			h.header("datacontenttype", lower, headers[name])
		}
	}
	h.body(body)
	return append(h.b, '}'), h.ps
}

// binary writes the JSON form of an event.
type binary struct {
	b  []byte
	ps Problems
}

func (h *binary) attribute(attr, header string, values []string) {
	switch attr {
	case "data":
		h.ps.Add("/data", CodeReserved, "ce-data is no header of CloudEvents; data is the body")
	case "datacontenttype":
		h.ps.Add("/datacontenttype", CodeReserved, "ce-datacontenttype is no header of CloudEvents; say the type of the body in content-type")
	default:
		h.header(attr, header, values)
	}
}

func (h *binary) header(attr, header string, values []string) {
	if len(values) == 0 {
		return
	}
	at := pointer("", attr)
	if len(values) > 1 {
		h.ps.Add(at, CodeDuplicateKey, "the header %s is there %d times; send it once", header, len(values))
		return
	}
	value := unquoteHeader(values[0])
	if strings.HasPrefix(header, "ce-") {
		decoded, err := url.PathUnescape(value)
		if err != nil {
			h.ps.Add(at, CodeInvalidValue, "the header %s has a %% that begins no percent-encoding; write a plain %% as %%25", header)
			return
		}
		value = decoded
	}
	if !utf8.ValidString(value) || !utf8.ValidString(attr) {
		h.ps.Add(at, CodeInvalidUTF8, "the header %s is not valid UTF-8; send UTF-8, percent-encoded", quoted(header))
		return
	}
	h.member(attr)
	h.b = appendString(h.b, value)
}

func (h *binary) member(name string) {
	if len(h.b) > 1 {
		h.b = append(h.b, ',')
	}
	h.b = append(appendString(h.b, name), ':')
}

// body takes the body as data once it is known to be one JSON value: it must
// not bring attributes of its own. What is in it is for Parse to judge.
func (h *binary) body(body []byte) {
	if body = bytes.Trim(body, jsonSpace); len(body) == 0 {
		return
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadValue(); err != nil {
		for _, p := range syntaxProblems(err, body) {
			h.ps.Add("/data"+p.Pointer, p.Code, "%s", "in the body, "+p.Detail)
		}
		return
	}
	if dec.InputOffset() < int64(len(body)) {
		h.ps.Add("/data", CodeInvalidJSON, "there is something after the end of the JSON in the body; send one JSON object")
		return
	}
	h.member("data")
	h.b = append(h.b, body...)
}

// unquoteHeader takes the quotes off a quoted string (RFC 9110, section 5.6.4),
// which both bindings allow.
func unquoteHeader(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 1; i < len(s)-1; i++ {
		if s[i] == '\\' && i < len(s)-2 {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}

// ParseBinary reads one event in binary content mode, as [Parse] reads one in
// structured mode.
func ParseBinary(headers map[string][]string, body []byte) (*Submission, Problems) {
	raw, ps := FromBinary(headers, body)
	s, more := Parse(raw)
	if len(ps) == 0 {
		return s, more
	}
	s.Input = nil
	// What a bad header or body left out is not missing besides.
	for _, p := range more {
		if !slices.ContainsFunc(ps, func(q Problem) bool { return within(p.Pointer, q.Pointer) }) {
			ps = append(ps, p)
		}
	}
	return s, ps
}

// within reports whether a problem at one pointer is about the same attribute
// as a problem at the other.
func within(a, b string) bool {
	first := func(s string) string {
		s, _, _ = strings.Cut(strings.TrimPrefix(s, "/"), "/")
		return s
	}
	return first(a) == first(b)
}
