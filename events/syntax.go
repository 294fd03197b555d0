package events

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxPointer is the longest pointer of a problem in bytes: a publisher chooses
// the names in it.
const maxPointer = 512

// notObject says what stands where an event should.
func notObject(kind jsontext.Kind, raw []byte) Problems {
	var ps Problems
	switch {
	case bytes.HasPrefix(raw, []byte("\xEF\xBB\xBF")):
		ps.Add("", CodeInvalidJSON, "the text begins with a byte order mark; send UTF-8 without one")
	case len(bytes.Trim(raw, jsonSpace)) == 0:
		ps.Add("", CodeInvalidJSON, "there is nothing here; send a CloudEvent as a JSON object")
	default:
		if ps = brokenValue(raw); ps != nil {
			return ps
		}
		if kind == jsontext.KindBeginArray {
			ps.Add("", CodeWrongType, "an event must be a JSON object, not an array; an array is taken as a batch, and batches do not nest")
		} else {
			ps.Add("", CodeWrongType, "an event must be a JSON object, not %s", kindName(kind))
		}
	}
	return ps
}

// brokenValue says why raw is not one JSON value; nil where it is one. The first
// letter does not tell: "not json" begins as null does. That a value nests too
// deep or has a key twice matters less than that it is no object.
func brokenValue(raw []byte) Problems {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))
	if _, err := dec.ReadValue(); err != nil {
		ps := syntaxProblems(err, raw)
		if ps.Has(CodeInvalidJSON) || ps.Has(CodeInvalidUTF8) {
			return ps
		}
		return nil
	}
	rest := bytes.TrimLeft(raw[dec.InputOffset():], jsonSpace)
	if len(rest) == 0 {
		return nil
	}
	var ps Problems
	ps.Add("", CodeInvalidJSON, "not JSON at byte %d: there is something after the end of the value", len(raw)-len(rest))
	return ps
}

// syntaxProblems turns a decoder's error about raw into a problem.
func syntaxProblems(err error, raw []byte) Problems {
	at, offset, cause := jsontext.Pointer(""), int64(len(raw)), err
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, offset, cause = syntax.JSONPointer, syntax.ByteOffset, syntax.Err
	}
	why, deep := "", strings.Count(string(at), "/") > maxDepth
	if cause != nil {
		why = cause.Error()
	}
	var ps Problems
	switch {
	case deep || strings.Contains(why, "exceeded max depth"):
		top := 1
		if strings.HasPrefix(string(at), "/data/") {
			top = 2
		}
		ps.Add(nearest(at, top), CodeTooDeep, tooDeepDetail, maxDepth)
	case errors.Is(err, jsontext.ErrDuplicateName):
		ps.Add(nearest(at, maxDepth), CodeDuplicateKey, "the key %s is there twice; keep one of them", quoted(at.LastToken()))
	case strings.Contains(why, "surrogate"):
		ps.Add(nearest(at, maxDepth), CodeInvalidUTF8, "the text at byte %d has half of a surrogate pair, which is no character; send both halves or the character itself", offset)
	case strings.Contains(why, "UTF-8"):
		ps.Add(nearest(at, maxDepth), CodeInvalidUTF8, "the text at byte %d is not valid UTF-8; send UTF-8", offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		ps.Add(nearest(at, maxDepth), CodeInvalidJSON, "the JSON ends too early, at byte %d; was it cut off?", offset)
	case strings.Contains(why, "in string") && offset < int64(len(raw)) && raw[offset] < 0x20:
		ps.Add(nearest(at, maxDepth), CodeInvalidJSON, "the text at byte %d has a control character; write it as %s, or leave it out", offset, appendEscape(nil, raw[offset]))
	default:
		ps.Add(nearest(at, maxDepth), CodeInvalidJSON, "not JSON at byte %d: %s", offset, why)
	}
	return ps
}

const tooDeepDetail = "JSON may nest at most %d deep; a submission needs no more than 3"

// nearest is the pointer, or the nearest one above it that has at most so many
// names and is short enough to be shown.
func nearest(at jsontext.Pointer, names int) string {
	for strings.Count(string(at), "/") > max(names, 0) || len(at) > maxPointer {
		at = at.Parent()
	}
	return string(at)
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
