// Package audit reads a ledger to find what is wrong with it.
//
// # Promises
//
//   - [Chain] holds events to what a ledger is: sequences without a gap, each
//     event naming the leaf of the one before, event 1 and no other opening it.
//     What is wrong is a [Fault], which names the first sequence it shows at.
//   - An event that an operator has had passed over, and one of a type this
//     version does not know, is no fault: its leaf is in the chain all the same.
//   - [Scan] decodes on every core and hands over in order. It holds a bounded
//     amount in memory, however long the ledger. [Share] does so for several who
//     take the same events.
//
// A fault is in the ledger. That it could not be read just now, because a server
// does not answer, is another error.
package audit
