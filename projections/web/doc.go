// Package web serves the HTML pages: it fills the views of package pages from
// the read model and answers requests for them.
//
// It promises:
//
//   - A body is a function of the site's configuration, the address and the
//     ledger up to the position it speaks as of. That position is told in
//     Shiplog-Seq and stands outside the validator.
//   - The footer names the last event that changed anything the page shows, so an
//     event elsewhere leaves the bytes, and the ETag, as they were.
//   - Every page is read from one snapshot and sent whole or not at all.
//   - An address has one spelling. Aliases, other orders of a pair and capital
//     letters are redirected to it; a parameter that means nothing is not part of
//     it.
//   - ?at= shows the same page as of a past event.
//
// Pages are kept as they were sent, within a bound of bytes. While no event has
// been applied, a kept page is sent without a question to the read model; after
// one, the model is asked when what the page shows last changed, and only then is
// the page drawn again. Requests that want the same page wait for one drawing. The
// pictures of package pictures are kept the same way.
//
// It knows nothing of feeds, the JSON interface or metrics. [Handler.Register]
// also takes every address that nobody else took, to say so on a page.
package web
