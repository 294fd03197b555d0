// Package intake records what publishers send: it decides submissions against
// the state at the head of the ledger and commits them in groups.
//
// # Promises
//
//   - A receipt is given only after the event is stored for good. What the
//     receipt says is then true for ever: sending the same event again is
//     answered with the same sequence.
//   - Submissions of one call are decided in order; calls are decided one after
//     another, on all nodes together (serialisable).
//   - One bad submission never takes others with it.
//   - When the outcome of a commit is unknown (a lost answer), the intake reads
//     on until it knows, at most [Options.Patience]; only then the receipt's
//     status is error, and sending again is safe.
//   - Memory is bounded: what waits is limited by bytes, and [Intake.Submit]
//     refuses more with a [Refusal].
//
// # Ways in
//
// [NewHTTP] takes events over HTTP and decides who may send them, [StartService]
// answers NATS requests, [RunInbox] records what was left in the durable inbox.
// All three parse what came, hand it to [Intake.Submit] and tell what became of
// it; they differ in nothing else. What the inbox cannot have recorded is kept
// among the rejected, once; an event there waits a while for a tool or reviewer
// that is not known yet.
//
// # How
//
// A single synced publish waits for its own fsync, an atomic batch shares one.
// So a single writer takes all that waits, decides it on a layer over the
// decision state (package decide), publishes the resulting events as one atomic
// batch that expects the head it was decided against, and then folds the layer
// down. A batch has a price of its own, though: a few events are stored sooner
// one by one, and where many send, one event each, a batch waits for those who have
// just been answered, no longer than it takes itself (see pace.go). When another node
// wrote first, the layer is thrown away, the state catches up and the same submissions
// are decided again.
package intake
