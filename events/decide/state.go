package decide

import (
	"shiplog/events"
)

// State is a layer of changes over a base. It is itself a [Base], so layers can
// be stacked. It is not for concurrent use.
type State struct {
	base  Base
	head  Head
	rules events.Rules
	err   error

	identities table[Key, Identity]
	tools      table[string, Tool]
	aliases    table[string, string] // "" where one was taken away
	reviewers  table[string, Reviewer]
	reviews    table[About, Review]
	pairs      table[Pair, uint64]
	replies    table[uint64, string]    // "" where one was replaced
	ranks      map[string]map[Rank]bool // by category; false where one was taken out
}

// New is an empty layer over base; over nothing when base is nil, as at the
// beginning of a ledger.
func New(base Base) *State {
	s := &State{
		rules:      events.DefaultRules(),
		identities: newTable[Key, Identity](),
		tools:      newTable[string, Tool](),
		aliases:    newTable[string, string](),
		reviewers:  newTable[string, Reviewer](),
		reviews:    newTable[About, Review](),
		pairs:      newTable[Pair, uint64](),
		replies:    newTable[uint64, string](),
		ranks:      map[string]map[Rank]bool{},
	}
	s.stand(base)
	return s
}

// Reset makes the layer an empty one over another base, which may not be nil.
// It keeps its room: worth the while where a layer held much and the next will.
func (s *State) Reset(base Base) {
	s.err = nil
	s.identities.clear()
	s.tools.clear()
	s.aliases.clear()
	s.reviewers.clear()
	s.reviews.clear()
	s.pairs.clear()
	s.replies.clear()
	clear(s.ranks)
	s.stand(base)
}

// stand takes over the position of the base.
func (s *State) stand(base Base) {
	s.base = base
	if base != nil {
		s.head = base.Head()
		s.rules = base.Rules()
	}
}

// Rebase puts the layer on another base that holds the same: the base of the
// layer it lies on, once that one's changes have gone down into it.
func (s *State) Rebase(base Base) { s.base = base }

// Head is the position of the last event that was folded.
func (s *State) Head() Head { return s.head }

// Rules are the rules in force.
func (s *State) Rules() events.Rules { return s.rules }

// Err is the first error of the base.
func (s *State) Err() error { return s.err }

func (s *State) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Identity implements [Base].
func (s *State) Identity(k Key) (Identity, bool, error) {
	v, ok := get(s, s.identities, k, func(b Base) (Identity, bool, error) { return b.Identity(k) })
	return v, ok, s.err
}

// Tool implements [Base].
func (s *State) Tool(slug string) (Tool, bool, error) {
	v, ok := get(s, s.tools, slug, func(b Base) (Tool, bool, error) { return b.Tool(slug) })
	return v, ok, s.err
}

// Alias implements [Base].
func (s *State) Alias(slug string) (string, error) {
	v, _ := get(s, s.aliases, slug, func(b Base) (string, bool, error) {
		t, err := b.Alias(slug)
		return t, t != "", err
	})
	return v, s.err
}

// Reviewer implements [Base].
func (s *State) Reviewer(slug string) (Reviewer, bool, error) {
	v, ok := get(s, s.reviewers, slug, func(b Base) (Reviewer, bool, error) { return b.Reviewer(slug) })
	return v, ok, s.err
}

// Review implements [Base].
func (s *State) Review(a About) (Review, bool, error) {
	v, ok := get(s, s.reviews, a, func(b Base) (Review, bool, error) { return b.Review(a) })
	return v, ok, s.err
}

// Pair implements [Base].
func (s *State) Pair(p Pair) (uint64, error) {
	v, _ := get(s, s.pairs, p, func(b Base) (uint64, bool, error) {
		seq, err := b.Pair(p)
		return seq, seq != 0, err
	})
	return v, s.err
}

// Reply implements [Base].
func (s *State) Reply(seq uint64) (string, error) {
	v, _ := get(s, s.replies, seq, func(b Base) (string, bool, error) {
		t, err := b.Reply(seq)
		return t, t != "", err
	})
	return v, s.err
}

// Tools implements [Base].
func (s *State) Tools(fn func(slug string, t Tool) bool) error {
	for slug, t := range s.tools.written {
		if !fn(slug, t) {
			return s.err
		}
	}
	if s.base == nil {
		return s.err
	}
	err := s.base.Tools(func(slug string, t Tool) bool {
		if _, changed := s.tools.written[slug]; changed {
			return true
		}
		return fn(slug, t)
	})
	s.keep(err)
	return s.err
}

// Changes hands a layer's changes to a store, to be written in one transaction
// with its head. The order is not defined: keys are distinct.
type Changes interface {
	PutIdentity(Key, Identity)
	PutTool(slug string, t Tool)
	PutAlias(alias, tool string) // tool "" takes it away
	PutReviewer(slug string, r Reviewer)
	PutReview(About, Review)
	PutPair(Pair, uint64)
	PutReply(seq uint64, tool string) // tool "" takes it away
	PutRank(r Rank, present bool)
	PutHead(Head, events.Rules)
}

// Write hands all changes of the layer to c.
func (s *State) Write(c Changes) {
	for k, v := range s.identities.written {
		c.PutIdentity(k, v)
	}
	for k, v := range s.tools.written {
		c.PutTool(k, v)
	}
	for k, v := range s.aliases.written {
		c.PutAlias(k, v)
	}
	for k, v := range s.reviewers.written {
		c.PutReviewer(k, v)
	}
	for k, v := range s.reviews.written {
		c.PutReview(k, v)
	}
	for k, v := range s.pairs.written {
		c.PutPair(k, v)
	}
	for k, v := range s.replies.written {
		c.PutReply(k, v)
	}
	for _, queue := range s.ranks {
		for r, present := range queue {
			c.PutRank(r, present)
		}
	}
	c.PutHead(s.head, s.rules)
}
