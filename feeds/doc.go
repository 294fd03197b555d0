// Package feeds turns the read model into feeds: Atom, RSS 2.0, JSON Feed 1.1
// and a list of all of them as OPML.
//
// A [Composer] makes an [Item] of what the model tells of a matchup, a change
// of a verdict or a review. [Render] writes a [Feed] of items in one [Format];
// the mapping is github.com/gorilla/feeds', whose structs are embedded and
// completed here. A [Handler] serves feeds over HTTP and keeps what it made.
//
// It promises:
//
//   - Ids come from the ledger alone ([Mint]). The same item has the same id in
//     every feed and format, for ever; a renamed tool, another base URL or an
//     edited text changes none.
//   - The same read model, site and format give the same bytes, on any node and
//     after any rebuild. No clock, host name or version reaches a body. The one
//     clock of the package decides whether Last-Modified may be told, and believed.
//   - Every text survives: what a reader of any format shows is what was
//     written, but for the characters XML cannot carry, which are removed. Every
//     document is well formed, whatever a publisher sent.
//   - All formats hold the same items: the newest 50 and all within 14 days of
//     the newest, at most 200 and 512 KiB, newest first. A long text is cut
//     between two characters as a reader sees them, with a link to the rest.
//   - A feed is built again only when something it shows has changed, once
//     however many ask, and kept in bounded memory. An answer is never older
//     than what was applied when the request came.
//   - Items outside the window are in the feed's archive (RFC 5005), to which
//     each feed leads. A document of the archive is of a moment of the ledger and
//     never changes.
package feeds
