package ledger

import (
	"time"

	"shiplog/events"
)

// The streams.
const (
	Stream         = "SHIPLOG_LEDGER"
	InboxStream    = "SHIPLOG_INBOX"
	RejectedStream = "SHIPLOG_REJECTED"
)

// The subjects. A publisher's name is appended to the prefixes that end in a
// dot; only validated names are.
const (
	Subjects       = "shiplog.ledger.>"
	InboxPrefix    = "shiplog.inbox."
	SubmitPrefix   = "shiplog.submit."
	RejectedPrefix = "shiplog.rejected."
)

// LocalPublisher is the publisher every unauthenticated client writes as.
const LocalPublisher = "local"

// Limits of what is written.
const (
	// MaxMessage is the largest message, headers included.
	MaxMessage = 320 << 10
	// MaxBatch is how many messages one append may hold: the server's limit for
	// an atomic batch.
	MaxBatch = 1000
	// MaxPayload is what the embedded server takes in one message: a request of
	// many events may be as large over NATS as over HTTP.
	MaxPayload = events.MaxRequest
)

// Defaults of [Options].
const (
	DefaultMaxBytes      = 10 << 30
	DefaultInboxMaxBytes = 1 << 30
)

const (
	rejectedMaxBytes = 256 << 20
	rejectedMaxAge   = 90 * 24 * time.Hour
)
