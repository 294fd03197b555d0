// Package decisions keeps the decision state (package decide) on disk, so that
// a node starts without folding the whole ledger again and holds none of it in
// memory.
//
// It is a Pebble store: decisions are point look-ups of random keys, most of
// them for identities that are not there, and as many random inserts. A
// log-structured tree with Bloom filters answers the first from memory and
// makes the second sequential writes; a B-tree does neither.
//
// A layer is written together with its head in one atomic batch, so the store
// always speaks as of one sequence. It has no log of its own: the ledger is the
// truth, and what a crash takes (the last 16 MiB of changes, some hundred
// thousand events, a second or two) is folded again from there.
// Deleting the directory while the node is stopped is safe for the same
// reason.
//
// A state of another version is never decided on: what it lacks would be in the
// ledger for ever. It is folded anew at the start, which is when submissions wait.
package decisions
