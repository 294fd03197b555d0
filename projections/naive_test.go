package projections_test

import (
	"shiplog/events"
)

// naive is the fold written down as the rules read: it keeps every event's
// outcome in plain maps and computes everything anew. Slow and obvious.
type naive struct {
	seated  map[string]bool
	tools   map[string]bool
	current map[[2]string]verdict // by tool and reviewer
	rules   events.Rules
	pairs   [][2]string
	labels  map[string]events.Label
	changes int
}

type verdict struct {
	v      events.Verdict
	counts bool
}

func newNaive() *naive {
	return &naive{
		seated: make(map[string]bool), tools: make(map[string]bool), current: make(map[[2]string]verdict),
		rules: events.DefaultRules(), labels: make(map[string]events.Label),
	}
}

func (n *naive) apply(seq uint64, p events.Payload) {
	switch p := p.(type) {
	case *events.ReviewerSeated:
		n.seated[p.Reviewer] = true
	case *events.ReviewerUnseated:
		n.seated[p.Reviewer] = false
	case *events.ToolRegistered:
		n.tools[p.Tool] = true
	case *events.RulesPublished:
		n.rules = p.Rules(seq)
	case *events.MatchupOpened:
		n.pairs = append(n.pairs, [2]string{p.Left, p.Right})
	case *events.ReviewSubmitted:
		n.say(p.Tool, p.Reviewer, p.Verdict)
	case *events.ReviewRevised:
		n.say(p.Tool, p.Reviewer, p.Verdict)
	case *events.ReviewWithdrawn:
		n.say(p.Tool, p.Reviewer, "")
	}
	for tool := range n.tools {
		was, is := n.label(tool), n.tally(tool).Label(n.rules.Quorum)
		if was != is {
			n.changes++
		}
		n.labels[tool] = is
	}
}

func (n *naive) say(tool, reviewer, v string) {
	n.current[[2]string{tool, reviewer}] = verdict{events.Verdict(v), n.seated[reviewer]}
}

func (n *naive) label(tool string) events.Label {
	if l, ok := n.labels[tool]; ok {
		return l
	}
	return events.LabelPending
}

func (n *naive) counted(tool, reviewer string) events.Verdict {
	if v := n.current[[2]string{tool, reviewer}]; v.counts {
		return v.v
	}
	return ""
}

func (n *naive) tally(tool string) (t events.Tally) {
	for reviewer := range n.seated {
		switch n.counted(tool, reviewer) {
		case events.Ship:
			t.Ships++
		case events.Skip:
			t.Skips++
		}
	}
	return t
}

// lone is the reviewer who alone disagrees with two or more.
func (n *naive) lone(tool string) string {
	dissent := n.tally(tool).LoneDissent()
	for reviewer := range n.seated {
		if dissent != "" && n.counted(tool, reviewer) == dissent {
			return reviewer
		}
	}
	return ""
}

func (n *naive) lones(reviewer string) (count int) {
	for tool := range n.tools {
		if n.lone(tool) == reviewer {
			count++
		}
	}
	return count
}

func (n *naive) rate(reviewer string) (t events.Tally) {
	for tool := range n.tools {
		switch n.counted(tool, reviewer) {
		case events.Ship:
			t.Ships++
		case events.Skip:
			t.Skips++
		}
	}
	return t
}

func (n *naive) result(left, right string) events.Result {
	var s events.Shared
	for reviewer := range n.seated {
		s.Add(n.counted(left, reviewer), n.counted(right, reviewer))
	}
	return events.Compare(s, n.label(left), n.label(right), n.rules.Quorum)
}
