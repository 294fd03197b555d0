// Shiplog is a self-hosted ledger of reviews, with feeds. This command is all of
// it: the server and what talks to a server.
//
// cli.go is the grammar: every command and flag with its help. Each command has
// a file of its own with a Run method. serve.go and the files named app run a
// node; the others are clients that import nothing of it but its words, so that
// what they can do any HTTP client can do. Only verify, export and import can
// open a ledger that no node has open (offline.go).
//
// # Promises
//
//   - Exit codes: 0 is yes, 1 is no (an event was rejected, a node is not
//     healthy), 2 is that the question could not be asked: a mistake in the
//     command line or the configuration, or nothing that answers.
//   - An error is one line on standard error that says what is wrong and how to
//     mend it.
//   - What goes to a pipe is plain; bars and headings are for terminals. With
//     --json it is JSON, one object a line where there are several.
//   - Flags stand above the environment, that above the configuration file.
//   - A client that sends again what may have been sent does no harm: an event
//     is recorded once.
package main
