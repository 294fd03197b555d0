// Package clients meets the program from outside with the clients that people
// use: the built binary, newsboat, feedparser, xmllint, a NATS client in Node,
// a browser. Its tests carry the build tag "clients"; `make test-clients` runs
// them and installs nothing (`make deps` does). A test whose client or input is
// missing fails.
package clients
