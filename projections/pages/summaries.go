package pages

import (
	"slices"
	"strings"
)

// reviewsSummary says how many of a tool's reviews count: "Four count towards
// the verdict, one abstains; one was withdrawn."
func reviewsSummary(v ToolView) string {
	abstained, withdrawn := 0, 0
	for _, r := range v.Reviews {
		switch {
		case r.Review == nil:
			withdrawn++
		case r.Review.Verdict == "abstain":
			abstained++
		}
	}
	s := countTowards(v.Verdict.N)
	if abstained > 0 {
		s += ", " + words(abstained) + verb(abstained, " abstains", " abstain")
	}
	if withdrawn > 0 {
		s += "; " + words(withdrawn) + verb(withdrawn, " was withdrawn", " were withdrawn")
	}
	return s + "."
}

func countTowards(n int) string {
	if n == 0 {
		return "None counts towards a verdict"
	}
	return capital(words(n)) + verb(n, " counts", " count") + " towards the verdict"
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// waitsFor says how many reviews a tool still needs.
func waitsFor(v Verdict) string {
	missing := v.Quorum - v.N
	if v.Label != "Pending" || missing <= 0 {
		return ""
	}
	return capital(pluralWords(missing, "more review")) + verb(missing, " makes", " make") + " a verdict."
}

// differing counts the rows in which a reviewer ships only one of the two.
func differing(rows []CompareRow) int {
	n := 0
	for _, row := range rows {
		if row.Differs() {
			n++
		}
	}
	return n
}

// sharedSummary introduces the reviewers who judged both.
func sharedSummary(v CompareView) string {
	all, differ := len(v.Shared), differing(v.Shared)
	if v.OnlyDifferences && differ > 0 {
		return capital(words(differ)) + " of " + words(all) + verb(all, " row", " rows") + verb(differ, " differs.", " differ.")
	}
	switch {
	case all == 1 && differ == 1:
		return "The row differs."
	case all == 1:
		return "The row agrees."
	case differ == 0:
		return "In panel order. No row differs."
	case differ == all:
		return "In panel order. Every row differs."
	}
	return "In panel order. " + capital(pluralWords(differ, "row")) + verb(differ, " differs.", " differ.")
}

// stepCause says what the event behind a step of the chart was.
func stepCause(s Step) Sentence {
	switch s.Cause {
	case "ship", "skip", "abstain":
		return say(s.Reviewer.first(), " "+deed(s.Cause))
	case "revised":
		return say(s.Reviewer.first(), " revises, now "+deed(s.Now))
	case "withdrawn":
		return say(s.Reviewer.first(), " withdraws")
	case "rules":
		return say("The rules changed")
	}
	return say(capital(s.Cause))
}

// revisionTrail lists the verdicts a reviewer went through, oldest first:
// "2 revisions: skip, then ship".
func revisionTrail(r ToolReview) string {
	total := len(r.Revisions) + len(r.Older)
	if total == 1 {
		return "The withdrawn review: " + r.Revisions[0].Verdict
	}
	s := plural(total, "revision") + ": "
	if len(r.Older) > 0 {
		s += "the newest "
	}
	var verdicts []string
	for _, revision := range slices.Backward(r.Revisions) {
		verdicts = append(verdicts, revision.Verdict)
	}
	if r.Review == nil {
		verdicts = append(verdicts, "withdrawn")
	}
	return s + strings.Join(verdicts, ", then ")
}

// latestSentence tells the newest verdict change below its heading.
func latestSentence(c LatestChange) Sentence {
	var s Sentence
	switch c.Cause {
	case "review":
		s = say(c.Reviewer.first(), " gave a first review")
	case "revision":
		s = say(c.Reviewer.first(), " revised a review")
	case "withdrawal":
		s = say(c.Reviewer.first(), " withdrew a review")
	case "rules":
		s = say("The rules changed")
	default:
		s = say("Event ", linkEvent(c.Event.Seq), " changed the count")
	}
	if c.Reason != "" {
		s = say(s, ": “", Span{Text: c.Reason, Name: true}, "”")
		if last := c.Reason[len(c.Reason)-1]; last != '.' && last != '!' && last != '?' {
			s = say(s, ".")
		}
	} else {
		s = say(s, ".")
	}
	for i, m := range c.Moves {
		lead := " It also moves "
		if i > 0 {
			lead = " And "
		}
		s = say(s, lead, moveSentence(m), ".")
		if i == 1 && len(c.Moves) > 2 {
			rest := len(c.Moves) - 2
			return say(s, " "+capital(pluralWords(rest, "other matchup"))+verb(rest, " moves", " move")+" too.")
		}
	}
	return s
}

func moveSentence(m Move) Sentence {
	path := comparePath(m.Left.Slug, m.Right.Slug)
	pair := say(Span{Text: m.Left.display(), Name: true, Href: path}, Span{Text: " vs ", Href: path}, Span{Text: m.Right.display(), Name: true, Href: path})
	return say(pair, " from ", ResultLabel(m.From), " to ", ResultLabel(m.To))
}
