package projections

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// maxWords bounds what a search looks for.
const maxWords = 6

// maxPaired is how many of the tools found are looked up for matchups.
const maxPaired = 500

// hit is a row found by a search.
type hit struct {
	id    int64
	slug  string
	words uint // a bit for each word found
	rank  int  // 0 begins with what was sought, 1 has a word that does
}

// Search looks for tools by name, slug and alias, for reviewers by name and
// slug, and for matchups of the tools found; case and accents do not matter.
// Every word has to be found; names that begin with q come first.
func (s *Snapshot) Search(ctx context.Context, q string, n int) (*Found, error) {
	words := strings.Fields(fold(q))
	words = slices.DeleteFunc(words[:min(len(words), maxWords)], func(w string) bool { return w == "vs" && len(words) > 1 })
	found := new(Found)
	if len(words) == 0 {
		return found, nil
	}
	if err := s.searchTools(ctx, words, limit(n), found); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if err := s.searchReviewers(ctx, words, limit(n), found); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return found, nil
}

// look finds words in a name and in slugs.
func look(words []string, id int64, slug, name, aliases string) hit {
	h := hit{id: id, slug: slug, rank: 2}
	text := name + " " + slug + " " + aliases
	for i, w := range words {
		if strings.Contains(text, w) {
			h.words |= 1 << i
		}
	}
	phrase := strings.Join(words, " ")
	switch {
	case strings.HasPrefix(name, phrase) || strings.HasPrefix(slug, strings.ReplaceAll(phrase, " ", "-")):
		h.rank = 0
	case strings.Contains(" "+text, " "+words[0]):
		h.rank = 1
	}
	return h
}

func compareHits(a, b hit) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.slug, b.slug))
}

// ranked are the hits with all words, the best first.
func ranked(hits []hit, words int) []hit {
	all := slices.DeleteFunc(slices.Clone(hits), func(h hit) bool { return h.words != 1<<words-1 })
	slices.SortFunc(all, compareHits)
	return all
}

func ids(hits []hit, n int) []int64 {
	list := make([]int64, min(n, len(hits)))
	for i := range list {
		list[i] = hits[i].id
	}
	return list
}

func (s *Snapshot) searchTools(ctx context.Context, words []string, n int, found *Found) error {
	var hits []hit
	aliases := make(map[int64]string)
	err := s.list(ctx, `SELECT tool, alias FROM aliases a WHERE seq <= ?1 AND `+s.holds("a"), nil, func(r *row) {
		tool := r.id()
		aliases[tool] += r.text() + " "
	})
	if err != nil {
		return err
	}
	err = s.list(ctx, `SELECT t.id, t.slug, v.folded FROM tool_versions v JOIN tools t ON t.id = v.tool
		WHERE v.seq <= ?1 AND `+s.holds("v")+` AND v.into_tool = 0`, nil, func(r *row) {
		id := r.id()
		if h := look(words, id, r.text(), r.text(), aliases[id]); h.words != 0 {
			hits = append(hits, h)
		}
	})
	if err != nil {
		return err
	}
	all := ranked(hits, len(words))
	found.ToolTotal = len(all)
	wanted := ids(all, n)
	tools, err := s.toolsByID(ctx, wanted)
	if err != nil {
		return err
	}
	for _, id := range wanted {
		found.Tools = append(found.Tools, tools[id].Tool)
	}
	return s.searchMatchups(ctx, hits, len(words), n, found)
}

// searchMatchups finds the matchups whose two tools have all words between
// them.
func (s *Snapshot) searchMatchups(ctx context.Context, hits []hit, words, n int, found *Found) error {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(-cmp.Compare(a.words, b.words), compareHits(a, b)) })
	said := make(map[int64]uint, len(hits))
	for _, h := range hits {
		said[h.id] = h.words
	}
	rows, err := s.matchupRows(ctx, `FROM matchups m WHERE m.seq <= ?1 AND m.seq IN (
		SELECT seq FROM matchups WHERE left_tool IN (SELECT value FROM json_each(?2))
		UNION SELECT seq FROM matchups WHERE right_tool IN (SELECT value FROM json_each(?2))) ORDER BY m.seq DESC`, jsonList(ids(hits, maxPaired)))
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(m matchupRow) bool { return said[m.left]|said[m.right] != 1<<words-1 })
	found.MatchupTotal = len(rows)
	found.Matchups, err = s.matchups(ctx, rows[:min(n, len(rows))])
	return err
}

func (s *Snapshot) searchReviewers(ctx context.Context, words []string, n int, found *Found) error {
	var hits []hit
	err := s.list(ctx, `SELECT p.id, p.slug, v.folded FROM reviewers p
		JOIN reviewer_versions v ON v.reviewer = p.id AND v.seq <= ?1 AND v.until > ?1`, nil, func(r *row) {
		if h := look(words, r.id(), r.text(), r.text(), ""); h.words != 0 {
			hits = append(hits, h)
		}
	})
	if err != nil {
		return err
	}
	all := ranked(hits, len(words))
	found.ReviewerTotal = len(all)
	wanted := ids(all, n)
	rows, err := s.reviewers(ctx, `WHERE p.id IN (SELECT value FROM json_each(?2))`, jsonList(wanted))
	if err != nil {
		return err
	}
	for _, id := range wanted {
		for i := range rows {
			if rows[i].id == id {
				found.Reviewers = append(found.Reviewers, rows[i].Reviewer)
			}
		}
	}
	return nil
}
