package intake

import (
	"mime"
	"net/http"
	"strings"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/trace"

	"shiplog/events"
	"shiplog/events/ledger"
)

// A form is how a request or message carries events (the content modes of
// CloudEvents).
type form int

const (
	formJSON   form = iota // one event or an array of them
	formSingle             // one event
	formBatch              // an array of events
	formBinary             // attributes in ce-* headers, data in the body
)

// A message is what a request or message carries.
type message struct {
	items  []Item
	batch  bool     // to be answered with an array
	syntax bool     // one event, and no JSON
	fail   *failure // why it could not be read at all; there are no items then
}

// follow has the commits of the items be part of a span.
func (m message) follow(span trace.SpanContext) {
	for i := range m.items {
		m.items[i].Span = span
	}
}

// formOf tells the form of an HTTP request from its headers. What the content
// type says goes before ce-* headers, as the HTTP binding wants.
func formOf(header http.Header) (form, *failure) {
	binary := events.IsBinary(header)
	sent := header.Get("Content-Type")
	if sent == "" && binary {
		return formBinary, nil
	}
	media, params, err := mime.ParseMediaType(sent)
	if charset := params["charset"]; err != nil || charset != "" && !isUTF8(charset) {
		return 0, unknownMedia(sent)
	}
	switch {
	case media == events.MediaEvent:
		return formSingle, nil
	case media == events.MediaBatch:
		return formBatch, nil
	case binary && (media == events.MediaJSON || strings.HasSuffix(media, "+json")):
		return formBinary, nil
	case media == events.MediaJSON:
		return formJSON, nil
	}
	return 0, unknownMedia(sent)
}

// isUTF8 reports whether a charset is UTF-8 or a part of it.
func isUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8") || strings.EqualFold(charset, "us-ascii")
}

func unknownMedia(sent string) *failure {
	what := "there is no content-type"
	if sent != "" {
		what = "content-type " + shown(sent) + " is not taken"
	}
	return fault(http.StatusUnsupportedMediaType, events.CodeInvalidValue,
		"%s; send %s, %s, %s (an event or an array of events), or ce-* headers with data as application/json, all in UTF-8",
		what, events.MediaEvent, events.MediaBatch, events.MediaJSON)
}

// shown is a text of a stranger's, short enough for an answer.
func shown(s string) string { return strings.ToValidUTF8(s[:min(len(s), 80)], "�") }

// parse reads the events.
func (f form) parse(header map[string][]string, body []byte) message {
	switch {
	case f == formBinary:
		s, ps := events.ParseBinary(header, body)
		raw, _ := events.FromBinary(header, body) // its problems are among ps
		m := message{items: []Item{{Submission: s, Problems: ps, Bytes: len(body), raw: raw}}}
		m.syntax = ps.Has(events.CodeInvalidJSON)
		return m
	case f == formBatch, f == formJSON && events.IsBatch(body):
		return parseBatch(body)
	}
	m := message{items: []Item{parseOne(body)}}
	m.syntax = m.items[0].Problems.Has(events.CodeInvalidJSON)
	return m
}

func parseOne(raw []byte) Item {
	s, ps := events.Parse(raw)
	return Item{Submission: s, Problems: ps, Bytes: len(raw), raw: raw}
}

func parseBatch(body []byte) message {
	list, ps := events.SplitBatch(body)
	switch {
	case len(ps) > 0:
		return message{fail: failureWith(http.StatusBadRequest, ps)}
	case len(list) > events.MaxBatch:
		return message{fail: fault(http.StatusRequestEntityTooLarge, events.CodeTooMany,
			"a request may have %d events; send them in several", events.MaxBatch)}
	}
	m := message{batch: true, items: make([]Item, len(list))}
	for i, raw := range list {
		m.items[i] = parseOne(raw)
	}
	return m
}

// formOfMessage tells the form of a NATS message. Where ce-specversion is, the
// event is in headers, whatever the content type says, which is not asked for:
// what is no binary event must be JSON.
func formOfMessage(header nats.Header) form {
	if events.IsBinary(header) {
		return formBinary
	}
	if media, _, _ := mime.ParseMediaType(contentType(header)); media == events.MediaBatch {
		return formBatch
	}
	return formJSON
}

// contentType is the header of that name in any case: NATS leaves names as they
// were sent.
func contentType(header nats.Header) string {
	for name, values := range header {
		if len(values) > 0 && strings.EqualFold(name, "content-type") {
			return values[0]
		}
	}
	return ""
}

// parseMessage reads the events of a NATS message to one of the subjects that
// end in the name of the publisher.
func parseMessage(subject string, header nats.Header, body []byte) (m message, publisher string) {
	publisher = ledger.InboxPublisher(subject)
	if problem := events.SlugProblem(publisher); problem != "" {
		return message{fail: fault(http.StatusForbidden, events.CodeNotAllowed,
			"the last part of subject %s must be the name of a publisher, but %s", shown(subject), problem)}, publisher
	}
	m = formOfMessage(header).parse(header, body)
	for _, item := range m.items {
		item.Submission.Publisher = publisher
	}
	return m, publisher
}
