// Package projectionstest is the test kit of projections: it makes ledgers of
// payloads without a server ([Ledger]), each event stored and chained as the
// intake would, and read models of them ([Model]).
//
// It decides nothing: what the intake would refuse, it records.
package projectionstest
