// Package api serves the JSON interface of Shiplog and its OpenAPI document.
//
// It promises:
//
//   - Every read is answered from one snapshot: what it says holds at one
//     position of the ledger, the one in Shiplog-Seq, and with ?at= at a past
//     one. Nothing in a body depends on a clock, the node or the newest position.
//   - An address names a thing for ever. An alias, the slug of a duplicate and
//     the other order of a matchup are answered with 301 to the canonical one.
//   - Every error is application/problem+json (RFC 9457) and says what would mend
//     it. So are 404 and 405 of addresses that are not there.
//   - Every answer holds a bounded number of things and bytes. Lists are cut into
//     pages by cursors that stay right while events arrive.
//   - Members that have no value are left out, but for those that are documented
//     as null. Members are added, never renamed or removed; clients ignore those
//     they do not know.
//   - A list costs a fixed number of queries, whatever its length.
//
// The document at /api/openapi.json is made from the Go types that are sent. It
// describes the write route too, which another package serves.
//
// A fallback for other addresses beside it has to be registered without a
// method ("/", not "GET /"): the package takes everything below "/api/".
package api
