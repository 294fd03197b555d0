package events

// RulesVersion is the newest version of the verdict rules this package knows.
const RulesVersion = 1

// The ways matchups come about.
const (
	MatchCategory = "category" // the matchmaker pairs tools of a category
	MatchManual   = "manual"   // only matchup.opened events do
)

// RulesPublished puts rules in force from its sequence on.
type RulesPublished struct {
	Members
	Version            int64
	Quorum             int64
	Matchmaking        string
	MaxMatchupsPerTool int64
}

// Type names the event type.
func (*RulesPublished) Type() string { return "shiplog.rules.published.v1" }

// Subject is "rules".
func (*RulesPublished) Subject() string { return "rules" }

func rulesPublishedFields() []Field {
	return []Field{
		{
			Name: "matchmaking", Kind: KindEnum, Values: []string{MatchCategory, MatchManual}, Doc: "how matchups open (default category)",
			at: func(p Payload) any { return &p.(*RulesPublished).Matchmaking },
		},
		{
			Name: "max_matchups_per_tool", Kind: KindInteger, Min: 0, Max: 900, Doc: "matchups a tool has before the matchmaker passes it over (default 8)",
			at: func(p Payload) any { return &p.(*RulesPublished).MaxMatchupsPerTool },
		},
		{
			Name: "quorum", Kind: KindInteger, Min: 1, Max: 1000, Doc: "reviews a tool needs for a verdict (default 3)",
			at: func(p Payload) any { return &p.(*RulesPublished).Quorum },
		},
		{
			Name: "version", Kind: KindInteger, Required: true, Min: 1, Max: maxInteger, Doc: "version of the rules, 1",
			at: func(p Payload) any { return &p.(*RulesPublished).Version },
		},
	}
}

// Rules are the rules in force at a position of the ledger.
type Rules struct {
	Version            int
	Quorum             int
	Matchmaking        string
	MaxMatchupsPerTool int
	Seq                uint64 // of the event that put them in force; 0 before any
}

// DefaultRules are in force before any rules event.
func DefaultRules() Rules {
	return Rules{Version: 1, Quorum: 3, Matchmaking: MatchCategory, MaxMatchupsPerTool: 8}
}

// Rules are the rules that the event at seq puts in force: members that it
// leaves out have their default, whatever was in force before.
func (p *RulesPublished) Rules(seq uint64) Rules {
	r := DefaultRules()
	r.Seq = seq
	r.Version = int(p.Version)
	if Has(p, "quorum") {
		r.Quorum = int(p.Quorum)
	}
	if Has(p, "matchmaking") {
		r.Matchmaking = p.Matchmaking
	}
	if Has(p, "max_matchups_per_tool") {
		r.MaxMatchupsPerTool = int(p.MaxMatchupsPerTool)
	}
	return r
}
