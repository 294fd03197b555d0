package pages

// MatrixView sets two to five tools side by side, in the order asked for.
type MatrixView struct {
	Page
	Tools    []Contender
	Category string      // slug, when all share one
	Rows     []MatrixRow // in panel order
	Pairs    []PairRow   // every pair of them
	Quotes   bool        // with the quotes
	Only     bool        // only the rows that differ
	// Candidates are tools that could be added, linked; the form below them
	// sends further values of the field "tools", to be joined with commas.
	Candidates []Ref
}

// MatrixRow is one reviewer's verdicts, one side for each tool, in their order.
type MatrixRow struct {
	Reviewer Reviewer
	Sides    []Side
}

// PairRow is one pair within a matrix.
type PairRow struct {
	Opened      Event // zero for a pair that was never opened
	Left, Right Ref
	Result      Result
	ToLeft      []Reviewer // who ships only the left one
	ToRight     []Reviewer // who ships only the right one
}
