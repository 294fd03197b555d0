package events

import (
	"encoding/hex"
	"slices"
	"strconv"
)

// A span is a part of the canonical bytes that the leaf does not hash as it
// stands.
type span struct {
	start, end int
	name       string // of the member of data with an erasable value; "" for the salt
}

// AppendCanonical appends the stored form of the event, canonical JSON (RFC
// 8785), and sets e.Leaf. Instructions to the intake are left out: they are
// told in what was decided.
func (e *Event) AppendCanonical(b []byte) []byte {
	var room [16]span
	start := len(b)
	b, spans := e.appendMembers(b, room[:0])
	for i := range spans {
		spans[i].start -= start
		spans[i].end -= start
	}
	e.Leaf = leafHash(b[start:], spans, e.Salt)
	return b
}

// appendMembers writes the attributes in canonical order with the extensions
// merged in.
func (e *Event) appendMembers(b []byte, spans []span) ([]byte, []span) {
	ext := e.Extensions
	b = append(b, '{')
	// before writes the extensions that sort before a name.
	before := func(name string) {
		for len(ext) > 0 && ext[0].Name < name {
			b = appendAttribute(b, ext[0].Name, ext[0].Value)
			ext = ext[1:]
		}
	}
	member := func(name string) {
		before(name)
		b = appendName(b, name)
	}
	if e.Cause != 0 {
		member("cause")
		b = strconv.AppendUint(b, e.Cause, 10)
	}
	member("data")
	b, spans = appendData(b, e.Data, spans)
	member("datacontenttype")
	b = append(b, `"application/json"`...)
	member("id")
	b = appendString(b, e.ID)
	member("inputhash")
	b = appendHex(b, e.InputHash[:])
	member("prevleaf")
	b = appendHex(b, e.PrevLeaf[:])
	member("publisher")
	b = appendString(b, e.Publisher)
	member("recordedtime")
	b = append(e.RecordedTime.UTC().AppendFormat(append(b, '"'), TimeFormat), '"')
	before("salt")
	// The salt is never the last member: source follows.
	salt := len(b) + 1
	b = appendHex(appendName(b, "salt"), e.Salt[:])
	spans = append(spans, span{start: salt, end: len(b) + 1})
	member("source")
	b = appendString(b, e.Source)
	member("specversion")
	b = append(b, `"1.0"`...)
	if e.Subject != "" {
		member("subject")
		b = appendString(b, e.Subject)
	}
	member("time")
	b = appendString(b, e.Time)
	member("type")
	b = appendString(b, e.Type())
	before("\xff")
	return append(b, '}'), spans
}

// appendData writes a payload in canonical order and notes where its erasable
// values are.
func appendData(b []byte, p Payload, spans []span) ([]byte, []span) {
	fields := Fields(p)
	null := p.members().null
	b = append(b, '{')
	for i := range fields {
		f := &fields[i]
		if f.Instruction || !present(p, fields, i) {
			continue
		}
		b = appendName(b, f.Name)
		start := len(b)
		if null&(1<<i) != 0 {
			b = append(b, "null"...)
		} else {
			b = appendValue(b, f.at(p))
		}
		if f.Erasable {
			spans = append(spans, span{start: start, end: len(b), name: f.Name})
		}
	}
	return append(b, '}'), spans
}

func appendValue(b []byte, at any) []byte {
	switch v := at.(type) {
	case *string:
		return appendString(b, *v)
	case *int64:
		return strconv.AppendInt(b, *v, 10)
	case *[]string:
		b = append(b, '[')
		for i, s := range *v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, s)
		}
		return append(b, ']')
	}
	return append(b, "null"...)
}

// appendName writes a member's name, with a comma before it unless it is the
// first of its object. Names need no escaping.
func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

func appendAttribute(b []byte, name, value string) []byte {
	return append(appendName(b, name), value...)
}

func appendHex(b, value []byte) []byte {
	b = append(b, '"')
	b = hex.AppendEncode(b, value)
	return append(b, '"')
}

// appendString writes a JSON string as RFC 8785 (section 3.2.2.2) wants it:
// only what must be escaped is.
func appendString[T string | []byte](b []byte, s T) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		b = appendEscape(b, c)
		from = i + 1
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

func appendEscape(b []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\t':
		return append(b, '\\', 't')
	case '\n':
		return append(b, '\\', 'n')
	case '\f':
		return append(b, '\\', 'f')
	case '\r':
		return append(b, '\\', 'r')
	}
	return append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}

// sortAttributes puts extensions in canonical order.
func sortAttributes(list []Attribute) {
	slices.SortFunc(list, func(a, b Attribute) int {
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
}
