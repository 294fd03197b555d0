// Package pages draws the HTML pages of Shiplog from view structs.
//
// A view is a plain struct of strings, numbers, times and slices, filled by a
// caller that knows the read model. This package knows neither the read model
// nor the ledger: it only says how a thing looks and reads. It imports no other
// package of the module.
//
// It promises:
//
//   - A page is a pure function of the [Site] and its view: the same two give
//     the same bytes. No clock, no relative time, no node, no build and no map
//     order reaches a body.
//   - A page is sent whole or not at all: it is drawn into a buffer first.
//   - Nothing a publisher wrote is ever markup. A plain text is escaped and
//     stands in its blockquote character by character with nothing added;
//     Markdown passes through [Markdown.Render], which shows raw HTML as text and keeps
//     only http, https and mailto links.
//   - Pages need no script, no inline style and no font from elsewhere, so the
//     policy in [ContentSecurityPolicy] holds.
//   - The words for verdicts, results and events come from pure functions that
//     return a [Sentence], which knows which of its parts are names, so that a
//     name in another script does not disturb the words around it.
//
// It does not decide anything: labels, counts, results and order arrive in the
// view as the rules made them.
package pages
