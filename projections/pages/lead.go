package pages

// ResultLabel names the outcome of a comparison: "Leans Ferrule".
func ResultLabel(r Result) Sentence {
	switch r.Kind {
	case "level":
		return say("Level")
	case "leans":
		return say("Leans ", nameOf(r.Leader))
	case "favours":
		return say("Favours ", nameOf(r.Leader))
	case "too_close":
		return say("Too close to call")
	case "not_comparable":
		return say("Not comparable yet")
	}
	return say(capital(r.Kind))
}

// CompareLead is the sentence that answers a comparison page: the result, how
// many judged both, and who separates the two.
func CompareLead(v CompareView) Sentence {
	var toLeft, toRight []Reviewer
	for _, row := range v.Shared {
		if !row.Differs() {
			continue
		}
		if row.Left.counts() == "ship" {
			toLeft = append(toLeft, row.Reviewer)
		} else {
			toRight = append(toRight, row.Reviewer)
		}
	}
	return pairLead(pair{
		left: v.Left, right: v.Right, result: v.Result,
		toLeft: toLeft, toRight: toRight, quorum: v.Rules.Quorum,
	})
}

// pair is what the lead of a comparison is told from.
type pair struct {
	left, right     Contender
	result          Result
	toLeft, toRight []Reviewer
	quorum          int
}

func pairLead(p pair) Sentence {
	lead := say(ResultLabel(p.result), ".").strong()
	switch p.result.Kind {
	case "not_comparable":
		return say(lead, " ", notComparable(p.result.Shared, p.quorum))
	case "level":
		return say(lead, " ", p.level())
	case "too_close":
		return say(lead, " ", p.tooClose())
	}
	return say(lead, " ", p.separated())
}

func notComparable(shared, quorum int) Sentence {
	needs := "; a comparison needs " + words(quorum) + "."
	if shared == 0 {
		return say("No reviewer has judged both", needs)
	}
	return say(capital(pluralWords(shared, "reviewer")), " judged both", needs)
}

func (p pair) level() Sentence {
	shared := capital(pluralWords(p.result.Shared, "reviewer"))
	each := len(p.toLeft)
	if each == 0 {
		if p.result.Shared == 1 {
			return say(shared, " judged both, with the same verdict for each.")
		}
		return say(shared, " judged both and agree on both.")
	}
	return say(shared, " judged both and disagree ", times(2*each), ", ", times(each), " each way. ", p.ways(), ".")
}

// separated tells a lean or a favour.
func (p pair) separated() Sentence {
	judged := say(capital(pluralWords(p.result.Shared, "reviewer")), " judged both")
	all := append(append([]Reviewer{}, p.toLeft...), p.toRight...)
	switch {
	case len(all) == 0:
		return say(judged, ".")
	case len(p.toLeft) > 0 && len(p.toRight) > 0:
		return say(judged, ". ", p.ways(), ".")
	}
	ship, skip := p.left, p.right
	if len(p.toLeft) == 0 {
		ship, skip = p.right, p.left
	}
	verdicts := say(": ship for ", nameOf(ship.Ref), ", skip for ", nameOf(skip.Ref), ".")
	if len(all) == 1 {
		if p.result.Shared == 1 {
			return say("One reviewer judged both", verdicts)
		}
		return say(judged, ", and ", all[0].inner(), " alone separates them", verdicts)
	}
	if len(all) == p.result.Shared {
		return say(judged, ", and all separate them", verdicts)
	}
	return say(judged, ", and ", innerList(all), " separate them", verdicts)
}

// ways says who ships only which tool, when both ways occur.
func (p pair) ways() Sentence {
	return say(firstList(p.toLeft), shipOnly(len(p.toLeft)), nameOf(p.left.Ref), ", ",
		innerList(p.toRight), shipOnly(len(p.toRight)), nameOf(p.right.Ref))
}

func shipOnly(n int) string {
	if n == 1 {
		return " ships only "
	}
	return " ship only "
}

// tooClose says why the edge is not believed: the panels contradict it.
func (p pair) tooClose() Sentence {
	ahead, behind := p.left, p.right
	edge := p.result.Edge
	if edge < 0 {
		ahead, behind, edge = p.right, p.left, -edge
	}
	return say(capital(pluralWords(p.result.Shared, "reviewer")), " judged both and put ", nameOf(ahead.Ref), " ahead by ", words(edge),
		", yet the whole panel says ", ahead.Verdict.inWords(), " for ", nameOf(ahead.Ref),
		" and ", behind.Verdict.inWords(), " for ", nameOf(behind.Ref), ".")
}

func (v Verdict) inWords() string {
	switch v.Label {
	case "Ship":
		return "ship"
	case "Skip":
		return "skip"
	case "Split":
		return "split"
	}
	return "nothing yet"
}

// Separators says who separates a pair, for the table below a matrix.
func Separators(row PairRow) Sentence {
	if len(row.ToLeft)+len(row.ToRight) == 0 {
		return say("Nobody")
	}
	var out Sentence
	if len(row.ToLeft) > 0 {
		out = say(firstList(row.ToLeft), " to ", nameOf(row.Left))
	}
	if len(row.ToRight) > 0 {
		if out == nil {
			return say(firstList(row.ToRight), " to ", nameOf(row.Right))
		}
		out = say(out, ", ", innerList(row.ToRight), " to ", nameOf(row.Right))
	}
	return out
}
