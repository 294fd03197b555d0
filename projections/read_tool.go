package projections

import (
	"context"
	"encoding/json"
	"fmt"

	"shiplog/events"
)

// toolColumns are read by [Snapshot.scanTool]. ?1 is the position.
var toolColumns = `t.id, t.slug, t.publisher, ` + stamped("t.seq") + `,
	v.name, v.tagline, v.description, v.homepage, v.pricing, v.pricing_note,
	(SELECT slug FROM categories WHERE id = v.category), ` + stamped("v.seq") + `, ` + stamped("v.named") + `,
	` + stamped("v.merged") + `, v.merge_reason, i.slug, iv.name, ` + stamped("iv.named") + `,
	` + stamped("v.retired") + `, v.retire_reason, v.retired_by, ` + stamped("v.freed") + `,
	y.ships, y.skips, y.abstains, y.ship_sum, y.skip_sum, ` + stamped("y.seq") + `,
	` + stamped("c.seq") + `, c.was`

// toolTables join what is current of a tool t at the position. Joins are CROSS
// where SQLite must not turn them round: it does not know that only a few tools
// are wanted.
func (s *Snapshot) toolTables() string {
	return ` CROSS JOIN tool_versions v ON v.tool = t.id AND ` + s.holds("v") + `
	LEFT JOIN tallies y ON y.tool = t.id AND y.seq = (SELECT max(seq) FROM tallies WHERE tool = t.id AND seq <= ?1)
	LEFT JOIN changes c ON c.id = (SELECT id FROM changes WHERE tool = t.id AND seq <= ?1 ORDER BY seq DESC LIMIT 1)
	LEFT JOIN tools i ON i.id = v.into_tool
	LEFT JOIN tool_versions iv ON iv.tool = i.id AND ` + s.holds("iv") + ` `
}

// toolRow is a tool with its number and that of its lone dissenter.
type toolRow struct {
	Tool
	id, lone int64
}

func (s *Snapshot) scanTool(r *row) toolRow {
	var t toolRow
	t.id, t.Slug, t.Publisher, t.Registered = r.id(), r.text(), r.text(), r.stamp()
	t.Name, t.Tagline, t.Description, t.Homepage, t.Pricing, t.PricingNote = r.text(), r.text(), r.text(), r.text(), r.text(), r.text()
	t.Category, t.Facts, t.Named = r.text(), r.stamp(), r.stamp()
	merge := Merge{Event: r.stamp(), Reason: r.text(), Into: Ref{r.text(), r.text()}, Named: r.stamp()}
	if merge.Event.Seq != 0 {
		t.Merged = &merge
	}
	retired := Removal{Event: r.stamp(), Reason: r.text(), Publisher: r.text()}
	if retired.Event.Seq != 0 {
		t.Retired = &retired
	}
	t.Shown = t.Named.Later(merge.Event).Later(retired.Event).Later(r.stamp())
	t.Verdict = Verdict{Tally: events.Tally{Ships: r.int(), Skips: r.int()}, Abstains: r.int(), Quorum: s.quorum()}
	if t.Merged != nil {
		t.Verdict.Quorum = s.quorumOf(merge.Event.Seq) // rules published since are not for it
	}
	t.Verdict.Label = t.Verdict.Tally.Label(t.Verdict.Quorum)
	state := toolState{tally: t.Verdict.Tally, shipSum: r.id(), skipSum: r.id()}
	if t.Merged == nil {
		t.lone = state.lone()
	}
	t.Judged = r.stamp()
	t.Since, t.Before = r.stamp(), labelOf(r.int())
	if t.Since.Seq == 0 {
		t.Before = ""
	}
	t.Judged = t.Judged.Later(t.Since)
	if t.Merged != nil {
		return t
	}
	t.Judged = t.Judged.Later(s.quorumChange(max(t.Judged.Seq, t.Registered.Seq), func(before, after int) bool {
		return t.Verdict.Text(before) != t.Verdict.Text(after)
	}))
	return t
}

// tools reads tools; the query goes on behind the tables of a tool.
func (s *Snapshot) tools(ctx context.Context, from, rest string, args ...any) ([]toolRow, error) {
	var list []toolRow
	err := s.list(ctx, `SELECT `+toolColumns+` FROM `+from+s.toolTables()+rest, args, func(r *row) {
		list = append(list, s.scanTool(r))
	})
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].lone
	}
	if err := s.meet(ctx, ids); err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].lone != 0 {
			list[i].Lone = &Ref{s.known[list[i].lone].Slug, s.known[list[i].lone].Name}
		}
	}
	return list, nil
}

// toolID is the number of a tool by slug or alias.
func (s *Snapshot) toolID(ctx context.Context, slug string) (id int64, err error) {
	read := func(query string) {
		if err == nil && id == 0 {
			err = s.list(ctx, query, []any{slug}, func(r *row) { id = r.id() })
		}
	}
	read(`SELECT id FROM tools WHERE slug = ?2 AND seq <= ?1`)
	read(`SELECT tool FROM aliases WHERE alias = ?2 AND seq <= ?1 AND until > ?1`)
	if err == nil && id == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return 0, fmt.Errorf("tool %q: %w", slug, err)
	}
	return id, nil
}

// Tool is a tool by its slug or an alias: Slug differs from what was asked for
// an alias, Merged is set for a duplicate.
func (s *Snapshot) Tool(ctx context.Context, slug string) (*Tool, error) {
	t, err := s.toolRow(ctx, slug)
	if err != nil {
		return nil, err
	}
	return &t.Tool, nil
}

func (s *Snapshot) toolRow(ctx context.Context, slug string) (*toolRow, error) {
	id, err := s.toolID(ctx, slug)
	if err != nil {
		return nil, err
	}
	list, err := s.tools(ctx, `tools t`, `WHERE t.id = ?2`, id)
	if err == nil {
		err = s.list(ctx, `SELECT alias FROM aliases WHERE tool = ?2 AND seq <= ?1 AND until > ?1 ORDER BY alias`, []any{id}, func(r *row) {
			list[0].Aliases = append(list[0].Aliases, r.text())
		})
	}
	if err != nil {
		return nil, fmt.Errorf("tool %q: %w", slug, err)
	}
	return &list[0], nil
}

// ToolFilter chooses tools. They come by slug.
type ToolFilter struct {
	Category string
	Label    events.Label
	All      bool   // merged and retired ones too
	After    string // only slugs after this one
	Offset   int
	Limit    int // 0 means 50
}

// chosen is SQL for the numbers of the tools of the filter, all that match but
// for After, Offset and Limit: they need few columns, and only the tools of one
// page are to be read in full.
func (s *Snapshot) chosen(f ToolFilter, columns string) (query string, args []any) {
	from, where := `tools t`, ` WHERE 1`
	if f.Category != "" {
		args = append(args, f.Category)
		from = `(SELECT tool FROM tool_versions c WHERE category = (SELECT id FROM categories WHERE slug = ?2) AND ` + s.holds("c") + `) w
			CROSS JOIN tools t ON t.id = w.tool`
	}
	if !f.All {
		where += ` AND v.into_tool = 0 AND v.retired = 0`
	}
	if f.Label != "" {
		where += fmt.Sprintf(` AND coalesce((SELECT now FROM changes WHERE tool = t.id AND seq <= ?1 ORDER BY seq DESC LIMIT 1), %d) = %d`,
			numPending, numberOfLabel(f.Label))
	}
	return `SELECT ` + columns + ` FROM ` + from + ` CROSS JOIN tool_versions v ON v.tool = t.id AND ` + s.holds("v") + where, args
}

// Tools lists tools; total counts all that match but for After, Offset, Limit.
func (s *Snapshot) Tools(ctx context.Context, f ToolFilter) (list []Tool, total int, err error) {
	if total, err = s.toolTotal(ctx, f); err != nil {
		return nil, 0, fmt.Errorf("count tools: %w", err)
	}
	query, args := s.chosen(f, `t.id`)
	if f.After != "" {
		args = append(args, f.After)
		query += fmt.Sprintf(` AND t.slug > ?%d`, len(args)+1)
	}
	args = append(args, limit(f.Limit), f.Offset)
	query += fmt.Sprintf(` ORDER BY t.slug LIMIT ?%d OFFSET ?%d`, len(args), len(args)+1)
	rows, err := s.tools(ctx, `(`+query+`) w CROSS JOIN tools t ON t.id = w.id`, `ORDER BY t.slug`, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list tools: %w", err)
	}
	return plain(rows), total, nil
}

// toolTotal counts tools. Of current ones there are counts.
func (s *Snapshot) toolTotal(ctx context.Context, f ToolFilter) (total int, err error) {
	if f.All {
		query, args := s.chosen(f, `count(*)`)
		return total, s.list(ctx, query, args, func(r *row) { total = r.int() })
	}
	labels, err := s.Labels(ctx, f.Category)
	for _, l := range labels {
		if f.Label == "" || f.Label == l.Label {
			total += l.Tools
		}
	}
	return total, err
}

func plain(rows []toolRow) []Tool {
	list := make([]Tool, len(rows))
	for i := range rows {
		list[i] = rows[i].Tool
	}
	return list
}

func limit(n int) int {
	if n <= 0 {
		return 50
	}
	return n
}

// NewestTools are the current tools registered last, newest first.
func (s *Snapshot) NewestTools(ctx context.Context, n int) ([]Tool, error) {
	rows, err := s.tools(ctx, `tools t`, `WHERE v.into_tool = 0 AND v.retired = 0 ORDER BY t.id DESC LIMIT ?2`, limit(n))
	if err != nil {
		return nil, fmt.Errorf("list newest tools: %w", err)
	}
	return plain(rows), nil
}

// toolsByID reads tools by number.
func (s *Snapshot) toolsByID(ctx context.Context, ids []int64) (map[int64]*toolRow, error) {
	rows, err := s.tools(ctx, `json_each(?2) j CROSS JOIN tools t ON t.id = j.value`, ``, jsonList(ids))
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*toolRow, len(rows))
	for i := range rows {
		byID[rows[i].id] = &rows[i]
	}
	return byID, nil
}

// jsonList is a list of numbers for json_each.
func jsonList[T int64 | uint64 | string](list []T) string {
	b, _ := json.Marshal(list) // numbers and texts always are JSON
	return string(b)
}

// Labels counts current tools by label, in the order Ship, Split, Skip,
// Pending; within a category unless it is empty.
func (s *Snapshot) Labels(ctx context.Context, category string) ([]LabelCount, error) {
	list := []LabelCount{{Label: events.LabelShip}, {Label: events.LabelSplit}, {Label: events.LabelSkip}, {Label: events.LabelPending}}
	of, args := allTotals, []any(nil)
	if category != "" {
		of, args = `SELECT * FROM totals WHERE category = (SELECT id FROM categories WHERE slug = ?2) AND seq <= ?1 ORDER BY seq DESC LIMIT 1`, []any{category}
	}
	err := s.list(ctx, `SELECT sum(ships), sum(splits), sum(skips), sum(pending) FROM (`+of+`)`, args, func(r *row) {
		for i := range list {
			list[i].Tools = r.int()
		}
	})
	if err != nil {
		return nil, fmt.Errorf("count labels: %w", err)
	}
	return list, nil
}

// allTotals is SQL for the totals of all categories at the position.
const allTotals = `SELECT n.* FROM (SELECT 0 AS id UNION ALL SELECT id FROM categories) g
	CROSS JOIN totals n ON n.category = g.id AND n.seq = (SELECT max(seq) FROM totals WHERE category = g.id AND seq <= ?1)`

// Categories are the categories of current tools, by slug.
func (s *Snapshot) Categories(ctx context.Context) ([]CategoryCount, error) {
	var list []CategoryCount
	err := s.list(ctx, `SELECT g.slug, n.pending + n.ships + n.skips + n.splits AS tools, n.matchups
		FROM (`+allTotals+`) n CROSS JOIN categories g ON g.id = n.category WHERE tools > 0 ORDER BY g.slug`, nil, func(r *row) {
		list = append(list, CategoryCount{Slug: r.text(), Tools: r.int(), Matchups: r.int()})
	})
	if err != nil {
		return nil, fmt.Errorf("list categories: %w", err)
	}
	return list, nil
}

// Replies are the current replies to a tool's panel, newest first.
func (s *Snapshot) Replies(ctx context.Context, tool string) ([]Reply, error) {
	var list []Reply
	id, err := s.toolID(ctx, tool)
	if err != nil {
		return nil, err
	}
	err = s.list(ctx, `SELECT `+stamped("p.seq")+`, t.slug, v.name, p.author, p.body, p.publisher, p.replaces
		FROM replies p JOIN tools t ON t.id = p.tool JOIN tool_versions v ON v.tool = t.id AND v.seq <= ?1 AND v.until > ?1
		WHERE p.tool = ?2 AND p.seq <= ?1 AND p.until > ?1 ORDER BY p.seq DESC`, []any{id}, func(r *row) {
		list = append(list, Reply{Event: r.stamp(), Tool: Ref{r.text(), r.text()}, Author: r.text(), Body: r.text(), Publisher: r.text(), Replaces: r.seq()})
	})
	if err != nil {
		return nil, fmt.Errorf("replies of %q: %w", tool, err)
	}
	return list, nil
}

// MergedFrom are the duplicates merged into a tool, by event.
func (s *Snapshot) MergedFrom(ctx context.Context, tool string) ([]MergedFrom, error) {
	id, err := s.toolID(ctx, tool)
	if err != nil {
		return nil, err
	}
	rows, err := s.tools(ctx, `(SELECT tool FROM tool_versions WHERE into_tool = ?2 AND into_tool > 0 AND seq <= ?1 AND until > ?1) w
		CROSS JOIN tools t ON t.id = w.tool`, `ORDER BY v.merged`, id)
	if err != nil {
		return nil, fmt.Errorf("merged from %q: %w", tool, err)
	}
	list := make([]MergedFrom, len(rows))
	for i := range rows {
		list[i].Tool = rows[i].Tool
		if list[i].Reviews, err = s.reviewsOf(ctx, rows[i].id); err != nil {
			return nil, fmt.Errorf("merged from %q: %w", tool, err)
		}
	}
	return list, nil
}
