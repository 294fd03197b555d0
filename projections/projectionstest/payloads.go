package projectionstest

import "shiplog/events"

// Seat seats a reviewer named like the slug.
func Seat(reviewer string) *events.ReviewerSeated {
	return &events.ReviewerSeated{Reviewer: reviewer, Name: Name(reviewer)}
}

// Tool registers a tool named like the slug.
func Tool(tool, category string) *events.ToolRegistered {
	return &events.ToolRegistered{Tool: tool, Name: Name(tool), Category: category}
}

// Review is a first review.
func Review(tool, reviewer string, verdict events.Verdict) *events.ReviewSubmitted {
	return &events.ReviewSubmitted{Review: review(tool, reviewer, verdict, "")}
}

// Revise is a revision of the review recorded at replaces.
func Revise(tool, reviewer string, verdict events.Verdict, revision int64, replaces uint64) *events.ReviewRevised {
	return &events.ReviewRevised{Review: review(tool, reviewer, verdict, " again"), Revision: revision, Replaces: int64(replaces)}
}

func review(tool, reviewer string, verdict events.Verdict, more string) events.Review {
	return events.Review{
		Tool: tool, Reviewer: reviewer, Verdict: string(verdict),
		Body: Name(reviewer) + " on " + Name(tool) + more + ": " + string(verdict),
	}
}

// Withdraw withdraws a review.
func Withdraw(tool, reviewer string) *events.ReviewWithdrawn {
	return &events.ReviewWithdrawn{Tool: tool, Reviewer: reviewer, Reason: "no longer true"}
}

// Match opens a matchup.
func Match(left, right string) *events.MatchupOpened {
	return &events.MatchupOpened{Left: left, Right: right}
}

// Quorum publishes rules with a quorum.
func Quorum(n int64) *events.RulesPublished {
	return &events.RulesPublished{Version: 1, Quorum: n}
}

// Name is the name of a slug: its first letter large.
func Name(slug string) string {
	if slug == "" {
		return ""
	}
	return string(slug[0]-'a'+'A') + slug[1:]
}
