package api

import (
	"slices"
	"time"

	"shiplog/events"
	"shiplog/projections"
)

// Matchup is two tools side by side, as lists show it.
type Matchup struct {
	Left       string       `json:"left" example:"hullmark" doc:"slug of the tool on the left, as first opened"`
	Right      string       `json:"right" example:"tidegate"`
	Result     Result       `json:"result" doc:"how they compare among the reviewers who judged both"`
	Seq        uint64       `json:"seq" doc:"the event that opened it"`
	UpdatedSeq uint64       `json:"updated_seq" doc:"the last event that changed it: result, tools, and where they are shown reviews"`
	Opened     time.Time    `json:"opened" doc:"when it was recorded as opened"`
	URL        string       `json:"url" format:"uri-reference" doc:"its page"`
	Category   string       `json:"category,omitempty" doc:"that both tools share"`
	Matchmade  bool         `json:"matchmade" doc:"whether the matchmaker opened it, not a publisher"`
	Publisher  string       `json:"publisher" doc:"who sent the event that opened it"`
	Names      Names        `json:"names" doc:"names of the tools"`
	Verdicts   Verdicts     `json:"verdicts" doc:"what the panel says of each"`
	Separated  []string     `json:"separated_by" nullable:"false" doc:"slugs of the shared reviewers who say ship to one and skip to the other: those for the left one first, each side in panel order"`
	Separation []Separation `json:"separation" nullable:"false" doc:"the same reviewers, each with the tool that is shipped"`
}

// Names are the names of both tools.
type Names struct {
	Left  string `json:"left"`
	Right string `json:"right"`
}

// Verdicts are the verdicts of both tools.
type Verdicts struct {
	Left  Verdict `json:"left"`
	Right Verdict `json:"right"`
}

// Result is how two tools compare.
type Result struct {
	Kind   string  `json:"kind" enum:"level,leans,favours,too_close,not_comparable"`
	Label  string  `json:"label" example:"Leans Tidegate" doc:"the result in words"`
	Leads  *string `json:"leads" doc:"slug of the tool a lean or favour is for; null when neither leads"`
	Edge   int     `json:"edge" doc:"ships of the left tool less ships of the right one, among the shared reviewers"`
	Shared int     `json:"shared" doc:"reviewers whose current verdict is ship or skip on both"`
}

// Separation is a shared reviewer who ships only one of the two.
type Separation struct {
	Reviewer string `json:"reviewer" doc:"slug"`
	Name     string `json:"name"`
	Ships    string `json:"ships" doc:"slug of the tool shipped"`
}

func resultOf(r events.Result, left, right projections.Ref) Result {
	out := Result{Kind: string(r.Kind), Label: r.Label(left.Name, right.Name), Edge: r.Edge, Shared: r.Shared}
	switch r.Leads {
	case events.LeftSide:
		out.Leads = &left.Slug
	case events.RightSide:
		out.Leads = &right.Slug
	}
	return out
}

func (a *API) matchupOf(m *projections.Matchup) Matchup {
	out := Matchup{
		Left: m.Left.Slug, Right: m.Right.Slug, Result: resultOf(m.Result, m.Left.Ref, m.Right.Ref),
		Seq: m.Event.Seq, UpdatedSeq: m.Event.Later(m.Changed).Seq, Opened: m.Event.Time.UTC(),
		URL:      a.o.BaseURL + "/compare/" + m.Left.Slug + "-vs-" + m.Right.Slug,
		Category: m.Category, Matchmade: m.Matchmade, Publisher: m.Publisher,
		Names:     Names{Left: m.Left.Name, Right: m.Right.Name},
		Verdicts:  Verdicts{Left: verdictOf(m.Left.Verdict), Right: verdictOf(m.Right.Verdict)},
		Separated: []string{}, Separation: []Separation{},
	}
	out.separate(m.ToLeft, m.Left.Slug)
	out.separate(m.ToRight, m.Right.Slug)
	return out
}

// separate adds the reviewers who ship only one of the two.
func (m *Matchup) separate(critics []projections.Critic, ships string) {
	for _, c := range critics {
		m.Separated = append(m.Separated, c.Slug)
		m.Separation = append(m.Separation, Separation{Reviewer: c.Slug, Name: c.Name, Ships: ships})
	}
}

func (a *API) matchupsOf(list []projections.Matchup) []Matchup {
	out := make([]Matchup, len(list))
	for i := range list {
		out[i] = a.matchupOf(&list[i])
	}
	return out
}

// MatchupDetail is a matchup with its scorecard.
type MatchupDetail struct {
	Matchup
	Tools     Sides        `json:"tools" doc:"both tools"`
	Since     *ResultSince `json:"since,omitempty" doc:"when the result became what it is; left out while it never changed"`
	Scorecard []Row        `json:"scorecard" nullable:"false" doc:"in scorecard order: those who judged both in panel order, then those who judged only the left one, then only the right one, then abstentions"`
	Older     *MatchupRef  `json:"older,omitempty" doc:"the matchup opened just before"`
	Newer     *MatchupRef  `json:"newer,omitempty" doc:"the matchup opened just after"`
}

// Sides are both tools.
type Sides struct {
	Left  Tool `json:"left"`
	Right Tool `json:"right"`
}

// ResultSince is the event that made a result what it is.
type ResultSince struct {
	Stamp
	Before Result `json:"before" doc:"the result until then"`
}

// Row is what one reviewer says of each tool.
type Row struct {
	Section  string  `json:"section" enum:"both,one,abstained" doc:"a reviewer who judged one and abstained on the other stands in two sections"`
	Reviewer string  `json:"reviewer" doc:"slug"`
	Name     string  `json:"name"`
	Former   bool    `json:"former" doc:"whether the reviewer has left the panel"`
	Left     *Review `json:"left,omitempty" doc:"of the left tool"`
	Right    *Review `json:"right,omitempty" doc:"of the right tool"`
}

// MatchupRef names a matchup.
type MatchupRef struct {
	Left  string `json:"left"`
	Right string `json:"right"`
	Seq   uint64 `json:"seq" doc:"the event that opened it"`
}

func (a *API) comparisonOf(c *projections.Comparison) *MatchupDetail {
	d := &MatchupDetail{
		Matchup:   a.matchupOf(&c.Matchup),
		Tools:     Sides{Left: a.toolOf(&c.Left), Right: a.toolOf(&c.Right)},
		Scorecard: slices.Concat(rowsOf("both", c.Common), rowsOf("one", c.One), rowsOf("abstained", c.Abstained)),
		Older:     matchupRef(c.Older),
		Newer:     matchupRef(c.Newer),
	}
	if c.Since.Seq != 0 && c.Before != nil {
		d.Since = &ResultSince{Stamp: stampOf(c.Since), Before: resultOf(*c.Before, c.Left.Ref, c.Right.Ref)}
	}
	d.UpdatedSeq = updated(d, c)
	return d
}

// updated is the last event that changed anything a comparison shows: the texts
// of its reviews too.
func updated(d *MatchupDetail, c *projections.Comparison) uint64 {
	last := max(d.UpdatedSeq, d.Tools.Left.Seq, d.Tools.Right.Seq)
	for _, row := range slices.Concat(c.Common, c.One, c.Abstained) {
		last = max(last, row.Reviewer.Named.Seq)
		for _, r := range []*projections.Review{row.Left, row.Right} {
			if r != nil {
				last = max(last, r.Changed().Seq)
			}
		}
	}
	return last
}

func rowsOf(section string, list []projections.Row) []Row {
	out := make([]Row, len(list))
	for i, r := range list {
		out[i] = Row{
			Section: section, Reviewer: r.Reviewer.Slug, Name: r.Reviewer.Name, Former: r.Reviewer.Former,
			Left: rowReview(r.Left), Right: rowReview(r.Right),
		}
	}
	return out
}

func rowReview(r *projections.Review) *Review {
	if r == nil {
		return nil
	}
	out := reviewOf(r)
	return &out
}

func matchupRef(m *projections.Neighbour) *MatchupRef {
	if m == nil {
		return nil
	}
	return &MatchupRef{Left: m.Left.Slug, Right: m.Right.Slug, Seq: m.Event.Seq}
}
