package events

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// decodeData fills a payload from the members of its data. Text is cleaned
// (see [CleanText]); problems name each member.
func decodeData(t *TypeInfo, members []member, ps *Problems) Payload {
	p := t.New()
	sent := p.members()
	for _, m := range members {
		i := fieldIndex(t.Fields, m.name)
		if i < 0 {
			ps.Add(pointer("/data", m.name), CodeUnknownField, "%s has no field %s; known are %s", t.Name, quoted(m.name), fieldNames(t.Fields))
			continue
		}
		f := &t.Fields[i]
		if kindOf(m.raw) == jsontext.KindNull {
			if !f.Nullable {
				ps.Add(pointer("/data", f.Name), CodeWrongType, "%s cannot be cleared; leave it out or send %s", f.Name, f.wants())
				continue
			}
			sent.null |= 1 << i
			continue
		}
		sent.sent |= 1 << i
		f.decode(m.raw, f.at(p), pointer("/data", f.Name), ps)
	}
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Required && sent.sent&(1<<i) == 0 && sent.null&(1<<i) == 0 {
			ps.Add(pointer("/data", f.Name), CodeRequired, "%s is missing; send %s", f.Name, f.wants())
		}
	}
	return p
}

func fieldIndex(fields []Field, name string) int {
	for i := range fields {
		if fields[i].Name == name {
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
		return "one of " + strings.Join(f.Values, ", ")
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

// decode reads one value into at and validates it.
func (f *Field) decode(raw []byte, at any, ptr string, ps *Problems) {
	switch v := at.(type) {
	case *int64:
		*v = f.integer(raw, ptr, ps)
	case *[]string:
		*v = f.list(raw, ptr, ps)
	case *string:
		if kind := kindOf(raw); kind != jsontext.KindString {
			ps.Add(ptr, CodeWrongType, "%s must be %s, not %s", f.Name, f.wants(), kindName(kind))
			return
		}
		*v = f.text(unquote(raw), ptr, ps)
	}
}

func (f *Field) integer(raw []byte, ptr string, ps *Problems) int64 {
	if kind := kindOf(raw); kind != jsontext.KindNumber {
		ps.Add(ptr, CodeWrongType, "%s must be a whole number, not %s", f.Name, kindName(kind))
		return 0
	}
	if bytes.ContainsAny(raw, ".eE") {
		ps.Add(ptr, CodeNotInteger, "%s must be a whole number; got %s", f.Name, raw)
		return 0
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < f.Min || n > f.Max {
		ps.Add(ptr, CodeOutOfRange, "%s must be from %d to %d; got %s", f.Name, f.Min, f.Max, raw[:min(len(raw), 40)])
		return 0
	}
	return n
}

func (f *Field) list(raw []byte, ptr string, ps *Problems) []string {
	if kind := kindOf(raw); kind != jsontext.KindBeginArray {
		ps.Add(ptr, CodeWrongType, "%s must be %s, not %s", f.Name, f.wants(), kindName(kind))
		return nil
	}
	items, err := split(raw)
	if err != nil {
		ps.Add(ptr, CodeInvalidJSON, "%s is not an array: %v", f.Name, err)
		return nil
	}
	if len(items) > MaxItems {
		ps.Add(ptr, CodeTooMany, "%s has %d entries; at most %d are taken", f.Name, len(items), MaxItems)
		return nil
	}
	list := make([]string, 0, len(items))
	for i, item := range items {
		at := ptr + "/" + strconv.Itoa(i)
		if kind := kindOf(item); kind != jsontext.KindString {
			ps.Add(at, CodeWrongType, "%s must hold strings only, not %s", f.Name, kindName(kind))
			continue
		}
		list = append(list, f.entry(unquote(item), at, ps))
	}
	return list
}

// entry validates one entry of a list.
func (f *Field) entry(s, ptr string, ps *Problems) string {
	one := Field{Name: "each of " + f.Name, Kind: KindText}
	switch f.Kind {
	case KindURLs:
		one.Kind = KindURL
	case KindSlugs:
		one.Kind = KindSlug
	}
	s = one.text(s, ptr, ps)
	if f.Kind == KindLines && len(s) > MaxItem {
		ps.Add(ptr, CodeTooLong, "each of %s may have %d bytes; this has %d", f.Name, MaxItem, len(s))
	}
	return s
}

// text cleans and validates a string.
func (f *Field) text(s, ptr string, ps *Problems) string {
	switch f.Kind {
	case KindSlug:
		if why := SlugProblem(s); why != "" {
			ps.Add(ptr, CodeInvalidSlug, "%s %s %s", f.Name, quoted(s), why)
		}
	case KindEnum:
		if !slices.Contains(f.Values, s) {
			ps.Add(ptr, CodeNotOneOf, "%s must be %s; got %s", f.Name, orList(f.Values), quoted(s))
		}
	case KindUUID:
		if id, err := uuid.Parse(s); err != nil || id.String() != s {
			ps.Add(ptr, CodeInvalidValue, "%s must be a UUID in small letters; got %s", f.Name, quoted(s))
		}
	case KindURL:
		f.url(s, ptr, ps)
	default:
		return f.prose(CleanText(s), ptr, ps)
	}
	return s
}

func (f *Field) prose(s, ptr string, ps *Problems) string {
	most := MaxText
	if f.Kind == KindLine {
		most = MaxLine
		if strings.ContainsAny(s, "\r\n\t") {
			ps.Add(ptr, CodeInvalidValue, "%s must be on one line, without line breaks or tabs", f.Name)
		}
	}
	if len(s) > most {
		ps.Add(ptr, CodeTooLong, "%s may have %d bytes; this has %d", f.Name, most, len(s))
	}
	if f.Required && !visible(s) {
		ps.Add(ptr, CodeRequired, "%s is empty; it needs something to read", f.Name)
	}
	return s
}

func (f *Field) url(s, ptr string, ps *Problems) {
	u, err := url.Parse(s)
	switch {
	case len(s) > MaxURL:
		ps.Add(ptr, CodeTooLong, "%s may have %d bytes; this has %d", f.Name, MaxURL, len(s))
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || strings.ContainsAny(s, " <>\"\\^`{|}") || !printable(s):
		ps.Add(ptr, CodeInvalidURL, "%s must be an absolute http or https URL; got %s", f.Name, quoted(s))
	}
}

// orList writes "ship, skip or abstain".
func orList(values []string) string {
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}
