package events

// The formats of a review's body.
const (
	FormatText     = "text"
	FormatMarkdown = "markdown"
)

// Review is what a review says, whichever event carries it.
type Review struct {
	Tool       string
	Reviewer   string
	Verdict    string
	Body       string
	Format     string
	Condition  string
	Pros       []string
	Cons       []string
	Evidence   []string
	Disclosure string
	Reason     string
	Provenance string
}

// ReviewSubmitted is the first review of a tool by a reviewer, or as a
// submission any review.
type ReviewSubmitted struct {
	Members
	Review
	Expects      int64
	ToolName     string
	ReviewerName string
}

// Type names the event type.
func (*ReviewSubmitted) Type() string { return "shiplog.review.submitted.v1" }

// Subject is the review's.
func (p *ReviewSubmitted) Subject() string { return "review." + p.Tool + "." + p.Reviewer }

func reviewSubmittedFields() []Field {
	review := func(p Payload) *Review { return &p.(*ReviewSubmitted).Review }
	return sortFields(append(reviewFields(review),
		Field{
			Name: "expects", Kind: KindInteger, Min: 0, Max: maxInteger, Instruction: true,
			Doc: "sequence of the review thought current, 0 for none; refused as stale when it is another",
			at:  func(p Payload) any { return &p.(*ReviewSubmitted).Expects },
		},
		Field{
			Name: "tool_name", Kind: KindLine, Instruction: true,
			Doc: "registers the tool under this name if it is unknown",
			at:  func(p Payload) any { return &p.(*ReviewSubmitted).ToolName },
		},
		Field{
			Name: "reviewer_name", Kind: KindLine, Instruction: true,
			Doc: "seats the reviewer under this name if unknown",
			at:  func(p Payload) any { return &p.(*ReviewSubmitted).ReviewerName },
		},
	))
}

// ReviewRevised is a later review of the same tool by the same reviewer. Only
// the intake makes it.
type ReviewRevised struct {
	Members
	Review
	Revision int64
	Replaces int64
}

// Type names the event type.
func (*ReviewRevised) Type() string { return "shiplog.review.revised.v1" }

// Subject is the review's.
func (p *ReviewRevised) Subject() string { return "review." + p.Tool + "." + p.Reviewer }

func reviewRevisedFields() []Field {
	review := func(p Payload) *Review { return &p.(*ReviewRevised).Review }
	return sortFields(append(reviewFields(review),
		Field{
			Name: "replaces", Kind: KindInteger, Required: true, Min: 1, Max: maxInteger, Assigned: true,
			Doc: "sequence of the review or withdrawal before",
			at:  func(p Payload) any { return &p.(*ReviewRevised).Replaces },
		},
		Field{
			Name: "revision", Kind: KindInteger, Required: true, Min: 2, Max: maxInteger, Assigned: true,
			Doc: "2 for the first revision, then 3 and so on",
			at:  func(p Payload) any { return &p.(*ReviewRevised).Revision },
		},
	))
}

// reviewFields are the members that say something about the tool.
func reviewFields(at func(Payload) *Review) []Field {
	return []Field{
		{
			Name: "body", Kind: KindText, Required: true, Erasable: true, Doc: "the review itself",
			at: func(p Payload) any { return &at(p).Body },
		},
		{
			Name: "condition", Kind: KindText, Erasable: true, Doc: "under which the verdict holds",
			at: func(p Payload) any { return &at(p).Condition },
		},
		{
			Name: "cons", Kind: KindLines, Erasable: true, Doc: "what speaks against it",
			at: func(p Payload) any { return &at(p).Cons },
		},
		{
			Name: "disclosure", Kind: KindText, Erasable: true, Doc: "what ties the reviewer to the tool",
			at: func(p Payload) any { return &at(p).Disclosure },
		},
		{
			Name: "evidence", Kind: KindURLs, Erasable: true, Doc: "where claims can be checked",
			at: func(p Payload) any { return &at(p).Evidence },
		},
		{
			Name: "format", Kind: KindEnum, Values: []string{FormatText, FormatMarkdown}, Doc: "of the body (default text)",
			at: func(p Payload) any { return &at(p).Format },
		},
		{
			Name: "pros", Kind: KindLines, Erasable: true, Doc: "what speaks for it",
			at: func(p Payload) any { return &at(p).Pros },
		},
		{
			Name: "provenance", Kind: KindEnum, Values: []string{"stated", "inferred"}, Doc: "whether the reviewer stated the verdict or it was inferred (default stated)",
			at: func(p Payload) any { return &at(p).Provenance },
		},
		{
			Name: "reason", Kind: KindText, Erasable: true, Doc: "why it was revised",
			at: func(p Payload) any { return &at(p).Reason },
		},
		{
			Name: "reviewer", Kind: KindSlug, Required: true, Doc: "who judges",
			at: func(p Payload) any { return &at(p).Reviewer },
		},
		{
			Name: "tool", Kind: KindSlug, Required: true, Doc: "what is judged",
			at: func(p Payload) any { return &at(p).Tool },
		},
		{
			Name: "verdict", Kind: KindEnum, Required: true, Values: []string{string(Ship), string(Skip), string(Abstain)}, Doc: "ship, skip or abstain",
			at: func(p Payload) any { return &at(p).Verdict },
		},
	}
}

// ReviewWithdrawn is a tombstone: the review stays in the history and stops
// counting, and the one before does not come back.
type ReviewWithdrawn struct {
	Members
	Tool     string
	Reviewer string
	Reason   string
}

// Type names the event type.
func (*ReviewWithdrawn) Type() string { return "shiplog.review.withdrawn.v1" }

// Subject is the review's.
func (p *ReviewWithdrawn) Subject() string { return "review." + p.Tool + "." + p.Reviewer }

func reviewWithdrawnFields() []Field {
	return []Field{
		{
			Name: "reason", Kind: KindText, Required: true, Erasable: true, Doc: "why it is withdrawn",
			at: func(p Payload) any { return &p.(*ReviewWithdrawn).Reason },
		},
		{
			Name: "reviewer", Kind: KindSlug, Required: true, Doc: "whose review",
			at: func(p Payload) any { return &p.(*ReviewWithdrawn).Reviewer },
		},
		{
			Name: "tool", Kind: KindSlug, Required: true, Doc: "of which tool",
			at: func(p Payload) any { return &p.(*ReviewWithdrawn).Tool },
		},
	}
}
