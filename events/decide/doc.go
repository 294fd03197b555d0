// Package decide holds the decisions of a ledger: given what was recorded
// before, what becomes of a submission?
//
// Two functions carry it. [State.Evolve] folds an event into the state that
// decisions need. [Decide] turns a submission into the events to record, or
// into the reasons why there are none. Both are deterministic: no clock, no
// network, no randomness; the time of decision is an argument. A decision never
// changes the state; the caller folds the events it records.
//
// A [State] is a layer of changes over a [Base], which holds what was folded
// before. A batch is decided on a layer of its own: when it is committed the
// layer goes down into the base, and when it is not the layer is thrown away.
// Memory is bounded by the batch, not by the ledger.
//
// An error of the base (a store that cannot be read) is kept and returned by
// the next Decide, Evolve or Err; what was read after it is not to be trusted.
package decide
