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
// # How
//
// A single synced publish waits for its own fsync, an atomic batch shares one.
// So a single writer takes all that waits, decides it on a layer over the
// decision state (package decide), publishes the resulting events as one atomic
// batch that expects the head it was decided against, and then folds the layer
// down. When another node wrote first, the layer is thrown away, the state
// catches up and the same submissions are decided again.
package intake
