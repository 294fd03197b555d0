package events

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of a submission.
const (
	MaxEvent   = 256 << 10 // bytes of one event
	MaxBatch   = 1000      // events of one request
	MaxRequest = 8 << 20   // bytes of one request
	maxID      = 512       // bytes of an id or a source
)

// A Submission is what a publisher asks to have recorded.
type Submission struct {
	ID         string
	Source     string
	Subject    string
	Time       string // as sent; empty when absent
	Extensions []Attribute
	Data       Payload

	// Input is the canonical form of what was sent (type, time as sent, data),
	// before anything is defaulted or cleaned: the content that a second
	// submission of the same identity is compared with.
	Input []byte
	// Publisher is who sent it, as the server knows it.
	Publisher string
}

// Parse reads one CloudEvent in the JSON format of CloudEvents 1.0. It reports
// every problem it can see, up to [MaxProblems]. The submission is returned with
// problems too, as far as it could be read, so that an answer can name its id
// and source; only one without problems has Data and Input to be relied on.
//
// Parse does not keep raw.
func Parse(raw []byte) (*Submission, Problems) {
	s := new(Submission)
	if len(raw) > MaxEvent {
		s.ID, s.Source = identify(raw)
		var ps Problems
		ps.Add("", CodeTooLarge, "an event may have %d bytes (256 KiB); this has %d", MaxEvent, len(raw))
		return s, ps
	}
	r := readers.Get().(*reader)
	defer r.release()
	if ps := r.event(raw); ps != nil {
		s.ID, s.Source = identify(raw)
		return s, ps
	}
	env := envelope{s: s}
	for _, m := range r.members {
		env.member(m)
	}
	env.finish(r.data)
	return s, env.ps
}

// appendInput writes the canonical input. The members were decoded without a
// problem, so each is a string, a whole number, null or a list of strings.
func appendInput(b []byte, typ, time string, members []member) []byte {
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	b = append(b, `{"data":{`...)
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), m.name...), '"', ':')
		b = appendRaw(b, m.raw)
	}
	b = append(b, '}')
	if time != "" {
		b = appendString(appendName(b, "time"), time)
	}
	b = appendString(appendName(b, "type"), typ)
	return append(b, '}')
}

// appendRaw writes the canonical form of a valid value.
func appendRaw(b, raw []byte) []byte {
	switch kindOf(raw) {
	case jsontext.KindString:
		if bytes.IndexByte(raw, '\\') < 0 {
			return append(b, raw...)
		}
		return appendString(b, plain(raw))
	case jsontext.KindNumber:
		if string(raw) == "-0" {
			raw = raw[1:]
		}
		return append(b, raw...)
	case jsontext.KindBeginArray:
		b = append(b, '[')
		elements(raw, func(i int, element []byte) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendRaw(b, element)
		})
		return append(b, ']')
	}
	return append(b, raw...)
}
