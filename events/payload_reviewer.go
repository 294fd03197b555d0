package events

// The kinds of reviewer.
const (
	Human = "human"
	AI    = "ai"
	Team  = "team"
)

// ReviewerSeated seats a reviewer on the panel; seating again updates.
type ReviewerSeated struct {
	Members
	Reviewer string
	Name     string
	Kind     string
	Motto    string
	Lens     string
	Order    int64
}

// Type names the event type.
func (*ReviewerSeated) Type() string { return "shiplog.reviewer.seated.v1" }

// Subject is the reviewer's.
func (p *ReviewerSeated) Subject() string { return "reviewer." + p.Reviewer }

func reviewerSeatedFields() []Field {
	return []Field{
		{
			Name: "kind", Kind: KindEnum, Nullable: true, Values: []string{Human, AI, Team}, Doc: "who reviews (default human)",
			at: func(p Payload) any { return &p.(*ReviewerSeated).Kind },
		},
		{
			Name: "lens", Kind: KindText, Nullable: true, Erasable: true, Doc: "what this reviewer looks at",
			at: func(p Payload) any { return &p.(*ReviewerSeated).Lens },
		},
		{
			Name: "motto", Kind: KindLine, Nullable: true, Erasable: true, Doc: "a line to know them by",
			at: func(p Payload) any { return &p.(*ReviewerSeated).Motto },
		},
		{
			Name: "name", Kind: KindLine, Required: true, Erasable: true, Doc: "shown name; may change",
			at: func(p Payload) any { return &p.(*ReviewerSeated).Name },
		},
		{
			Name: "order", Kind: KindInteger, Nullable: true, Min: 0, Max: 1_000_000, Doc: "place in the panel: row order of scorecards",
			at: func(p Payload) any { return &p.(*ReviewerSeated).Order },
		},
		{
			Name: "reviewer", Kind: KindSlug, Required: true, Doc: "the reviewer's slug; never changes",
			at: func(p Payload) any { return &p.(*ReviewerSeated).Reviewer },
		},
	}
}

// ReviewerUnseated ends a seat: later reviews are refused, earlier ones keep
// counting.
type ReviewerUnseated struct {
	Members
	Reviewer string
	Reason   string
}

// Type names the event type.
func (*ReviewerUnseated) Type() string { return "shiplog.reviewer.unseated.v1" }

// Subject is the reviewer's.
func (p *ReviewerUnseated) Subject() string { return "reviewer." + p.Reviewer }

func reviewerUnseatedFields() []Field {
	return []Field{
		{
			Name: "reason", Kind: KindText, Erasable: true, Doc: "why the seat ends",
			at: func(p Payload) any { return &p.(*ReviewerUnseated).Reason },
		},
		{
			Name: "reviewer", Kind: KindSlug, Required: true, Doc: "the reviewer's slug",
			at: func(p Payload) any { return &p.(*ReviewerUnseated).Reviewer },
		},
	}
}
