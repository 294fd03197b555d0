// Package ledger keeps the events of a Shiplog ledger in NATS JetStream: it
// runs the embedded server, creates and watches the streams, appends and reads.
//
// # Words
//
// The ledger is the stream SHIPLOG_LEDGER: one total order of events, numbered
// from 1 without gaps. The head is the sequence of the last event, 0 for an
// empty ledger. The inbox is where publishers leave events to be recorded, the
// rejected are those that could not be.
//
// # Promises
//
//   - [Ledger.Append] is all or nothing, and only at the head it was told: of
//     two writers at one head exactly one wins. It returns after the events are
//     on disk (the embedded server always syncs before it acknowledges; with an
//     external NATS that is the operator's setting).
//   - Of a batch in the embedded server that was not acknowledged, a loss of power
//     or a full disk can leave a part: of messages that are not [Message.Joined]
//     for good, of others until [Ledger.Complete], before anything else is appended.
//   - An append whose outcome is not known says so ([ErrUnknown]); it is never
//     reported as failed. Nothing is deduplicated by message id: the expected
//     head is what keeps a repeated append from recording twice.
//   - [Ledger.Read] and [Ledger.Follow] hand over every sequence exactly once
//     and in order, or stop with a [GapError]. They outlive lost connections and
//     restarts of the server, and hold a bounded amount in memory.
//   - [Ledger.Assert] names the first setting of a stream that is not as this
//     package made it. Nothing is mended silently.
//   - A client without credentials reaches the inbox and the submit service of
//     the embedded server and nothing else. Such clients live in an account of
//     their own, so that not even the answers the server sends on their behalf
//     can reach a ledger subject.
//
// It does not look into events: not at their form, nor at the chain. Package
// intake decides what is appended; whoever reads verifies.
package ledger
