package decide

import (
	"cmp"
	"slices"

	"shiplog/events"
)

// compareRanks orders a queue: latest to reach the quorum first, ties by slug.
func compareRanks(a, b Rank) int {
	return cmp.Or(cmp.Compare(b.Reached, a.Reached), cmp.Compare(a.Tool, b.Tool))
}

// rank is the tool's place in the queue for matchups; ok is false while it has
// none: below the quorum, without a category, merged, retired or full.
func (t *Tool) rank(slug string, rules events.Rules) (Rank, bool) {
	ok := t.Reached > 0 && t.Category != "" && t.Merged == "" && !t.Retired && t.Matchups < rules.MaxMatchupsPerTool
	return Rank{Category: t.Category, Reached: t.Reached, Tool: slug}, ok
}

// putTool writes a tool and moves it in its category's queue, if its place there
// is another one.
func (s *State) putTool(slug string, t Tool) {
	old, known, _ := s.Tool(slug)
	s.tools.put(slug, t)
	from, was := old.rank(slug, s.rules)
	to, is := t.rank(slug, s.rules)
	was = was && known
	if was && is && from == to {
		return
	}
	if was {
		s.putRank(from, false)
	}
	if is {
		s.putRank(to, true)
	}
}

func (s *State) putRank(r Rank, present bool) {
	queue := s.ranks[r.Category]
	if queue == nil {
		queue = map[Rank]bool{}
		s.ranks[r.Category] = queue
	}
	queue[r] = present
}

// Ranks implements [Base]: the layer's own changes merged into the base's
// queue.
func (s *State) Ranks(category string, fn func(Rank) bool) error {
	changed := s.ranks[category]
	own := make([]Rank, 0, len(changed))
	for r, present := range changed {
		if present {
			own = append(own, r)
		}
	}
	slices.SortFunc(own, compareRanks)
	more := true
	// before hands on the layer's own ranks that come before one of the base.
	before := func(limit *Rank) {
		for more && len(own) > 0 && (limit == nil || compareRanks(own[0], *limit) < 0) {
			more = fn(own[0])
			own = own[1:]
		}
	}
	if s.base != nil {
		s.keep(s.base.Ranks(category, func(r Rank) bool {
			if _, ours := changed[r]; ours {
				return more
			}
			if before(&r); more {
				more = fn(r)
			}
			return more
		}))
	}
	before(nil)
	return s.err
}

// rerank puts every tool in its place again after the rules have changed: who
// is at the quorum, and who is full, may be others now. A tool that is at the
// quorum by the rules alone reached it at their sequence.
func (s *State) rerank(rules events.Rules) {
	type entry struct {
		slug string
		tool Tool
	}
	var all []entry
	_ = s.Tools(func(slug string, t Tool) bool {
		all = append(all, entry{slug, t})
		return true
	})
	old := s.rules
	for _, e := range all {
		if r, ok := e.tool.rank(e.slug, old); ok {
			s.putRank(r, false)
		}
	}
	s.rules = rules
	for _, e := range all {
		e.tool.reach(rules, rules.Seq)
		s.tools.put(e.slug, e.tool)
		if r, ok := e.tool.rank(e.slug, rules); ok {
			s.putRank(r, true)
		}
	}
}

// reach notes at which sequence the tool came to the quorum, or that it is
// below.
func (t *Tool) reach(rules events.Rules, seq uint64) {
	switch at := t.Tally.N() >= rules.Quorum; {
	case !at:
		t.Reached = 0
	case t.Reached == 0:
		t.Reached = seq
	}
}
