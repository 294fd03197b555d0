package decide

import (
	"fmt"
	"time"

	"shiplog/events"
)

// Status is what becomes of a submission.
type Status string

// The statuses of a decision.
const (
	Accepted  Status = "accepted"
	Duplicate Status = "duplicate"
	Rejected  Status = "rejected"
)

// The sources of derived events.
const (
	IntakeSource     = "/shiplog/intake"
	MatchmakerSource = "/shiplog/matchmaker"
)

// maxAhead is how far in the future a time may be: clocks differ.
const maxAhead = 5 * time.Minute

// A Decision is what becomes of one submission.
type Decision struct {
	Status   Status
	Problems events.Problems // of a rejected one

	// Recorded tells that the ledger holds the submission under its own source
	// and id, from now on or from before. A duplicate of what another identity
	// has recorded takes none.
	Recorded bool
	// Seq and Type are those of the event that a duplicate repeats.
	Seq  uint64
	Type string

	// Events are to be recorded, in order and all or none. They have no
	// sequence, time of recording, salt or hashes yet.
	Events []*events.Event
	// Main is the place in Events of what the submission itself says; the
	// others are derived from it.
	Main int
}

// Waits reports whether the decision may be another once an unknown tool or
// reviewer is registered, and no other problem stands in the way.
func (d Decision) Waits() bool {
	for _, p := range d.Problems {
		if p.Code != events.CodeUnknownTool && p.Code != events.CodeUnknownPerson {
			return false
		}
	}
	return len(d.Problems) > 0
}

// Decide decides a valid submission (one that [events.Parse] found no problem
// in) against the state, at a time. The error is the base's; the decision is
// then void.
func Decide(s *State, sub *events.Submission, now time.Time) (Decision, error) {
	if s.err != nil {
		return Decision{}, s.err
	}
	d := decider{s: s, sub: sub}
	if !d.repeated() {
		d.when(now)
		d.data()
	}
	if len(d.problems) > 0 {
		return Decision{Status: Rejected, Problems: d.problems}, s.err
	}
	return d.Decision, s.err
}

// decider decides one submission.
type decider struct {
	Decision
	s        *State
	sub      *events.Submission
	problems events.Problems
}

func (d *decider) refuse(member string, code events.Code, format string, args ...any) {
	d.problems.Add("/data/"+member, code, format, args...)
}

// repeated finds a submission that was recorded before.
func (d *decider) repeated() bool {
	known, ok, _ := d.s.Identity(KeyOf(d.sub.Source, d.sub.ID))
	if !ok {
		return false
	}
	if !known.Same(d.sub.Input) {
		d.problems.Add("/id", events.CodeConflict,
			"source %q has sent id %q before, with other content, as event %d; a new event needs a new id", d.sub.Source, d.sub.ID, known.Seq)
		return true
	}
	typ := d.sub.Data.Type()
	if known.Revised {
		typ = (*events.ReviewRevised)(nil).Type()
	}
	d.duplicate(known.Seq, typ)
	d.Recorded = true
	return true
}

func (d *decider) duplicate(seq uint64, typ string) {
	d.Status, d.Seq, d.Type = Duplicate, seq, typ
}

// when checks the time an event says it was written.
func (d *decider) when(now time.Time) {
	if d.sub.Time == "" {
		return
	}
	t, err := events.ParseTime(d.sub.Time)
	switch {
	case err != nil:
		d.problems.Add("/time", events.CodeInvalidTime, "time must be RFC 3339; got %q", d.sub.Time)
	case t.After(now.Add(maxAhead)):
		d.problems.Add("/time", events.CodeFuture, "time %s is more than 5 minutes ahead of the server's clock (%s); leave it out to have the time of recording",
			d.sub.Time, now.UTC().Format(time.RFC3339))
	case t.Before(time.Unix(0, 0)):
		d.problems.Add("/time", events.CodeInvalidTime, "time %s is before 1970", d.sub.Time)
	}
}

// data decides by what the submission says.
func (d *decider) data() {
	switch p := d.sub.Data.(type) {
	case *events.RulesPublished:
		d.rules(p)
	case *events.ReviewerSeated:
		d.accept(p)
	case *events.ReviewerUnseated:
		d.unseat(p)
	case *events.ToolRegistered:
		d.register(p)
	case *events.ToolMerged:
		d.merge(p)
	case *events.ToolUnmerged:
		d.unmerge(p)
	case *events.ToolRetired:
		d.retire(p)
	case *events.ReviewSubmitted:
		d.review(p)
	case *events.ReviewWithdrawn:
		d.withdraw(p)
	case *events.ReplyPublished:
		d.reply(p)
	case *events.MatchupOpened:
		d.matchup(p)
	default:
		d.problems.Add("/type", events.CodeReserved, "%s is recorded by the ledger itself", p.Type())
	}
}

// accept records the submission, with payload p in place of what was sent.
func (d *decider) accept(p events.Payload) {
	d.Status, d.Recorded = Accepted, true
	d.Main = len(d.Events)
	d.Events = append(d.Events, &events.Event{
		ID: d.sub.ID, Source: d.sub.Source, Subject: d.sub.Subject, Time: d.sub.Time,
		Extensions: d.sub.Extensions, Publisher: d.sub.Publisher, Data: p,
	})
}

// derive records what follows from the submission.
func (d *decider) derive(source, id string, p events.Payload) {
	d.Events = append(d.Events, &events.Event{
		ID: id, Source: source, Time: d.sub.Time, Publisher: "shiplog", Data: p,
	})
}

func (d *decider) rules(p *events.RulesPublished) {
	if p.Version != events.RulesVersion {
		d.refuse("version", events.CodeNotOneOf, "rules version %d is not known to this server; it knows version %d", p.Version, events.RulesVersion)
		return
	}
	d.accept(p)
}

func (d *decider) unseat(p *events.ReviewerUnseated) {
	r, known, _ := d.s.Reviewer(p.Reviewer)
	switch {
	case !known:
		d.unknownReviewer(p.Reviewer)
	case !r.Seated:
		d.refuse("reviewer", events.CodeNotCurrent, "reviewer %q is not seated", p.Reviewer)
	default:
		d.accept(p)
	}
}

func (d *decider) reply(p *events.ReplyPublished) {
	slug, _, ok := d.tool("tool", p.Tool)
	if p.Replaces != 0 {
		if of, _ := d.s.Reply(uint64(p.Replaces)); of != slug || of == "" {
			d.refuse("replaces", events.CodeNotCurrent, "event %d is no current reply for %q; leave replaces out for a new reply", p.Replaces, p.Tool)
			return
		}
	}
	if ok {
		with := *p
		with.Tool = slug
		d.accept(&with)
	}
}

func (d *decider) unknownReviewer(slug string) {
	d.refuse("reviewer", events.CodeUnknownPerson, "no reviewer %q is known; seat it first with %s, or send reviewer_name with the review",
		slug, (*events.ReviewerSeated)(nil).Type())
}

func (d *decider) unknownTool(member, slug string) {
	d.refuse(member, events.CodeUnknownTool, "no tool %q is known; register it first with %s, or send tool_name with the review",
		slug, (*events.ToolRegistered)(nil).Type())
}

// pairName names a matchup in an id.
func pairName(p Pair) string { return fmt.Sprintf("%s/%s", p.A, p.B) }
