package pages

import (
	"bytes"
	"encoding/json"
	"html/template"
	"io"
	"time"
)

// EventView is the page of one event.
type EventView struct {
	Page
	Facts     EventFacts
	Raw       string // the stored JSON, byte for byte; indented by the page
	Source    string
	ID        string
	Written   time.Time // zero when the publisher gave none
	Recorded  time.Time
	Publisher string
	Cause     uint64 // for derived events
	Leaf      string // of this event; the page's own may be of a later one
	PrevLeaf  string
	Effects   []Effect
	SkippedBy uint64 // the event that tells every node to pass this one over
	Reason    string // and why
	Prev      *EventLine
	Next      *EventLine
}

// EventFacts is what a sentence about an event needs. Only what its type uses is
// set.
type EventFacts struct {
	Seq      uint64
	Type     string // shiplog.review.submitted.v1 …
	Tool     Ref
	Into     Ref // tool.merged and tool.unmerged
	Left     Ref // matchup.opened
	Right    Ref
	Reviewer Reviewer
	Verdict  string
	Was      string // review.revised: the verdict it replaces
	Revision int
	Replaces uint64 // review.revised, reply.published
	Of       uint64 // review.withdrawn: the review
	Author   string // reply.published
	Again    bool   // a registration or seating of something already known
	Rules    Rules  // rules.published
	Skipped  uint64 // event.skipped
	Title    string // ledger.opened
	Derived  bool   // by Shiplog itself
	Unknown  bool   // of a type that this version cannot read: only that is told
}

// Effect is one thing an event changed: a tool's verdict or a matchup's result.
type Effect struct {
	Tool          *Ref
	Before, After Verdict // of the tool
	Matchup       *Move
}

// Event draws the page of one event.
func (p *Pages) Event(w io.Writer, v EventView) error {
	seq := seqText(v.Facts.Seq)
	return p.draw(w, "event", frame{
		Page: v.Page, V: v, Nav: "none", Path: eventPath(v.Facts.Seq),
		Title:       "Event #" + seq + ": " + lowerThe(EventHeadline(v.Facts).String()),
		Description: EventLead(v.Facts).String(),
		Feeds:       v.feeds(),
	})
}

func (v EventView) feeds() []Feed {
	var own []Feed
	if t := v.Facts.Tool; t.Slug != "" {
		own = append(own, ToolFeed(t.Slug, t.display()))
	}
	if r := v.Facts.Reviewer; r.Slug != "" {
		own = append(own, ReviewerFeed(r.Slug, r.display()))
	}
	return append(own, ReviewsFeed(), VerdictsFeed())
}

// Lead tells the event in a sentence.
func (v EventView) Lead() Sentence { return EventLead(v.Facts) }

// Indented is the stored JSON with line breaks for reading.
func (v EventView) Indented() string {
	var buf bytes.Buffer
	if err := json.Indent(&buf, []byte(v.Raw), "", "  "); err != nil {
		return v.Raw
	}
	return buf.String()
}

// Name says what an effect happened to.
func (e Effect) Name() template.HTML {
	if e.Matchup != nil {
		return compareLink(e.Matchup.Left, e.Matchup.Right)
	}
	return toolLink(*e.Tool)
}
