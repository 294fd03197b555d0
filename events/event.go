package events

import (
	"strings"
	"time"
)

// SubjectPrefix is before every ledger subject.
const SubjectPrefix = "shiplog.ledger."

// ReservedSource is the prefix of the sources of events that Shiplog records
// on its own account.
const ReservedSource = "/shiplog/"

// TimeFormat is how recordedtime is written: RFC 3339 with milliseconds, UTC.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// Hash is a SHA-256 value.
type Hash [32]byte

// Salt keys the commitments and the input hash of one event.
type Salt [16]byte

// An Attribute is a CloudEvents extension attribute that a publisher sent, kept
// as it came.
type Attribute struct {
	Name  string
	Value string // canonical JSON: a string, a whole number, true or false
}

// An Event is one entry of the ledger: a CloudEvent with what the intake adds.
type Event struct {
	// Seq is the position in the ledger, from 1 without gaps. It is the
	// stream's, not part of the stored bytes.
	Seq uint64

	ID         string
	Source     string
	Subject    string // the CloudEvents attribute; empty when none was sent
	Time       string // RFC 3339, as sent; the time of recording when none was
	Extensions []Attribute

	RecordedTime time.Time // milliseconds, UTC, never before the previous event's
	Publisher    string
	Cause        uint64 // for derived events the sequence of their cause, else 0
	Salt         Salt
	InputHash    Hash
	PrevLeaf     Hash

	Data Payload

	// Leaf is the leaf hash, set by [Event.AppendCanonical] and [Decode].
	Leaf Hash
}

// Type is the event type.
func (e *Event) Type() string { return e.Data.Type() }

// LedgerSubject is the NATS subject the event is stored under. It is built from
// validated slugs alone.
func (e *Event) LedgerSubject() string { return SubjectPrefix + e.Data.Subject() }

// Derived reports whether Shiplog recorded the event on its own account.
func (e *Event) Derived() bool { return strings.HasPrefix(e.Source, ReservedSource) }

// Written is the time the event says it was written, in UTC.
func (e *Event) Written() time.Time {
	t, err := ParseTime(e.Time)
	if err != nil {
		return e.RecordedTime
	}
	return t
}

// Published is the date of a feed item made by the event: the time it was
// written, but never after it was recorded.
func (e *Event) Published() time.Time {
	if t := e.Written(); t.Before(e.RecordedTime) {
		return t
	}
	return e.RecordedTime
}
