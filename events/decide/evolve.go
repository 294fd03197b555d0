package decide

import (
	"fmt"

	"shiplog/events"
)

// Evolve folds the next event. It does not ask whether the event should have
// been recorded: it was. Folding the same events in the same order gives the
// same state, however they are cut into layers.
func (s *State) Evolve(e *events.Event) error {
	if s.err != nil {
		return s.err
	}
	switch p := e.Data.(type) {
	case *events.LedgerOpened:
		s.head.Ledger = p.Ledger
	case *events.RulesPublished:
		s.rerank(p.Rules(e.Seq))
	case *events.ReviewerSeated:
		s.reviewers.put(p.Reviewer, Reviewer{Seated: true})
	case *events.ReviewerUnseated:
		s.reviewers.put(p.Reviewer, Reviewer{})
	case *events.ToolRegistered:
		s.register(p)
	case *events.ToolMerged:
		s.changeTool(p.Tool, func(t *Tool) { t.Merged = p.Into })
	case *events.ToolUnmerged:
		s.changeTool(p.Tool, func(t *Tool) { t.Merged = "" })
	case *events.ToolRetired:
		s.changeTool(p.Tool, func(t *Tool) { t.Retired = true })
	case *events.ReviewSubmitted:
		s.review(e.Seq, &p.Review, 1)
	case *events.ReviewRevised:
		s.review(e.Seq, &p.Review, p.Revision)
	case *events.ReviewWithdrawn:
		s.withdraw(e.Seq, p)
	case *events.ReplyPublished:
		s.reply(e.Seq, p)
	case *events.MatchupOpened:
		s.pairs.put(PairOf(p.Left, p.Right), e.Seq)
		s.changeTool(p.Left, func(t *Tool) { t.Matchups++ })
		s.changeTool(p.Right, func(t *Tool) { t.Matchups++ })
	case *events.EventSkipped:
	default:
		return fmt.Errorf("event %d: %w", e.Seq, events.ErrUnknownType)
	}
	s.advance(e)
	return s.err
}

// Pass moves over an event that is to be ignored (see events.EventSkipped).
func (s *State) Pass(e *events.Event) { s.head = headAfter(s.head, e) }

// advance notes the event's identity and moves the head. Events that Shiplog
// records on its own account need no identity: their sources are refused from
// publishers, and what they say is decided by what was recorded.
func (s *State) advance(e *events.Event) {
	if !e.Derived() {
		_, revised := e.Data.(*events.ReviewRevised)
		s.identities.put(KeyOf(e.Source, e.ID), Identity{
			Seq: e.Seq, Revised: revised, Salt: e.Salt, Hash: [16]byte(e.InputHash[:16]),
		})
	}
	s.head = headAfter(s.head, e)
}

func headAfter(h Head, e *events.Event) Head {
	h.Seq = e.Seq
	h.Leaf = e.Leaf
	h.Recorded = e.RecordedTime.UnixMilli()
	return h
}

func (s *State) changeTool(slug string, change func(*Tool)) {
	t, _, _ := s.Tool(slug)
	change(&t)
	s.putTool(slug, t)
}

func (s *State) register(p *events.ToolRegistered) {
	s.changeTool(p.Tool, func(t *Tool) {
		t.Retired = false
		if events.Has(p, "category") {
			t.Category = p.Category
		}
		if !events.Has(p, "aliases") {
			return
		}
		for _, alias := range t.Aliases {
			s.aliases.put(alias, "")
		}
		t.Aliases = p.Aliases
		for _, alias := range p.Aliases {
			s.aliases.put(alias, p.Tool)
		}
	})
}

// review folds what a reviewer says. A first review has none before it: it is not
// looked for, which would be in vain for most events of most ledgers.
func (s *State) review(seq uint64, r *events.Review, revision int64) {
	about := About{r.Tool, r.Reviewer}
	var old Review
	if revision > 1 {
		old, _, _ = s.Review(about)
	}
	verdict := events.Verdict(r.Verdict)
	s.reviews.put(about, Review{Seq: seq, Verdict: verdict, Revision: revision, Digest: digest(r)})
	s.count(seq, r.Tool, old.standing(), verdict)
}

func (s *State) withdraw(seq uint64, p *events.ReviewWithdrawn) {
	about := About{p.Tool, p.Reviewer}
	old, _, _ := s.Review(about)
	s.reviews.put(about, Review{Seq: seq, Withdrawn: true, Revision: old.Revision})
	s.count(seq, p.Tool, old.standing(), "")
}

// standing is the verdict that stands, "" when none does.
func (r Review) standing() events.Verdict {
	if r.Withdrawn {
		return ""
	}
	return r.Verdict
}

// count moves one review of a tool from a verdict to another.
func (s *State) count(seq uint64, tool string, from, to events.Verdict) {
	if from.Counts() == to.Counts() && (from == to || !from.Counts()) {
		return
	}
	s.changeTool(tool, func(t *Tool) {
		t.Tally = t.Tally.With(from, to)
		t.reach(s.rules, seq)
	})
}

func (s *State) reply(seq uint64, p *events.ReplyPublished) {
	if p.Replaces != 0 {
		s.replies.put(uint64(p.Replaces), "")
	}
	s.replies.put(seq, p.Tool)
}
