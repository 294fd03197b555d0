// Package events is the vocabulary of a Shiplog ledger: what an event is, what
// makes one valid, how it is written down and how it is chained to the one
// before.
//
// # Words
//
// A submission is what a publisher sends: a CloudEvent (CloudEvents 1.0) whose
// data is one of the payloads of this package. An event is what the ledger
// holds: the submission with the attributes the intake adds. A payload is the
// data of an event. A field table ([Fields]) describes the members of a
// payload once; decoding, validation, the canonical form, the leaf hash and the
// JSON Schemas all read that one table.
//
// # Promises
//
//   - Pure: nothing here reads a clock, a file or a network.
//   - [Parse] never panics and reports every problem it can see, each with the
//     JSON Pointer (RFC 6901) of the member and what would mend it.
//   - [Event.AppendCanonical] is RFC 8785 (JCS): the same event is the same
//     bytes on every node and in every version that knows its type.
//   - An event type is never changed, only joined by a newer version; events of
//     older versions are decoded for ever (see [Types]).
//   - The leaf of an event commits to every byte of it but its salt, and to
//     erasable values only through a keyed commitment, so that a text can be
//     erased one day and the chain still holds (see [Decode]).
//
// It does not promise that an event is allowed: that depends on what was
// recorded before, and is decided in package decide.
package events
