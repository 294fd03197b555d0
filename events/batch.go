package events

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// IsBatch reports whether a JSON text is an array.
func IsBatch(raw []byte) bool {
	raw = bytes.TrimLeft(raw, jsonSpace)
	return len(raw) > 0 && raw[0] == '['
}

// SplitBatch cuts an array of CloudEvents (batched content mode) into the
// events, to be read by [Parse] one by one: an invalid one does not spoil the
// others. It fails where raw as a whole is not a JSON array; what nests too
// deep, duplicate names and invalid UTF-8 are the matter of the event they are
// in. It stops after MaxBatch+1 events: more are too many, and as the length
// tells so need not be held.
func SplitBatch(raw []byte) ([][]byte, Problems) {
	if !IsBatch(raw) {
		return nil, Problems{{"", CodeWrongType, "a batch must be a JSON array of events"}}
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err := dec.ReadToken()
	var list [][]byte
	for err == nil && dec.PeekKind() != jsontext.KindEndArray {
		var value jsontext.Value
		if value, err = dec.ReadValue(); err == nil {
			if list = append(list, value); len(list) > MaxBatch {
				return list, nil
			}
		}
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	switch {
	case err != nil && strings.Contains(err.Error(), "exceeded max depth"):
		return splitDeep(raw)
	case err != nil:
		return nil, syntaxProblems(err, raw)
	case len(bytes.TrimLeft(raw[dec.InputOffset():], jsonSpace)) > 0:
		return nil, Problems{{"", CodeInvalidJSON, "there is something after the end of the JSON array; send one array"}}
	}
	return list, nil
}

// splitDeep cuts an array of which an element nests deeper than the decoder
// goes. It looks at brackets and strings only: Parse looks at the rest.
func splitDeep(raw []byte) ([][]byte, Problems) {
	raw = bytes.Trim(raw, jsonSpace)
	var list [][]byte
	rest := raw[1:]
	for len(list) <= MaxBatch {
		end := elementEnd(rest)
		if end == len(rest) {
			return nil, Problems{{"", CodeInvalidJSON, "the JSON ends too early; was it cut off?"}}
		}
		element := bytes.Trim(rest[:end], jsonSpace)
		if len(element) > 0 {
			list = append(list, element)
		}
		if rest[end] != ',' {
			break
		}
		rest = rest[end+1:]
	}
	return list, nil
}

// elementEnd is the offset of the comma or bracket that ends the first element
// of raw, the inside of an array, or its length where there is none.
func elementEnd(raw []byte) int {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case depth == 0 && (c == ',' || c == ']' || c == '}'):
			return i
		case c == '}' || c == ']':
			depth--
		}
	}
	return len(raw)
}

// elements calls visit with each element of a valid JSON array and its index.
func elements(raw []byte, visit func(i int, element []byte)) {
	rest := raw[1:]
	for i := 0; ; i++ {
		end := elementEnd(rest)
		if element := bytes.Trim(rest[:end], jsonSpace); len(element) > 0 {
			visit(i, element)
		}
		if end >= len(rest) || rest[end] != ',' {
			return
		}
		rest = rest[end+1:]
	}
}
