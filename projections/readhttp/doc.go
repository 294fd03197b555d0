// Package readhttp is what every HTTP route that reads the model has in common,
// whether it answers with a page or with JSON.
//
// It promises:
//
//   - An answer is sent whole or not at all: it is collected first.
//   - Every 200 has a weak ETag made from its bytes alone, so that the header
//     Shiplog-Seq, which moves with every event, does not make a copy stale. A
//     request whose If-None-Match names it is answered 304. HEAD has the headers
//     of GET and no body.
//   - Shiplog-Min-Seq is honoured before the route runs ([Gate.Handler]): the
//     request waits until this node shows that event, at most [Options.Wait], and
//     not at all for an event that was never recorded.
//   - ?at= is read in one place ([Gate.Open]): a sequence or an RFC 3339 time. One
//     that cannot be decoded is refused ([CheckAt]), not taken for absent.
//
// It knows neither HTML nor JSON: who mounts a route says how a [Refusal] looks.
package readhttp
