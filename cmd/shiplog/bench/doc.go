// Package bench measures a node from outside: it runs this very program as a
// second process on a temporary ledger and drives it over HTTP. Every figure
// stands beside a baseline that was measured in the same run on the same
// machine, and it is the ratio of the two that says something: what the
// hardware does cancels out.
//
// The baselines are the least that could do the job: raw atomic batches and
// single synced publishes to an embedded NATS server, a bare consumer that only
// counts, and a bare net/http handler that answers the same bytes. A table of
// PostgreSQL is a comparison and no baseline: it does less.
package bench
