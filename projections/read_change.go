package projections

import (
	"context"
	"fmt"
	"strings"
)

// Stats are counts.
func (s *Snapshot) Stats(ctx context.Context) (Stats, error) {
	stats := Stats{Events: s.at}
	err := s.list(ctx, `SELECT
		(SELECT sum(pending + ships + skips + splits) FROM (`+allTotals+`)),
		(SELECT count(*) FROM reviewer_versions WHERE seq <= ?1 AND until > ?1 AND former = 0),
		(SELECT count(*) FROM reviewer_versions WHERE seq <= ?1 AND until > ?1 AND former > 0),
		(SELECT sum(ships + skips + abstains) FROM reviewers p
			CROSS JOIN scores c ON c.reviewer = p.id AND c.seq = (SELECT max(seq) FROM scores WHERE reviewer = p.id AND seq <= ?1)),
		(SELECT ord FROM matchups WHERE seq <= ?1 ORDER BY seq DESC LIMIT 1),
		(SELECT id FROM changes WHERE seq <= ?1 ORDER BY seq DESC, id DESC LIMIT 1)`, nil, func(r *row) {
		stats.Tools, stats.Seated, stats.Former, stats.Reviews = r.int(), r.int(), r.int(), r.int()
		stats.Matchups, stats.VerdictChanges = r.int(), r.int()
	})
	if err != nil {
		return Stats{}, fmt.Errorf("count: %w", err)
	}
	return stats, nil
}

// Scope is a part of the model that can change.
type Scope string

// The scopes of [Snapshot.LastChange]. A list changes also by what leaves it.
const (
	ScopeAll       Scope = "all"
	ScopeTools     Scope = "tools"     // any tool's facts, counts or label
	ScopeReviewers Scope = "reviewers" // any reviewer's facts or counts
	ScopeMatchups  Scope = "matchups"  // any matchup or its result
	ScopeVerdicts  Scope = "verdicts"  // any label, any tool's facts
	ScopeRules     Scope = "rules"
	ScopeTool      Scope = "tool"     // of a slug: facts, reviews, replies, merges into it
	ScopeReviewer  Scope = "reviewer" // of a slug: facts, reviews, lone dissents
	ScopeCategory  Scope = "category" // of a slug: its tools, their verdicts, their matchups
	ScopeMembers   Scope = "members"  // of a category's slug: which tools are in it, and what is known of them
)

// Parts of the queries of the scopes: the last event up to ?1 of a table.
const (
	lastTools     = `(SELECT max(seq) FROM tool_versions WHERE seq <= ?1)`
	lastSeats     = `(SELECT max(seq) FROM reviewer_versions WHERE seq <= ?1)`
	lastReviews   = `(SELECT max(seq) FROM reviews WHERE seq <= ?1)`
	lastRules     = `(SELECT max(seq) FROM rules WHERE seq <= ?1)`
	lastMatchups  = `(SELECT max(seq) FROM matchups WHERE seq <= ?1)`
	lastChanges   = `(SELECT max(seq) FROM changes WHERE seq <= ?1)`
	lastOfTool    = `(SELECT max(seq) FROM tool_versions WHERE tool = ?2 AND seq <= ?1)`
	lastReview    = `(SELECT max(seq) FROM stances WHERE tool = ?2 AND seq <= ?1)`
	lastReply     = `(SELECT max(seq) FROM replies WHERE tool = ?2 AND seq <= ?1)`
	lastRelabel   = `(SELECT max(seq) FROM changes WHERE tool = ?2 AND seq <= ?1)`
	lastMerged    = `(SELECT max(seq) FROM tool_versions WHERE into_tool = ?2 AND into_tool > 0 AND seq <= ?1)`
	lastUnmerged  = `(SELECT max(until) FROM tool_versions WHERE into_tool = ?2 AND into_tool > 0 AND until <= ?1)`
	lastMerge     = `(SELECT max(merged) FROM tool_versions WHERE into_tool > 0 AND seq <= ?1)`
	lastUnmerge   = `(SELECT max(until) FROM tool_versions WHERE into_tool > 0 AND until <= ?1)`
	lastOfSeat    = `(SELECT max(seq) FROM reviewer_versions WHERE reviewer = ?2 AND seq <= ?1)`
	lastScore     = `(SELECT max(seq) FROM scores WHERE reviewer = ?2 AND seq <= ?1)`
	lastJoined    = `(SELECT max(seq) FROM tool_versions WHERE category = ?2 AND seq <= ?1)`
	lastLeft      = `(SELECT max(until) FROM tool_versions WHERE category = ?2 AND until <= ?1)`
	lastTally     = `(SELECT max(y.seq) FROM tool_versions v JOIN tallies y ON y.tool = v.tool AND y.seq <= ?1 WHERE v.category = ?2 AND v.seq <= ?1 AND v.until > ?1)`
	lastRelabeled = `(SELECT max(c.seq) FROM tool_versions v JOIN changes c ON c.tool = v.tool AND c.seq <= ?1 WHERE v.category = ?2 AND v.seq <= ?1 AND v.until > ?1)`
	lastPaired    = `(SELECT max(seq) FROM shared_categories WHERE category = ?2 AND seq <= ?1)`
	lastUnpaired  = `(SELECT max(until) FROM shared_categories WHERE category = ?2 AND until <= ?1)`
)

func (scope Scope) parts() []string {
	switch scope {
	case ScopeTools:
		return []string{lastTools, lastReviews, lastRules}
	case ScopeReviewers:
		return []string{lastSeats, lastReviews, lastMerge, lastUnmerge}
	case ScopeMatchups:
		return []string{lastMatchups, lastTools, lastReviews, lastRules}
	case ScopeVerdicts:
		return []string{lastChanges, lastTools}
	case ScopeRules:
		return []string{lastRules}
	case ScopeTool:
		return []string{lastOfTool, lastReview, lastReply, lastRelabel, lastMerged, lastUnmerged}
	case ScopeReviewer:
		return []string{lastOfSeat, lastScore}
	case ScopeMembers:
		return []string{lastJoined, lastLeft}
	case ScopeCategory:
		return []string{lastJoined, lastLeft, lastTally, lastRelabeled, lastPaired, lastUnpaired}
	}
	return nil
}

// LastChange is the last event that changed anything in a scope; zero when none
// ever did. Of a page it is to be combined by [Stamp.Later] with the Changed of
// what else it shows. The slug is of [ScopeTool], [ScopeReviewer], [ScopeCategory]
// and [ScopeMembers].
func (s *Snapshot) LastChange(ctx context.Context, scope Scope, slug string) (Stamp, error) {
	if scope == ScopeAll {
		stamp, _, err := s.Event(ctx, s.at)
		return stamp, err
	}
	var args []any
	var err error
	switch scope {
	case ScopeTool:
		_, arg, errTool := s.narrow(ctx, FeedFilter{Tool: slug})
		args, err = []any{arg}, errTool
	case ScopeReviewer:
		_, arg, errReviewer := s.narrow(ctx, FeedFilter{Reviewer: slug})
		args, err = []any{arg}, errReviewer
	case ScopeCategory, ScopeMembers:
		_, arg, errCategory := s.narrow(ctx, FeedFilter{Category: slug})
		args, err = []any{arg}, errCategory
	}
	if err != nil {
		return Stamp{}, err
	}
	last, parts := uint64(0), scope.parts()
	if err := s.list(ctx, `SELECT `+strings.Join(parts, `, `), args, func(r *row) { last = r.latest(len(parts)) }); err != nil {
		return Stamp{}, fmt.Errorf("last change of %s %q: %w", scope, slug, err)
	}
	if last == 0 {
		return Stamp{}, nil
	}
	stamp, _, err := s.Event(ctx, last)
	return stamp, err
}

// LastOfTools is the sequence of the last event in [ScopeTool] of each of some
// tools. What is no tool's slug is left out.
func (s *Snapshot) LastOfTools(ctx context.Context, slugs []string) (map[string]uint64, error) {
	parts := ScopeTool.parts()
	query := `SELECT t.slug, ` + strings.ReplaceAll(strings.Join(parts, `, `), `?2`, `t.id`) + `
		FROM json_each(?2) j CROSS JOIN tools t ON t.slug = j.value WHERE t.seq <= ?1`
	last := make(map[string]uint64, len(slugs))
	err := s.list(ctx, query, []any{jsonList(slugs)}, func(r *row) { last[r.text()] = r.latest(len(parts)) })
	if err != nil {
		return nil, fmt.Errorf("last changes of tools: %w", err)
	}
	return last, nil
}

// latest is the last sequence in the next columns.
func (r *row) latest(columns int) (last uint64) {
	for range columns {
		last = max(last, r.seq())
	}
	return last
}
