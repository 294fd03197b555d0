package events

import (
	"bytes"
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep a submission may nest.
const maxDepth = 32

// A member is one name and value of a JSON object, the value as it stands in
// the input.
type member struct {
	name  string
	raw   []byte
	start int // offset of raw in the object's input
}

// reader reads the members of an object. It is kept in a pool: a decoder is
// larger than most events.
type reader struct {
	buf     bytes.Buffer
	dec     *jsontext.Decoder
	members []member
}

var readers = sync.Pool{New: func() any {
	r := new(reader)
	r.dec = jsontext.NewDecoder(&r.buf)
	return r
}}

// object reads raw as one JSON object. The members alias raw and are valid
// until the reader is used again. Duplicate names and invalid UTF-8 are
// refused at any depth.
func (r *reader) object(raw []byte, prefix string) ([]member, Problems) {
	r.buf = *bytes.NewBuffer(raw)
	r.dec.Reset(&r.buf)
	r.members = r.members[:0]
	if kind := r.dec.PeekKind(); kind != jsontext.KindBeginObject {
		return nil, notObject(r.dec, kind, prefix)
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, syntaxProblems(err, prefix)
	}
	for r.dec.PeekKind() != jsontext.KindEndObject {
		if err := r.member(); err != nil {
			return nil, syntaxProblems(err, prefix)
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, syntaxProblems(err, prefix)
	}
	if rest := bytes.TrimLeft(raw[r.dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, Problems{{prefix, CodeInvalidJSON, "there is something after the end of the JSON object; send one event, or an array of events"}}
	}
	return r.members, nil
}

func (r *reader) member() error {
	name, err := r.dec.ReadValue()
	if err != nil {
		return err
	}
	key := unquote(name)
	raw, err := r.dec.ReadValue()
	if err != nil {
		return err
	}
	// raw aliases the decoder's buffer, which for a bytes.Buffer is the input.
	start := int(r.dec.InputOffset()) - len(raw)
	r.members = append(r.members, member{name: key, raw: raw, start: start})
	return nil
}

// notObject says what stands where an object should.
func notObject(dec *jsontext.Decoder, kind jsontext.Kind, prefix string) Problems {
	if kind == jsontext.KindInvalid {
		if _, err := dec.ReadToken(); err != nil {
			return syntaxProblems(err, prefix)
		}
	}
	what := "an event"
	if prefix != "" {
		what = "data"
	}
	return Problems{{prefix, CodeWrongType, what + " must be a JSON object, not " + kindName(kind)}}
}

// syntaxProblems turns a decoder's error into a problem.
func syntaxProblems(err error, prefix string) Problems {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return Problems{{prefix, CodeInvalidJSON, "the JSON ends too early; was it cut off?"}}
	}
	at := prefix + string(syntax.JSONPointer)
	var ps Problems
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		ps.Add(at, CodeDuplicateKey, "the key %s stands twice; keep one of them", quoted(syntax.JSONPointer.LastToken()))
	case bytes.Contains([]byte(syntax.Err.Error()), []byte("UTF-8")), bytes.Contains([]byte(syntax.Err.Error()), []byte("surrogate")):
		ps.Add(at, CodeInvalidUTF8, "the text at byte %d is not valid UTF-8; send UTF-8", syntax.ByteOffset)
	case bytes.Contains([]byte(syntax.Err.Error()), []byte("depth")):
		ps.Add(at, CodeTooDeep, "JSON may nest at most %d deep", maxDepth)
	case bytes.Contains([]byte(syntax.Err.Error()), []byte("EOF")):
		ps.Add(at, CodeInvalidJSON, "the JSON ends too early, at byte %d; was it cut off?", syntax.ByteOffset)
	default:
		ps.Add(at, CodeInvalidJSON, "not JSON at byte %d: %v", syntax.ByteOffset, syntax.Err)
	}
	return ps
}

func kindName(k jsontext.Kind) string {
	switch k {
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindTrue, jsontext.KindFalse:
		return "true or false"
	case jsontext.KindNull:
		return "null"
	case jsontext.KindBeginArray:
		return "an array"
	case jsontext.KindBeginObject:
		return "an object"
	}
	return "something else"
}

// kindOf is the kind of a valid JSON value.
func kindOf(raw []byte) jsontext.Kind { return jsontext.Value(raw).Kind() }

// unquote is the text of a valid JSON string.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return ""
	}
	return string(text)
}

// tooDeep reports whether a valid JSON value nests deeper than limit.
func tooDeep(raw []byte, limit int) bool {
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

// split cuts a JSON array into its elements, each a valid JSON value but not
// yet checked for duplicate names or for UTF-8: that is each element's own
// matter, so that one bad event does not spoil its batch.
func split(raw []byte) ([][]byte, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var list [][]byte
	for dec.PeekKind() != jsontext.KindEndArray {
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(raw[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, errTrailing
	}
	return list, nil
}

var errTrailing = errors.New("there is something after the end of the JSON array")
