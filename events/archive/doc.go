// Package archive reads and writes exported ledgers: files in which line N is
// the event of sequence N, byte for byte as it is stored. They may be compressed
// with gzip; a reader sees that by the first bytes, a writer is told.
//
// # Promises
//
//   - What was not written to its end never stands under the name of the file
//     ([File]): it is a temporary file beside it until it is whole and synced.
//   - An export that was interrupted is gone on with where it stopped, also a
//     compressed one: it is a row of gzip members, and what is behind the last
//     whole one is cut off.
//   - A file that is cut off, damaged or no export at all is told from one that
//     ends, with the line ([LineError]).
//   - One line is in memory at a time.
//
// Whether the lines are a ledger is not asked here: package audit knows.
package archive
