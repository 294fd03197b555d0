package audit

// A Comparison is how what was made from a ledger compares with what was made
// from it anew, both as of one event.
type Comparison struct {
	Seq       uint64 // that event; 0 where nothing was compared
	Different uint64 // how many rows or keys are wrong, missing or too many
	First     string // what is wrong with the first of them: "it has …"
}
