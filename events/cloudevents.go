package events

import (
	"bytes"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The media types of CloudEvents.
const (
	MediaEvent = "application/cloudevents+json"
	MediaBatch = "application/cloudevents-batch+json"
	MediaJSON  = "application/json"
)

// IsBatch reports whether a JSON text is an array.
func IsBatch(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '['
}

// SplitBatch cuts an array of CloudEvents (batched content mode) into the
// events, to be read by [Parse] one by one: an invalid one does not spoil the
// others. It fails where raw as a whole is not a JSON array.
func SplitBatch(raw []byte) ([][]byte, Problems) {
	list, err := split(raw)
	if err != nil {
		return nil, syntaxProblems(err, "")
	}
	return list, nil
}

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
// headers, percent-decoded as the HTTP and NATS bindings say, and the body as
// data. Invalid headers are reported; everything else is left to [Parse].
func FromBinary(headers map[string][]string, body []byte) ([]byte, Problems) {
	var ps Problems
	b := []byte{'{'}
	for name, values := range headers {
		attr, found := strings.CutPrefix(strings.ToLower(name), "ce-")
		if !found || len(values) == 0 {
			continue
		}
		if len(values) > 1 {
			ps.Add(pointer("", attr), CodeDuplicateKey, "the header %s stands %d times; send it once", textproto.CanonicalMIMEHeaderKey(name), len(values))
			continue
		}
		value, err := url.PathUnescape(values[0])
		if err != nil {
			ps.Add(pointer("", attr), CodeInvalidValue, "the header %s is not percent-encoded right: %v", textproto.CanonicalMIMEHeaderKey(name), err)
			continue
		}
		if attr == "data" || attr == "datacontenttype" {
			ps.Add(pointer("", attr), CodeReserved, "ce-%s is no attribute; data is the body, its type the content-type header", attr)
			continue
		}
		quotedName, errName := jsontext.AppendQuote(nil, attr)
		quotedValue, errValue := jsontext.AppendQuote(nil, value)
		if errName != nil || errValue != nil {
			ps.Add(pointer("", attr), CodeInvalidUTF8, "the header ce-%s is not valid UTF-8", attr)
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, quotedName...), ':'), quotedValue...)
	}
	if body = bytes.TrimSpace(body); len(body) > 0 {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(b, `"data":`...), body...)
	}
	return append(b, '}'), ps
}
