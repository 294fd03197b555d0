// Package tracing follows submissions through a node: from the request or
// message that brings them, through the commit and the projection, to the feed
// that first shows them (OpenTelemetry).
//
// # Promises
//
//   - A nil [Tracer] makes no spans and costs a comparison. A node has one only
//     where it is told where spans go.
//   - A submission is one trace. Work done for several at once, a [Stage], is a
//     span that links to each of them; it is a child of the first, and each of
//     the others has a child of its own beside it that links to the shared one.
//   - What a replay or a rebuild does is in no trace.
//   - Nothing of a trace is stored: no NATS header of the ledger carries meaning,
//     and the ledger's bytes are the same with and without. So the context goes
//     from the commit to the projection and on to the feeds in memory, for the
//     latest [TrailLength] events that are traced, and a node that did not
//     record an event traces nothing of it.
//   - Nothing waits for a span to be sent; that is the exporter's.
package tracing
