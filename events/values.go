package events

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// values reads the members of data into a payload and reports what is wrong
// with each.
type values struct {
	ps *Problems
	// stored values were recorded once. They are held to the grammar of their
	// kind, but not to limits and to what needs something to read, which may
	// have been wider when they were recorded; and they are not cleaned again.
	stored bool

	f    *Field // the member being read
	item int    // the entry of its list, or -1
}

// read makes a payload of members.
func (v *values) read(t *TypeInfo, data []member) Payload {
	p := t.New()
	sent := p.members()
	seen := uint32(0) // also of members with a problem
	for _, m := range data {
		i := fieldIndex(t.Fields, m.name)
		if i < 0 || v.stored && t.Fields[i].Instruction {
			v.unknown(t, m)
			continue
		}
		v.f = &t.Fields[i]
		seen |= 1 << i
		switch {
		case kindOf(m.raw) != jsontext.KindNull:
			sent.sent |= 1 << i
			v.member(m.raw, v.f.at(p))
		case v.f.Nullable:
			sent.null |= 1 << i
		case v.f.Required:
			v.bad(CodeRequired, "cannot be null; send %s", v.f.wants())
		default:
			v.bad(CodeWrongType, "cannot be null; leave it out or send %s", v.f.wants())
		}
		if len(*v.ps) > MaxProblems {
			return p
		}
	}
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Required && seen&(1<<i) == 0 {
			v.f = f
			v.bad(CodeRequired, "is missing; send %s", f.wants())
		}
	}
	return p
}

func (v *values) unknown(t *TypeInfo, m member) {
	v.ps.Add(pointer("/data", string(m.name)), CodeUnknownField, "%s has no field %s; it has %s", t.Name, quoted(string(m.name)), fieldNames(t.Fields))
}

// bad adds a problem with the member, or with the entry of its list.
func (v *values) bad(code Code, format string, args ...any) {
	name, at := v.f.Name, "/data/"+v.f.Name
	if v.item >= 0 {
		name = "entry " + strconv.Itoa(v.item+1) + " of " + name
		at += "/" + strconv.Itoa(v.item)
	}
	v.ps.Add(at, code, "%s "+format, append([]any{name}, args...)...)
}

// member reads one value and validates it.
func (v *values) member(raw []byte, at any) {
	kind := kindOf(raw)
	switch at := at.(type) {
	case *int64:
		*at = v.integer(raw, kind)
	case *[]string:
		*at = v.list(raw, kind)
	case *string:
		if kind != jsontext.KindString {
			v.bad(CodeWrongType, "must be %s, not %s", v.f.wants(), kindName(kind))
			return
		}
		*at = v.text(plain(raw), v.f.Kind)
	}
}

func (v *values) integer(raw []byte, kind jsontext.Kind) int64 {
	if kind != jsontext.KindNumber {
		v.bad(CodeWrongType, "must be a whole number, not %s", kindName(kind))
		return 0
	}
	if bytes.ContainsAny(raw, ".eE") {
		v.bad(CodeNotInteger, "must be a whole number, written without a point or an exponent; got %s", shortened(raw))
		return 0
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < v.f.Min || n > v.f.Max {
		v.bad(CodeOutOfRange, "must be from %d to %d; got %s", v.f.Min, v.f.Max, shortened(raw))
		return 0
	}
	return n
}

func (v *values) list(raw []byte, kind jsontext.Kind) []string {
	if kind != jsontext.KindBeginArray {
		v.bad(CodeWrongType, "must be %s, not %s", v.f.wants(), kindName(kind))
		return nil
	}
	n := 0
	elements(raw, func(int, []byte) { n++ })
	if n > MaxItems && !v.stored {
		v.bad(CodeTooMany, "has %d entries; at most %d are taken", n, MaxItems)
		return nil
	}
	list := make([]string, 0, n)
	elements(raw, func(i int, element []byte) {
		v.item = i
		if kind := kindOf(element); kind != jsontext.KindString {
			v.bad(CodeWrongType, "must be %s, not %s", entryWants(v.f.Kind), kindName(kind))
			return
		}
		list = append(list, v.entry(plain(element)))
	})
	v.item = -1
	return list
}

// entry validates one entry of a list.
func (v *values) entry(text []byte) string {
	switch v.f.Kind {
	case KindURLs:
		return v.text(text, KindURL)
	case KindSlugs:
		return v.text(text, KindSlug)
	}
	s := v.clean(text)
	v.size(s, MaxItem)
	v.readable(s)
	return s
}

// text validates a string.
func (v *values) text(text []byte, kind Kind) string {
	switch kind {
	case KindEnum:
		if i := slices.IndexFunc(v.f.Values, func(s string) bool { return s == string(text) }); i >= 0 {
			return v.f.Values[i]
		}
		v.bad(CodeNotOneOf, "must be %s; got %s", orList(v.f.Values), quoted(string(text)))
		return ""
	case KindLine, KindText:
		return v.prose(v.clean(text), kind)
	}
	s := string(text)
	switch kind {
	case KindSlug:
		if why := SlugProblem(s); why != "" {
			v.bad(CodeInvalidSlug, "%s %s", quoted(s), why)
		}
	case KindUUID:
		if id, err := uuid.Parse(s); err != nil || id.String() != s {
			v.bad(CodeInvalidValue, "must be a UUID in small letters; got %s", quoted(s))
		}
	case KindURL:
		v.url(s)
	}
	return s
}

func (v *values) clean(text []byte) string {
	if v.stored {
		return string(text)
	}
	return CleanText(string(text))
}

func (v *values) prose(s string, kind Kind) string {
	if kind == KindLine {
		v.size(s, MaxLine)
		if !v.stored && strings.ContainsAny(s, "\r\n\t\u0085\u2028\u2029") {
			v.bad(CodeInvalidValue, "must be on one line; take the line breaks and tabs out")
		}
	} else {
		v.size(s, MaxText)
	}
	// An instruction names something to be registered: a name is never empty.
	if v.f.Required || v.f.Instruction {
		v.readable(s)
	}
	return s
}

func (v *values) size(s string, most int) {
	if len(s) > most && !v.stored {
		v.bad(CodeTooLong, "may have %d bytes; this has %d", most, len(s))
	}
}

func (v *values) readable(s string) {
	switch {
	case v.stored || Visible(s):
	case v.f.Required:
		v.bad(CodeRequired, "is empty; write something that can be read")
	default:
		v.bad(CodeRequired, "is empty; write something that can be read, or leave it out")
	}
}

func (v *values) url(s string) {
	if len(s) > MaxURL {
		v.size(s, MaxURL)
		return
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsAny(s, " <>\"\\^`{|}") || !printable(s) {
		v.bad(CodeInvalidURL, "must be an absolute http or https URL such as \"https://example.org/\"; got %s", quoted(s))
		return
	}
	if v.stored {
		return // what follows was taken once
	}
	if !HasPort(u) {
		v.bad(CodeInvalidURL, "has the port %s; a port is a number from 1 to 65535", quoted(u.Port()))
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }) {
		v.bad(CodeInvalidURL, "has a character that turns the direction of text, so that it would be read as another; write it percent-encoded or leave it out")
	}
}

// HasPort reports whether an address has a port that there can be, or none.
func HasPort(u *url.URL) bool {
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && n > 0
}

func fieldIndex(fields []Field, name []byte) int {
	for i := range fields {
		if fields[i].Name == string(name) {
			return i
		}
	}
	return -1
}

func fieldNames(fields []Field) string {
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		if !f.Assigned {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// wants says what a field takes, for a message.
func (f *Field) wants() string {
	switch f.Kind {
	case KindSlug:
		return "a slug such as \"my-" + strings.ReplaceAll(f.Name, "_", "-") + "\""
	case KindEnum:
		return orList(f.Values)
	case KindInteger:
		return "a whole number"
	case KindURL:
		return "an http or https URL"
	case KindLines:
		return "an array of strings"
	case KindURLs:
		return "an array of http or https URLs"
	case KindSlugs:
		return "an array of slugs"
	case KindUUID:
		return "a UUID"
	}
	return "a string"
}

func entryWants(k Kind) string {
	switch k {
	case KindURLs:
		return "an http or https URL"
	case KindSlugs:
		return "a slug"
	}
	return "a string"
}

// orList writes "ship, skip or abstain".
func orList(values []string) string {
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// shortened is a number as sent, cut so that a message stays readable.
func shortened(raw []byte) string {
	const most = 40
	if len(raw) <= most {
		return string(raw)
	}
	return string(raw[:most]) + "…"
}
