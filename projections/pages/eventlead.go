package pages

import "strings"

// EventLead tells an event in a sentence with links, for its page.
func EventLead(f EventFacts) Sentence {
	lead := say(eventSubject(f, true), ".")
	if f.Unknown {
		return say(lead, " This version of Shiplog does not know it.")
	}
	switch kindOf(f.Type) {
	case "review.revised":
		lead = say(lead, " This is revision "+number(f.Revision)+"; it replaces ", linkEvent(f.Replaces), ".")
	case "reviewer.unseated":
		lead = say(lead, " What was said before keeps counting.")
	case "reply.published":
		if f.Replaces != 0 {
			lead = say(lead, " It replaces ", linkEvent(f.Replaces), ".")
		}
	case "event.skipped":
		lead = say(lead, " Every node and every rebuild passes it over alike.")
	case "tool.merged":
		lead = say(lead, " Its page and feeds lead there now, and its reviews are shown there uncounted.")
	}
	return lead
}

// EventHeadline tells an event in a few plain words, for lists and the pager.
func EventHeadline(f EventFacts) Sentence { return eventSubject(f, false) }

// eventSubject is the core of both, without the full stop.
func eventSubject(f EventFacts, links bool) Sentence {
	if f.Unknown {
		return say("An event of type " + f.Type)
	}
	ref := nameOf
	event := func(seq uint64) Span { return Span{Text: "#" + seqText(seq)} }
	if links {
		ref, event = linkTo, linkEvent
	}
	switch kindOf(f.Type) {
	case "review.submitted":
		return reviewed(f, ref)
	case "review.revised":
		return revised(f, ref)
	case "review.withdrawn":
		s := say(f.Reviewer.first(), " withdrew the review of ", ref(f.Tool))
		if f.Of != 0 {
			s = say(s, ", ", event(f.Of))
		}
		return s
	case "reply.published":
		if f.Author != "" {
			return say(Span{Text: f.Author, Name: true}, " replied for ", ref(f.Tool))
		}
		return say("The maker of ", ref(f.Tool), " replied")
	case "matchup.opened":
		s := say(ref(f.Left), " ", "vs", " ", ref(f.Right), " was opened")
		if f.Derived {
			s = say(s, " by the matchmaker")
		}
		return s
	case "event.skipped":
		return say("An operator had event ", event(f.Skipped), " skipped")
	}
	return entrySubject(f, ref)
}

// entrySubject tells events about the ledger, its rules, tools and reviewers.
func entrySubject(f EventFacts, ref func(Ref) Span) Sentence {
	switch kindOf(f.Type) {
	case "ledger.opened":
		return say("The ledger was opened")
	case "rules.published":
		return say("Rules were published: " + rulesInWords(f.Rules))
	case "reviewer.seated":
		if f.Again {
			return say("The entry of ", f.Reviewer.inner(), " was updated")
		}
		return say(f.Reviewer.first(), " took a seat on the panel")
	case "reviewer.unseated":
		return say(f.Reviewer.first(), " left the panel")
	case "tool.registered":
		if f.Again {
			return say("The entry of ", ref(f.Tool), " was updated")
		}
		return say(ref(f.Tool), " was registered")
	case "tool.merged":
		return say(ref(f.Tool), " was merged into ", ref(f.Into))
	case "tool.unmerged":
		return say(ref(f.Tool), " was parted from ", ref(f.Into), " again")
	case "tool.retired":
		return say(ref(f.Tool), " was retired")
	}
	return say("An event of type " + f.Type)
}

func reviewed(f EventFacts, ref func(Ref) Span) Sentence {
	if f.Verdict == "abstain" {
		return say(f.Reviewer.first(), " abstained on ", ref(f.Tool))
	}
	return say(f.Reviewer.first(), " reviewed ", ref(f.Tool), ": ", Span{Text: reviewLabel(f.Verdict), Mark: true})
}

func revised(f EventFacts, ref func(Ref) Span) Sentence {
	s := say(f.Reviewer.first(), " revised the review of ", ref(f.Tool), ": ")
	now := Span{Text: reviewLabel(f.Verdict), Mark: true}
	switch f.Was {
	case f.Verdict:
		return say(s, "still ", now)
	case "": // after a withdrawal
		return say(s, now)
	}
	now.Was = reviewLabel(f.Was)
	return say(s, now)
}

func kindOf(eventType string) string {
	kind := strings.TrimPrefix(eventType, "shiplog.")
	if i := strings.LastIndex(kind, ".v"); i > 0 {
		kind = kind[:i]
	}
	return kind
}

// rulesInWords tells one set of rules: "version 1, quorum 3, matchups by
// category, at most 8 a tool".
func rulesInWords(r Rules) string {
	s := "version " + number(r.Version) + ", quorum " + number(r.Quorum)
	if r.Matchmaking == "manual" {
		return s + ", matchups by hand"
	}
	return s + ", matchups by category, at most " + number(r.MaxMatchups) + " a tool"
}
