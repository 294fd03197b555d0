package tracing

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// The names of stages, and the attributes of Shiplog's own.
const (
	Commit  = "commit"
	Project = "project"
	Feed    = "feed"
	Forward = "forward"
	Submit  = "submit"
	Inbox   = "inbox"

	Events   = attribute.Key("shiplog.events")
	First    = attribute.Key("shiplog.seq.first")
	Last     = attribute.Key("shiplog.seq.last")
	FeedPath = attribute.Key("shiplog.feed")
)

// What follows is of the semantic conventions for messaging, whose status is
// Development: all of it stands here, so that a change of theirs is one of ours
// in one file (opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/).

// Received are the attributes of a message that came by NATS.
func Received(subject string) []attribute.KeyValue {
	return messaging(subject, "process", "process")
}

// Sent are the attributes of events that are sent to a subject or stream.
func Sent(destination string) []attribute.KeyValue {
	return messaging(destination, "send", "send")
}

func messaging(destination, operation, kind string) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("messaging.system", "nats"),
		attribute.String("messaging.destination.name", destination),
		attribute.String("messaging.operation.name", operation),
		attribute.String("messaging.operation.type", kind),
	}
}

// The kinds of spans, so that users of this package need not import the API.
const (
	Server   = trace.SpanKindServer
	Client   = trace.SpanKindClient
	Producer = trace.SpanKindProducer
	Consumer = trace.SpanKindConsumer
	Internal = trace.SpanKindInternal
)
