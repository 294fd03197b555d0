package events

// ResultKind is how two tools compare.
type ResultKind string

// The kinds of result of a matchup (rules version 1).
const (
	NotComparable ResultKind = "not_comparable"
	Level         ResultKind = "level"
	Leans         ResultKind = "leans"
	Favours       ResultKind = "favours"
	TooClose      ResultKind = "too_close"
)

// Side is one of the two tools of a matchup.
type Side int

// The sides of a matchup; NoSide when neither leads.
const (
	NoSide Side = iota
	LeftSide
	RightSide
)

// Shared counts what the shared reviewers of two tools say: those whose
// current verdict is ship or skip on both.
type Shared struct {
	Reviewers  int // judged both
	LeftShips  int
	RightShips int
}

// Add counts one reviewer's verdicts on left and right, if both count.
func (s *Shared) Add(left, right Verdict) {
	if !left.Counts() || !right.Counts() {
		return
	}
	s.Reviewers++
	if left == Ship {
		s.LeftShips++
	}
	if right == Ship {
		s.RightShips++
	}
}

// Result is how two tools compare among the reviewers who judged both.
type Result struct {
	Kind   ResultKind
	Leads  Side // which tool a lean or favour is for
	Edge   int  // ships left minus ships right among the shared reviewers
	Shared int  // reviewers who judged both
}

// Compare is the result of a matchup under rules version 1: below the quorum
// of shared reviewers Not comparable yet; then by the edge Level, Leans (1) or
// Favours (2 or more); Too close to call where the panel's labels contradict
// the edge, that is where only the tool that does not lead is Ship.
func Compare(s Shared, left, right Label, quorum int) Result {
	r := Result{Edge: s.LeftShips - s.RightShips, Shared: s.Reviewers}
	switch {
	case s.Reviewers < quorum:
		r.Kind = NotComparable
	case r.Edge == 0:
		r.Kind = Level
	case r.Edge > 0:
		r.lead(LeftSide, left, right)
	default:
		r.lead(RightSide, right, left)
	}
	return r
}

// lead fills in a result that has an edge to one side.
func (r *Result) lead(side Side, own, other Label) {
	if other == LabelShip && own != LabelShip {
		r.Kind = TooClose
		return
	}
	r.Leads = side
	r.Kind = Favours
	if r.Edge == 1 || r.Edge == -1 {
		r.Kind = Leans
	}
}

// Label says the result with the names of the tools: "Leans Ferrule".
func (r Result) Label(left, right string) string {
	name := left
	if r.Leads == RightSide {
		name = right
	}
	switch r.Kind {
	case Level:
		return "Level"
	case Leans:
		return "Leans " + name
	case Favours:
		return "Favours " + name
	case TooClose:
		return "Too close to call"
	}
	return "Not comparable yet"
}
