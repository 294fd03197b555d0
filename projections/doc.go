// Package projections turns the ledger into what people and programs read. It
// holds the contract of a projection, the runner that feeds one from the
// ledger, and the read model with its queries.
//
// # Words
//
// A [Projection] is a fold of the ledger that can be thrown away. A [Runner]
// follows the ledger and applies its events. The [Model] is the one projection
// of this package, named "panel": all tables of pages, feeds and API in one
// SQLite file. A [Snapshot] reads it as of one position.
//
// # Promises
//
//   - The model is a function of the events applied and nothing else. How the
//     ledger was cut into batches, which node built it, when, and how often it
//     was built before does not show: [Snapshot.Dump] gives the same bytes.
//   - Rows and position are written in one transaction, so a snapshot is of
//     one position in every part, and a crash leaves a whole one.
//   - Rows say from which event until which they hold. So a snapshot as of a
//     past event gives what a model built up to that event gives, by the same
//     queries. Names, categories and seats are those of that event, too.
//   - No event is applied that does not follow the one before in sequence and
//     chain, and none is passed over but by an operator's skip in the ledger.
//     A runner that cannot go on stops and says at which event; readers keep
//     the last good state.
//   - A model that another version of the program has built is read, as it was
//     left, while a new one is built beside it, and gives way to that when it has
//     caught up; killed at any moment, the old one is there at the next start.
//     That holds where the old one has all that this version's queries ask for,
//     or this version says what readers may meet in its place (a column's
//     default): so for every change of what events put into tables, and for
//     columns and indexes that are added. Otherwise the old one is thrown away,
//     and readers are told to wait until the new one is there.
//   - Memory is bounded: a cache of what was used lately, one batch of rows.
//
// It does not promise that a file survives everything a disk can do. A damaged
// file is found when it is read, whether to apply to it or to show it, and built
// anew; until then queries fail where they meet the damage.
//
// Everything a snapshot returns belongs to the caller. Lists of tools and
// matchups take a fixed number of queries, however long they are.
package projections
