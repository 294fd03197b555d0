// Package schema holds what other programs need to speak with Shiplog: JSON
// Schemas (2020-12) of the data of every event type and of the event itself,
// as submitted and as stored, and an AsyncAPI 3 document of the NATS subjects.
//
// They are generated from the field tables of package events and held equal to
// them by this package's tests:
//
//	go test ./events/schema -update
//
// The schemas promise this: what a schema refuses, Shiplog refuses. The
// reverse does not hold, since a schema cannot say that a number is written
// without a point, that a text is measured in bytes, or that a key stands once.
// README.md tells more, and how to compute the hashes of a ledger.
package schema

import "embed"

// FS holds event.schema.json, <type>.schema.json for every event type, and
// asyncapi.yaml.
//
//go:embed *.schema.json asyncapi.yaml
var FS embed.FS

// MediaType is the media type of the JSON Schemas.
const MediaType = "application/schema+json"
