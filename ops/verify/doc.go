// Package verify re-reads a ledger and what was made from it, and says the first
// thing that is wrong.
//
// First the chain is held, event by event (package audit). Then, unless the chain
// alone is asked for, a read model and a decision state are folded anew in a
// directory of their own and compared with those in use, row by row and key by
// key, at one position each. Those in use may be read and written meanwhile:
// what is compared with is a snapshot, and the new ones are brought to where it
// stands.
//
// What is wrong with the ledger is an [audit.Fault]; what is wrong with what was
// made from it is a [Difference], which a rebuild mends.
package verify
