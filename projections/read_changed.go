package projections

import (
	"context"
	"fmt"
)

// ChangedFeeds are the feeds that some events changed: which of the feeds of
// everything, and of what the others, by slug.
type ChangedFeeds struct {
	Matchups, Verdicts, Reviews  bool
	Tools, Reviewers, Categories []string
}

// changedFeeds finds them from what was put into the tables after ?2, however much
// that is, each once. What matchups show of a tool is its reviews, its name and that
// of the tool it was merged into; a tool's items stand in the feeds of all categories
// it was ever in. A reviewer's name and seat stand in the items of all tools it ever
// reviewed, and rules in those of all there are.
const changedFeeds = `WITH
	reviewed AS (SELECT DISTINCT tool, reviewer FROM reviews WHERE seq > ?2 AND seq <= ?1),
	described AS (SELECT DISTINCT tool FROM tool_versions WHERE seq > ?2 AND seq <= ?1),
	renamed AS (SELECT DISTINCT v.tool FROM tool_versions v CROSS JOIN tools t ON t.id = v.tool AND t.seq <= ?2
		WHERE v.seq > ?2 AND v.seq <= ?1 AND v.named > ?2),
	reseated AS (SELECT DISTINCT v.reviewer FROM reviewer_versions v CROSS JOIN reviewers p ON p.id = v.reviewer AND p.seq <= ?2
		WHERE v.seq > ?2 AND v.seq <= ?1),
	ruled AS (SELECT seq FROM rules WHERE seq > ?2 AND seq <= ?1),
	touched AS (SELECT tool FROM reviewed UNION SELECT tool FROM described
		UNION SELECT s.tool FROM reseated r CROSS JOIN stances s ON s.reviewer = r.reviewer AND s.seq <= ?1
		UNION SELECT t.id FROM (SELECT 1 FROM ruled LIMIT 1) CROSS JOIN tools t WHERE t.seq <= ?1),
	quoted AS (SELECT tool FROM touched
		UNION SELECT v.tool FROM renamed n CROSS JOIN tool_versions v ON v.into_tool = n.tool AND v.into_tool > 0 AND v.seq <= ?1 AND v.until > ?1),
	pairs AS (SELECT left_tool AS a, right_tool AS b, category FROM matchups WHERE seq > ?2 AND seq <= ?1
		UNION SELECT m.left_tool, m.right_tool, m.category FROM quoted q CROSS JOIN matchups m ON m.left_tool = q.tool AND m.seq <= ?1
		UNION SELECT m.left_tool, m.right_tool, m.category FROM quoted q CROSS JOIN matchups m ON m.right_tool = q.tool AND m.seq <= ?1)
	SELECT 'matchups', '' WHERE EXISTS (SELECT 1 FROM pairs) OR EXISTS (SELECT 1 FROM ruled)
		OR EXISTS (SELECT 1 FROM renamed) OR EXISTS (SELECT 1 FROM reseated)
	UNION ALL SELECT 'verdicts', '' WHERE EXISTS (SELECT 1 FROM reviewed) OR EXISTS (SELECT 1 FROM ruled)
		OR EXISTS (SELECT 1 FROM renamed) OR EXISTS (SELECT 1 FROM reseated)
	UNION ALL SELECT 'reviews', '' WHERE EXISTS (SELECT 1 FROM reviewed)
		OR EXISTS (SELECT 1 FROM renamed) OR EXISTS (SELECT 1 FROM reseated)
	UNION ALL SELECT 'tool', slug FROM tools WHERE id IN (SELECT tool FROM touched UNION SELECT a FROM pairs UNION SELECT b FROM pairs)
	UNION ALL SELECT 'reviewer', slug FROM reviewers WHERE id IN (SELECT reviewer FROM reviewed
		UNION SELECT reviewer FROM reviewer_versions WHERE seq > ?2 AND seq <= ?1
		UNION SELECT s.reviewer FROM renamed n CROSS JOIN stances s ON s.tool = n.tool AND s.seq <= ?1)
	UNION ALL SELECT 'category', slug FROM categories WHERE id IN (SELECT category FROM pairs
		UNION SELECT v.category FROM touched x CROSS JOIN tool_versions v ON v.tool = x.tool AND v.seq <= ?1)`

// ChangedFeeds are the feeds that have an item of an event after the one at after,
// or one that may show what it changed.
func (s *Snapshot) ChangedFeeds(ctx context.Context, after uint64) (*ChangedFeeds, error) {
	changed := new(ChangedFeeds)
	err := s.list(ctx, changedFeeds, []any{after}, func(r *row) {
		switch kind, slug := r.text(), r.text(); kind {
		case "matchups":
			changed.Matchups = true
		case "verdicts":
			changed.Verdicts = true
		case "reviews":
			changed.Reviews = true
		case "tool":
			changed.Tools = append(changed.Tools, slug)
		case "reviewer":
			changed.Reviewers = append(changed.Reviewers, slug)
		case "category":
			changed.Categories = append(changed.Categories, slug)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("feeds changed after event %d: %w", after, err)
	}
	return changed, nil
}
