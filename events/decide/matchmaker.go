package decide

import (
	"shiplog/events"
)

// matchup decides a pair that is opened by hand. It is never refused for the
// number of matchups a tool has.
func (d *decider) matchup(p *events.MatchupOpened) {
	left, _, okLeft := d.tool("left", p.Left)
	right, _, okRight := d.tool("right", p.Right)
	if !okLeft || !okRight {
		return
	}
	if left == right {
		d.refuse("right", events.CodeSamePair, "a matchup needs two tools; %q stands on both sides", left)
		return
	}
	if seq, _ := d.s.Pair(PairOf(left, right)); seq != 0 {
		d.duplicate(seq, p.Type())
		return
	}
	with := *p
	with.Left, with.Right = left, right
	d.accept(&with)
}

// matchAfter runs the matchmaker where a review that moves from one verdict to
// another brings the tool to the quorum.
func (d *decider) matchAfter(slug string, t Tool, from, to events.Verdict) {
	before := t.Tally.N()
	t.Tally = t.Tally.With(from, to)
	if quorum := d.s.rules.Quorum; before < quorum && t.Tally.N() >= quorum {
		d.match(slug, t)
	}
}

// match pairs a tool that has come to the quorum, or to another category
// there, with the tools of its category at the quorum, those that reached it
// last first, until it has its fill. Full, merged and retired tools are in no
// queue (see [Tool.rank]). The matchmaker puts the slugs in order.
func (d *decider) match(slug string, t Tool) {
	rules := d.s.rules
	if rules.Matchmaking != events.MatchCategory || t.Category == "" || t.Retired {
		return
	}
	room := rules.MaxMatchupsPerTool - t.Matchups
	if room <= 0 {
		return
	}
	_ = d.s.Ranks(t.Category, func(r Rank) bool {
		pair := PairOf(slug, r.Tool)
		if seq, _ := d.s.Pair(pair); r.Tool == slug || seq != 0 {
			return true
		}
		d.derive(MatchmakerSource, pairName(pair), &events.MatchupOpened{Left: pair.A, Right: pair.B})
		room--
		return room > 0
	})
}
