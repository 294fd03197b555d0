package pages

// section is one part of a scorecard. Prefix keeps ids apart where a reviewer
// stands in two sections.
type section struct {
	Prefix      string
	Left, Right Contender
	Rows        []CompareRow
	Marks       bool // say whether the two verdicts agree
}

func newSection(prefix string, v CompareView, rows []CompareRow) section {
	s := section{Prefix: prefix, Left: v.Left, Right: v.Right, Marks: prefix == "both", Rows: rows}
	if s.Marks && v.OnlyDifferences {
		s.Rows = nil
		for _, row := range rows {
			if row.Differs() {
				s.Rows = append(s.Rows, row)
			}
		}
	}
	return s
}

// cell is one side of a row, with all that is needed to say why it is empty.
type cell struct {
	Side
	Tool      Contender
	Reviewer  Reviewer
	Abstained bool // this section is the one that quotes abstentions
}

// Cells are the two sides of a row.
func (s section) Cells(row CompareRow) []cell {
	abstained := s.Prefix == "abst"
	return []cell{
		{row.Left, s.Left, row.Reviewer, abstained},
		{row.Right, s.Right, row.Reviewer, abstained},
	}
}

// Quoted reports whether this section quotes the side's review. A reviewer who
// judged one tool and abstained on the other stands in two sections.
func (c cell) Quoted() bool {
	return c.Review != nil && (c.Review.Verdict == "abstain") == c.Abstained
}

// Agreed is the verdict both sides share, or nothing.
func (r CompareRow) Agreed() string {
	if r.Differs() {
		return ""
	}
	return r.Left.counts()
}

// Differs reports whether the reviewer ships one of the two and skips the other.
func (r CompareRow) Differs() bool {
	l, ri := r.Left.counts(), r.Right.counts()
	return l != "" && ri != "" && l != ri
}

// counts returns ship or skip, or nothing when the side holds neither.
func (s Side) counts() string {
	if s.Review == nil || s.Review.Verdict == "abstain" {
		return ""
	}
	return s.Review.Verdict
}

// Shipped is the one of the two that a reviewer who differs would ship.
func (r CompareRow) Shipped(left, right Ref) Ref {
	if r.Left.counts() == "ship" {
		return left
	}
	return right
}
