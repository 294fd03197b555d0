package pages

// MatrixLead is the sentence over several tools side by side: who leads, and
// which of them still wait for reviews.
func MatrixLead(v MatrixView) Sentence {
	if len(v.Tools) == 2 && len(v.Pairs) == 1 {
		row := v.Pairs[0]
		return pairLead(pair{
			left: v.Tools[0], right: v.Tools[1], result: row.Result,
			toLeft: row.ToLeft, toRight: row.ToRight, quorum: v.Rules.Quorum,
		})
	}
	out := leader(v)
	for _, waiting := range waitingFor(v) {
		out = say(out, " ", waiting)
	}
	return out
}

// leader names the tool that leads in every pair of its own that can be
// compared. There may be two such tools only if they cannot be compared with
// each other; then none is named.
func leader(v MatrixView) Sentence {
	var best []Contender
	var pairs int
	compared := false
	for _, tool := range v.Tools {
		won, of := 0, 0
		for _, p := range v.Pairs {
			if p.Result.Kind == "not_comparable" || (p.Left.Slug != tool.Slug && p.Right.Slug != tool.Slug) {
				continue
			}
			compared = true
			of++
			if p.Result.Leader.Slug == tool.Slug {
				won++
			}
		}
		if of > 0 && won == of {
			best, pairs = append(best, tool), of
		}
	}
	switch {
	case !compared:
		return say("No two of these can be compared yet: a comparison needs " + pluralWords(v.Rules.Quorum, "reviewer") + " who judged both.")
	case len(best) != 1:
		return say("No tool leads in all of its pairs.")
	case pairs == 1:
		return say(nameOf(best[0].Ref), " leads in the one pair that can be compared.")
	case pairs == 2:
		return say(nameOf(best[0].Ref), " leads in both of its pairs.")
	}
	return say(nameOf(best[0].Ref), " leads in all "+words(pairs)+" of its pairs.")
}

func waitingFor(v MatrixView) []Sentence {
	var out []Sentence
	for _, tool := range v.Tools {
		if tool.Verdict.Label == "Pending" {
			out = append(out, say(nameOf(tool.Ref), " has "+words(tool.Verdict.N)+" of the "+pluralWords(tool.Verdict.Quorum, "review")+" it needs for a verdict."))
		}
	}
	return out
}

// MatrixHeading is the heading over several tools.
func MatrixHeading(v MatrixView) Sentence {
	if len(v.Tools) == 2 {
		return say(nameOf(v.Tools[0].Ref), " and ", nameOf(v.Tools[1].Ref), " side by side")
	}
	return say(capital(words(len(v.Tools))) + " tools side by side")
}
