package projections_test

import (
	"shiplog/events"
)

// naive is the fold written down as the rules read: it keeps every event's
// outcome in plain maps and computes everything anew. Slow and obvious.
type naive struct {
	seated  map[string]bool
	tools   map[string]bool
	place   map[string]string // category of a tool
	retired map[string]bool
	merged  map[string]int        // quorum in force then
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
		seated: make(map[string]bool), tools: make(map[string]bool), place: make(map[string]string),
		retired: make(map[string]bool), merged: make(map[string]int), current: make(map[[2]string]verdict),
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
		n.tools[p.Tool], n.retired[p.Tool] = true, false
		if p.Category != "" { // absent keeps
			n.place[p.Tool] = p.Category
		}
	case *events.ToolRetired:
		n.retired[p.Tool] = true
	case *events.ToolMerged:
		n.merged[p.Tool] = n.rules.Quorum
	case *events.ToolUnmerged:
		delete(n.merged, p.Tool)
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
		if _, ok := n.merged[tool]; ok {
			continue // its label is told when it is one no longer
		}
		was, is := n.labels[tool], n.tally(tool).Label(n.rules.Quorum)
		if was == "" {
			was = events.LabelPending
		}
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
	quorum, ok := n.merged[tool]
	if !ok {
		quorum = n.rules.Quorum
	}
	return n.tally(tool).Label(quorum)
}

// listed are the current tools of a category with a label, of all for "".
func (n *naive) listed(category string, label events.Label) (count int) {
	for tool := range n.tools {
		_, merged := n.merged[tool]
		if !merged && !n.retired[tool] && (category == "" || n.place[tool] == category) && n.label(tool) == label {
			count++
		}
	}
	return count
}

// shared are the matchups of two tools of a category.
func (n *naive) shared(category string) (count int) {
	for _, pair := range n.pairs {
		if n.place[pair[0]] == category && n.place[pair[1]] == category {
			count++
		}
	}
	return count
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
	if _, ok := n.merged[tool]; ok {
		return ""
	}
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
		if _, ok := n.merged[tool]; ok {
			continue
		}
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
	return events.Compare(s, n.tally(left).Label(n.rules.Quorum), n.tally(right).Label(n.rules.Quorum), n.rules.Quorum)
}
