package events

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep a submission may nest.
const maxDepth = 32

// A member is one name and value of a JSON object.
type member struct {
	name  []byte // without quotes and escapes
	raw   []byte // the value as it stands in the input
	start int    // offset of raw in the input
}

// A reader reads the members of an event and of its data in one pass. Readers
// are kept in a pool: a decoder is larger than most events.
type reader struct {
	buf     bytes.Buffer
	dec     *jsontext.Decoder
	size    int
	members []member // of the event
	data    []member // of its member data, when that is an object
}

// readers holds no state from one use to the next.
var readers = sync.Pool{New: func() any {
	r := new(reader)
	r.dec = jsontext.NewDecoder(&r.buf)
	return r
}}

// maxKept is the longest input after which a reader is kept: one that has met
// something strange may have grown many times its size.
const maxKept = 32 << 10

// release returns the reader to the pool, without the input it read.
func (r *reader) release() {
	if r.size > maxKept {
		return
	}
	r.buf = bytes.Buffer{}
	r.dec.Reset(&r.buf)
	clear(r.members)
	clear(r.data)
	readers.Put(r)
}

// event reads raw as one JSON object into r.members and r.data, which alias raw
// and are valid until the release. Duplicate names and invalid UTF-8 are
// refused at any depth. What came before a problem has been read.
func (r *reader) event(raw []byte) Problems {
	r.size = len(raw)
	r.buf = *bytes.NewBuffer(raw)
	r.dec.Reset(&r.buf)
	r.members, r.data = r.members[:0], r.data[:0]
	if kind := r.dec.PeekKind(); kind != jsontext.KindBeginObject {
		return notObject(kind, raw)
	}
	var err error
	if r.members, err = r.object(raw, r.members, true); err != nil {
		return syntaxProblems(err, raw)
	}
	if len(bytes.TrimLeft(raw[r.dec.InputOffset():], jsonSpace)) > 0 {
		return Problems{{"", CodeInvalidJSON, "there is something after the end of the JSON object; send one event, or an array of events"}}
	}
	return nil
}

// jsonSpace is what may stand between the tokens of JSON.
const jsonSpace = " \t\r\n"

// object reads the members of an object; those of the event's data go to
// r.data on the way.
func (r *reader) object(raw []byte, list []member, top bool) ([]member, error) {
	if _, err := r.dec.ReadToken(); err != nil {
		return list, err
	}
	for r.dec.PeekKind() != jsontext.KindEndObject {
		name, err := r.dec.ReadValue()
		if err != nil {
			return list, err
		}
		m := member{name: plain(name)}
		if top && string(m.name) == "data" && r.dec.PeekKind() == jsontext.KindBeginObject {
			// The offset of the brace: PeekKind went past the space before it.
			from := int(r.dec.InputOffset())
			m.start = from + bytes.IndexByte(raw[from:], '{')
			if r.data, err = r.object(raw, r.data, false); err != nil {
				return list, err
			}
		} else {
			value, err := r.dec.ReadValue()
			if err != nil {
				return list, err
			}
			m.start = int(r.dec.InputOffset()) - len(value)
		}
		m.raw = raw[m.start:r.dec.InputOffset()]
		list = append(list, m)
	}
	_, err := r.dec.ReadToken()
	return list, err
}

// identify reads the id and the source of an event that has a problem as a
// whole, as far as it can be read at all, so that an answer can name them.
func identify(raw []byte) (id, source string) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if dec.PeekKind() != jsontext.KindBeginObject {
		return "", ""
	}
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() == jsontext.KindString && (id == "" || source == "") {
		var name, value jsontext.Value
		if name, err = dec.ReadValue(); err != nil {
			break
		}
		key := string(plain(name))
		if value, err = dec.ReadValue(); err != nil {
			break
		}
		switch {
		case value.Kind() != jsontext.KindString || !value.IsValid() || len(value) > maxID:
		case key == "id" && id == "":
			id = unquote(value)
		case key == "source" && source == "":
			source = unquote(value)
		}
	}
	return id, source
}

// kindOf is the kind of a valid JSON value.
func kindOf(raw []byte) jsontext.Kind { return jsontext.Value(raw).Kind() }

// plain is the text of a valid JSON string, a part of raw where nothing in it
// is escaped.
func plain(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return nil
	}
	return text
}

// unquote is the text of a valid JSON string.
func unquote(raw []byte) string { return string(plain(raw)) }

// tooDeep reports whether a valid JSON value nests deeper than limit.
func tooDeep(raw []byte, limit int) bool {
	if raw[0] != '{' && raw[0] != '[' {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
