package events

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxAttributeName is the longest name of an extension attribute. CloudEvents
// asks for 20 at most, but does not insist.
const maxAttributeName = 64

// An envelope collects the attributes of one CloudEvent.
type envelope struct {
	s    *Submission
	ps   Problems
	typ  string
	data member
	seen uint8 // required attributes that were sent, a bit each
	good uint8 // those that are of the right JSON type
}

// The bits of envelope.seen, in the order of missing.
const (
	sawSpecversion = 1 << iota
	sawID
	sawSource
	sawType
	sawData
)

func requiredBit(name []byte) uint8 {
	switch string(name) {
	case "specversion":
		return sawSpecversion
	case "id":
		return sawID
	case "source":
		return sawSource
	case "type":
		return sawType
	case "data":
		return sawData
	}
	return 0
}

func isCore(name []byte) bool {
	switch string(name) {
	case "specversion", "id", "source", "type", "time", "subject", "datacontenttype", "dataschema", "data_base64":
		return true
	}
	return false
}

// member takes one member of the event.
func (e *envelope) member(m member) {
	kind := kindOf(m.raw)
	if kind == jsontext.KindNull && string(m.name) != "data" {
		return // CloudEvents JSON format, section 2.2: null is as if absent
	}
	bit := requiredBit(m.name)
	e.seen |= bit
	switch {
	case bit != sawData && tooDeep(m.raw, maxDepth-1):
		e.ps.Add(pointer("", string(m.name)), CodeTooDeep, tooDeepDetail, maxDepth)
	case bit == sawData:
		e.data = m
		if kind != jsontext.KindBeginObject {
			e.ps.Add("/data", CodeWrongType, "data must be a JSON object, not %s", kindName(kind))
		} else {
			e.good |= bit
		}
	case !isCore(m.name):
		e.extension(m, kind)
	case kind != jsontext.KindString:
		e.ps.Add(pointer("", string(m.name)), CodeWrongType, "%s must be a string, not %s", m.name, kindName(kind))
	default:
		e.good |= bit
		e.attribute(m)
	}
}

// attribute takes a context attribute that CloudEvents defines.
func (e *envelope) attribute(m member) {
	switch string(m.name) {
	case "specversion":
		if value := plain(m.raw); string(value) != "1.0" {
			e.ps.Add("/specversion", CodeNotOneOf, "specversion must be \"1.0\"; got %s", quoted(string(value)))
		}
	case "id":
		e.s.ID = unquote(m.raw)
		e.identifier("id", e.s.ID)
	case "source":
		e.s.Source = unquote(m.raw)
		e.source(e.s.Source)
	case "type":
		e.typ = e.known(plain(m.raw))
	case "time":
		e.s.Time = unquote(m.raw)
		e.time(e.s.Time)
	case "subject":
		e.s.Subject = CleanText(unquote(m.raw))
		e.short("subject", len(e.s.Subject), MaxLine)
	case "datacontenttype":
		e.contentType(unquote(m.raw))
	case "dataschema":
		value := CleanText(unquote(m.raw))
		e.short("dataschema", len(value), MaxURL)
		e.keep("dataschema", string(appendString(nil, value)))
	case "data_base64":
		e.ps.Add("/data_base64", CodeUnknownField, "data_base64 is not taken; send a JSON object in data")
	}
}

// known is the name of a type, without a copy of its own where it is known.
func (e *envelope) known(name []byte) string {
	if t := types[string(name)]; t != nil {
		return t.Name
	}
	return string(name)
}

func (e *envelope) identifier(name, value string) {
	switch {
	case value == "":
		e.ps.Add("/"+name, CodeRequired, "%s is empty; an event is known again by its source and id", name)
	case len(value) > maxID:
		e.short(name, len(value), maxID)
	case !printable(value):
		e.ps.Add("/"+name, CodeInvalidValue, "%s may not have control characters or U+FFFD in it; got %s", name, quoted(value))
	}
}

func (e *envelope) source(value string) {
	before := len(e.ps)
	e.identifier("source", value)
	if len(e.ps) > before {
		return
	}
	if _, err := url.Parse(value); err != nil || strings.Contains(value, " ") {
		e.ps.Add("/source", CodeInvalidValue, "source must be a URI reference such as \"/my-pipeline\"; got %s", quoted(value))
	}
	if strings.HasPrefix(value, ReservedSource) {
		e.ps.Add("/source", CodeReserved, "sources that begin with /shiplog/ are the ledger's own; choose another, such as \"/my-pipeline\"")
	}
}

func (e *envelope) short(name string, length, most int) {
	if length > most {
		e.ps.Add("/"+name, CodeTooLong, "%s may have %d bytes; this has %d", name, most, length)
	}
}

func (e *envelope) time(value string) {
	_, err := ParseTime(value)
	switch {
	case err == nil:
	case errors.Is(err, errLeapSecond):
		e.ps.Add("/time", CodeInvalidTime, "time %s is a leap second, which cannot be kept; send second 59 or the next second 00", quoted(value))
	default:
		e.ps.Add("/time", CodeInvalidTime, "time must be RFC 3339 such as 2026-11-30T09:00:00Z; got %s", quoted(value))
	}
}

func (e *envelope) contentType(value string) {
	media, _, _ := strings.Cut(strings.ToLower(value), ";")
	if media = strings.TrimSpace(media); media != MediaJSON && !strings.HasSuffix(media, "+json") {
		e.ps.Add("/datacontenttype", CodeNotOneOf, "datacontenttype (the content-type header, where attributes are headers) must be application/json; got %s", quoted(value))
	}
}

// extension keeps an attribute that CloudEvents does not define.
func (e *envelope) extension(m member, kind jsontext.Kind) {
	name := string(m.name)
	at := pointer("", name)
	switch {
	case isOurs(name):
		e.ps.Add(at, CodeReserved, "%s is set by the ledger; leave it out", name)
	case !isAttributeName(name):
		e.ps.Add(at, CodeInvalidValue, "%s is no attribute name: CloudEvents has only small letters and digits in one%s", quoted(name), meant(name))
	case kind == jsontext.KindString:
		e.keep(name, string(appendString(nil, CleanText(unquote(m.raw)))))
	case kind == jsontext.KindNumber:
		n, err := strconv.ParseInt(string(m.raw), 10, 32) // CloudEvents: an Integer has 32 bits
		if err != nil {
			e.ps.Add(at, CodeNotInteger, "%s must be a whole number of 32 bits, or a string; got %s", name, shortened(m.raw))
			return
		}
		e.keep(name, strconv.FormatInt(n, 10))
	case kind == jsontext.KindTrue, kind == jsontext.KindFalse:
		e.keep(name, string(m.raw))
	default:
		e.ps.Add(at, CodeWrongType, "%s must be a string, a whole number, true or false, not %s; what belongs to the event goes in data", quoted(name), kindName(kind))
	}
}

// joined takes out what parts the words of a name.
var joined = strings.NewReplacer("_", "", "-", "")

// meant names the attribute that a misspelt one looks like.
func meant(name string) string {
	lower := strings.ToLower(joined.Replace(name))
	if isCore([]byte(lower)) || lower == "data" {
		return "; did you mean " + lower + "?"
	}
	if len(name) > maxAttributeName {
		return ", at most " + strconv.Itoa(maxAttributeName)
	}
	return ""
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
	if s == "" || len(s) > maxAttributeName {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// finish checks what is missing and reads the data by its type.
func (e *envelope) finish(data []member) {
	for i, why := range missing {
		if e.seen&(1<<i) == 0 {
			e.ps.Add("/"+why.name, CodeRequired, "%s is missing; %s", why.name, why.mend)
		}
	}
	sortAttributes(e.s.Extensions)
	if e.good&sawType == 0 {
		return
	}
	t := types[e.typ]
	switch {
	case t == nil:
		e.ps.Add("/type", CodeUnknownType, "there is no event type %s; known are %s", quoted(e.typ), strings.Join(submittable(), ", "))
	case t.Reserved:
		e.ps.Add("/type", CodeReserved, "%s is recorded by the ledger itself; %s", t.Name, instead(t.Name))
	case e.good&sawData != 0:
		e.payload(t, data)
	}
}

func (e *envelope) payload(t *TypeInfo, data []member) {
	for _, m := range data {
		if tooDeep(m.raw, maxDepth-2) {
			e.ps.Add(pointer("/data", string(m.name)), CodeTooDeep, tooDeepDetail, maxDepth)
			return
		}
	}
	v := values{ps: &e.ps, item: -1}
	e.s.Data = v.read(t, data)
	if len(e.ps) == 0 {
		e.s.Data = types.current(e.s.Data)
		e.s.Input = appendInput(make([]byte, 0, len(e.data.raw)+128), t.Name, e.s.Time, data)
	}
}

// missing is what to do about each required attribute that is not there.
var missing = [...]struct{ name, mend string }{
	{"specversion", "CloudEvents 1.0 needs \"specversion\": \"1.0\""},
	{"id", "give each event one of its own, so that it is recorded once however often it is sent"},
	{"source", "say who sends, such as \"/my-pipeline\""},
	{"type", "say what happened, such as \"shiplog.review.submitted.v1\""},
	{"data", "give the details of the event in a JSON object"},
}

func instead(typ string) string {
	if typ == (*ReviewRevised)(nil).Type() {
		return "send shiplog.review.submitted.v1: a changed review becomes a revision by itself"
	}
	return "publishers cannot send it"
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
