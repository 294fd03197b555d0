// Package kept keeps answers that were made from the read model, so that a
// request costs what changed since the last one and not what there is.
//
// A [Cache] holds values by their keys. It promises:
//
//   - Memory is bounded by bytes, as the values' makers count them. What was not
//     asked for of late leaves first; what alone is beyond the bound is handed out
//     and not kept.
//   - However many ask for a value that is not there, it is made once, and nobody
//     is given one that was begun before a change they could have seen.
//
// A [Standing] says whether a value still holds: it names the database the value
// was read from and moves forward while no event changes a [Part] of the model
// that the value shows. A [Document] is a body as it is sent, with its validator
// and, when somebody wants it, compressed, each made once.
//
// It promises nothing across restarts: what is kept is made anew from the model.
package kept
