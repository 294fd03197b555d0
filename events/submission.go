package events

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"

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
// every problem it can see. The submission is returned with problems too, as
// far as it could be read, so that an answer can name its id and source.
//
// Parse does not keep raw.
func Parse(raw []byte) (*Submission, Problems) {
	s := new(Submission)
	if len(raw) > MaxEvent {
		return s, Problems{{"", CodeTooLarge, "an event may have 256 KiB; this has " + strconv.Itoa(len(raw)) + " bytes"}}
	}
	r := readers.Get().(*reader)
	defer readers.Put(r)
	members, ps := r.object(raw, "")
	if ps != nil {
		return s, ps
	}
	env := envelope{s: s}
	for _, m := range members {
		env.member(m)
	}
	env.finish()
	return s, env.ps
}

// envelope collects the attributes of one CloudEvent.
type envelope struct {
	s           *Submission
	ps          Problems
	specversion string
	typ         string
	data        []byte
	sent        uint8 // of the required ones, a bit each
}

// The bits of envelope.sent.
const (
	sentSpecversion = 1 << iota
	sentID
	sentSource
	sentType
	sentData
)

func (e *envelope) member(m member) {
	if m.name == "data" {
		e.sent |= sentData
		e.data = m.raw
		return
	}
	if kind := kindOf(m.raw); kind == jsontext.KindBeginArray || kind == jsontext.KindBeginObject {
		e.nested(m, kind)
		return
	}
	if kindOf(m.raw) == jsontext.KindNull && !isCore(m.name) {
		return // CloudEvents JSON format, section 2.2: null is absent
	}
	if isCore(m.name) {
		if kind := kindOf(m.raw); kind != jsontext.KindString {
			e.mark(m.name)
			e.ps.Add(pointer("", m.name), CodeWrongType, "%s must be a string, not %s", m.name, kindName(kind))
			return
		}
		e.attribute(m.name, unquote(m.raw))
		return
	}
	e.extension(m)
}

func (e *envelope) nested(m member, kind jsontext.Kind) {
	e.mark(m.name)
	if tooDeep(m.raw, maxDepth-1) {
		e.ps.Add(pointer("", m.name), CodeTooDeep, "JSON may nest at most %d deep", maxDepth)
		return
	}
	e.ps.Add(pointer("", m.name), CodeWrongType, "%s must be a string, a whole number, true or false, not %s; what belongs to the event goes in data", quoted(m.name), kindName(kind))
}

func isCore(name string) bool {
	switch name {
	case "specversion", "id", "source", "type", "time", "subject", "datacontenttype", "dataschema", "data_base64":
		return true
	}
	return false
}

func (e *envelope) mark(name string) {
	switch name {
	case "specversion":
		e.sent |= sentSpecversion
	case "id":
		e.sent |= sentID
	case "source":
		e.sent |= sentSource
	case "type":
		e.sent |= sentType
	}
}

// attribute takes a context attribute that CloudEvents defines.
func (e *envelope) attribute(name, value string) {
	e.mark(name)
	switch name {
	case "specversion":
		e.specversion = value
		if value != "1.0" {
			e.ps.Add("/specversion", CodeNotOneOf, "specversion must be \"1.0\"; got %s", quoted(value))
		}
	case "id":
		e.s.ID = value
		e.identifier(name, value)
	case "source":
		e.s.Source = value
		e.identifier(name, value)
		if _, err := url.Parse(value); err != nil || strings.ContainsAny(value, " ") {
			e.ps.Add("/source", CodeInvalidValue, "source must be a URI reference such as \"/my-pipeline\"; got %s", quoted(value))
		}
	case "type":
		e.typ = value
	case "time":
		e.s.Time = value
		if _, err := ParseTime(value); err != nil {
			e.ps.Add("/time", CodeInvalidTime, "time must be RFC 3339 such as 2026-11-30T09:00:00Z; got %s", quoted(value))
		}
	case "subject":
		e.s.Subject = CleanText(value)
		if len(value) > MaxLine {
			e.ps.Add("/subject", CodeTooLong, "subject may have %d bytes; this has %d", MaxLine, len(value))
		}
	case "datacontenttype":
		media, _, _ := strings.Cut(strings.ToLower(value), ";")
		if media = strings.TrimSpace(media); media != "application/json" && !strings.HasSuffix(media, "+json") {
			e.ps.Add("/datacontenttype", CodeNotOneOf, "datacontenttype must be application/json; got %s", quoted(value))
		}
	case "dataschema":
		e.keep(name, string(appendString(nil, CleanText(value))))
	case "data_base64":
		e.ps.Add("/data_base64", CodeUnknownField, "data_base64 is not taken; send the data as a JSON object in data")
	}
}

func (e *envelope) identifier(name, value string) {
	switch {
	case value == "":
		e.ps.Add("/"+name, CodeRequired, "%s is empty; it is needed to know the event again", name)
	case len(value) > maxID:
		e.ps.Add("/"+name, CodeTooLong, "%s may have %d bytes; this has %d", name, maxID, len(value))
	case !printable(value) || CleanText(value) != value:
		e.ps.Add("/"+name, CodeInvalidValue, "%s may not hold control characters", name)
	}
}

// extension keeps an attribute that CloudEvents does not define.
func (e *envelope) extension(m member) {
	if isOurs(m.name) {
		e.ps.Add(pointer("", m.name), CodeReserved, "%s is set by the ledger; leave it out", m.name)
		return
	}
	if !isAttributeName(m.name) {
		e.ps.Add(pointer("", m.name), CodeInvalidValue, "%s is no attribute name: CloudEvents allows small letters and digits, at most 20", quoted(m.name))
		return
	}
	switch kindOf(m.raw) {
	case jsontext.KindString:
		e.keep(m.name, string(appendString(nil, CleanText(unquote(m.raw)))))
	case jsontext.KindNumber:
		n, err := strconv.ParseInt(string(m.raw), 10, 32) // CloudEvents: Integer is 32 bits
		if err != nil {
			e.ps.Add(pointer("", m.name), CodeNotInteger, "%s must be a whole number of 32 bits; got %s", m.name, m.raw[:min(len(m.raw), 40)])
			return
		}
		e.keep(m.name, strconv.FormatInt(n, 10))
	default:
		e.keep(m.name, string(m.raw))
	}
}

func (e *envelope) keep(name, value string) {
	e.s.Extensions = append(e.s.Extensions, Attribute{Name: name, Value: value})
}

// isOurs names the attributes that only the intake adds.
func isOurs(name string) bool {
	switch name {
	case "recordedtime", "publisher", "cause", "salt", "inputhash", "prevleaf":
		return true
	}
	return false
}

func isAttributeName(s string) bool {
	if s == "" || len(s) > 20 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// finish checks what is missing and reads the data once its type is known.
func (e *envelope) finish() {
	for i, name := range []string{"specversion", "id", "source", "type", "data"} {
		if e.sent&(1<<i) == 0 {
			e.ps.Add("/"+name, CodeRequired, "%s is missing; %s", name, missing[i])
		}
	}
	sortAttributes(e.s.Extensions)
	if strings.HasPrefix(e.s.Source, ReservedSource) {
		e.ps.Add("/source", CodeReserved, "sources that begin with /shiplog/ are the ledger's own; choose another, such as \"/my-pipeline\"")
	}
	if e.sent&sentType == 0 {
		return
	}
	t := types[e.typ]
	switch {
	case t == nil:
		e.ps.Add("/type", CodeUnknownType, "no such event type %s; known are %s", quoted(e.typ), strings.Join(submittable(), ", "))
		return
	case t.Reserved:
		e.ps.Add("/type", CodeReserved, "%s is recorded by the ledger itself; %s", t.Name, instead(t.Name))
		return
	}
	if e.data != nil {
		e.readData(t)
	}
}

var missing = [...]string{
	"CloudEvents 1.0 needs \"specversion\": \"1.0\"",
	"give each event one of its own, so that it is recorded once however often it is sent",
	"say who sends, such as \"/my-pipeline\"",
	"say what happened, such as \"shiplog.review.submitted.v1\"",
	"say what happened in a JSON object",
}

func instead(typ string) string {
	if typ == "shiplog.review.revised.v1" {
		return "send shiplog.review.submitted.v1, a changed review becomes a revision by itself"
	}
	return "publishers may not send it"
}

func submittable() []string {
	var names []string
	for _, t := range Types() {
		if !t.Reserved {
			names = append(names, t.Name)
		}
	}
	return names
}

func (e *envelope) readData(t *TypeInfo) {
	if tooDeep(e.data, maxDepth-1) {
		e.ps.Add("/data", CodeTooDeep, "JSON may nest at most %d deep", maxDepth)
		return
	}
	r := readers.Get().(*reader)
	defer readers.Put(r)
	members, ps := r.object(e.data, "/data")
	if ps != nil {
		e.ps = append(e.ps, ps...)
		return
	}
	e.s.Data = decodeData(t, members, &e.ps)
	if len(e.ps) == 0 {
		e.s.Data = t.Current(e.s.Data)
		e.s.Input = appendInput(make([]byte, 0, len(e.data)+128), t.Name, e.s.Time, members)
	}
}

// appendInput writes the canonical input. The members were decoded without a
// problem, so each is a string, a whole number, null or a list of strings.
func appendInput(b []byte, typ, time string, members []member) []byte {
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	b = append(b, `{"data":{`...)
	for _, m := range members {
		b = appendRaw(appendName(b, m.name), m.raw)
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
		return appendString(b, unquote(raw))
	case jsontext.KindNumber:
		if string(raw) == "-0" {
			raw = raw[1:]
		}
		return append(b, raw...)
	case jsontext.KindBeginArray:
		items, _ := split(raw)
		b = append(b, '[')
		for i, item := range items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendRaw(b, item)
		}
		return append(b, ']')
	}
	return append(b, raw...)
}
