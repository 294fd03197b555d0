package projections

import (
	"context"
	"fmt"

	"shiplog/events"
)

// toolState is what applying needs to know of a tool.
type toolState struct {
	id       int64
	slug     string
	category int64 // 0 for none
	merged   bool  // a duplicate: what is said of it does not count for anybody
	listed   bool  // current: neither merged nor retired
	tally    events.Tally
	abstains int
	shipSum  int64 // of the numbers of the reviewers who say so
	skipSum  int64
	stances  map[int64]stance // current, by reviewer: those that were asked for, or all
	whole    bool             // all
}

// lone is the number of the reviewer who alone disagrees with two or more, 0
// for none.
func (t *toolState) lone() int64 {
	switch t.tally.LoneDissent() {
	case events.Ship:
		return t.shipSum
	case events.Skip:
		return t.skipSum
	}
	return 0
}

// stance is a reviewer's current review of a tool, or its tombstone; the zero
// stance is that of who never said anything. There may be millions of them in
// memory: they are narrow, and without pointers, so that the garbage collector
// need not look at them.
type stance struct {
	seq           uint64
	item          uint64 // which review is the item of the feeds that shows it
	itemPublished int64
	revision      int64
	verdict       uint8 // numNone for a tombstone
	counts        bool
}

// reviewerState is what applying needs to know of a reviewer.
type reviewerState struct {
	id     int64
	slug   string
	seated bool
	scores
	scored bool // by the event at hand
}

// scores are a reviewer's counts: of current reviews, of tools where nobody
// agrees, of labels changed, and of revisions and withdrawals ever.
type scores struct {
	ships, skips, abstains, lone, flips, revisions, withdrawn int64
}

// tool is a tool by slug, nil when there is none.
func (w *writer) tool(slug string) (*toolState, error) {
	id, err := w.numberOf(w.toolIDs, `SELECT id FROM tools WHERE slug = ?`, slug)
	if err != nil || id == 0 {
		return nil, err
	}
	return w.toolByID(id)
}

// numberOf is the number of a slug, 0 when it has none.
func (w *writer) numberOf(known *cache[string, int64], query, slug string) (int64, error) {
	id, ok := known.get(slug)
	if ok {
		return id, nil
	}
	err := w.c.query(context.Background(), query, []any{slug}, func(r *row) { id = r.id() })
	if err == nil && id != 0 {
		known.put(slug, id)
	}
	return id, err
}

// toolByID is a tool by number; there always is one.
func (w *writer) toolByID(id int64) (*toolState, error) {
	if t, ok := w.tools.get(id); ok {
		return t, nil
	}
	return w.loadTool(id)
}

// loadTool reads a tool that is not in memory. Whatever was used in this batch
// is, so nothing of it waits to be inserted.
func (w *writer) loadTool(id int64) (*toolState, error) {
	t := &toolState{id: id, stances: make(map[int64]stance)}
	err := w.c.query(context.Background(), `SELECT t.slug, v.category, v.into_tool > 0, v.into_tool = 0 AND v.retired = 0 FROM tools t
		JOIN tool_versions v ON v.tool = t.id AND v.until = `+forever+` WHERE t.id = ?`, []any{id}, func(r *row) {
		t.slug, t.category, t.merged, t.listed = r.text(), r.id(), r.bool(), r.bool()
	})
	if err != nil {
		return nil, err
	}
	err = w.c.query(context.Background(), `SELECT ships, skips, abstains, ship_sum, skip_sum FROM tallies
		WHERE tool = ? ORDER BY seq DESC LIMIT 1`, []any{t.id}, func(r *row) {
		t.tally = events.Tally{Ships: r.int(), Skips: r.int()}
		t.abstains, t.shipSum, t.skipSum = r.int(), r.id(), r.id()
	})
	if err != nil {
		return nil, err
	}
	w.keepTool(t)
	return t, nil
}

// stanceColumns are read by [readStance].
const stanceColumns = `s.reviewer, s.seq, s.verdict, s.counts, s.item, r.item_published, r.revision FROM stances s JOIN reviews r ON r.seq = s.seq`

func readStance(r *row) (reviewer int64, s stance) {
	reviewer = r.id()
	s.seq, s.verdict, s.counts = r.seq(), uint8(r.int()), r.bool()
	s.item, s.itemPublished, s.revision = r.seq(), r.id(), r.id()
	return reviewer, s
}

// stance is a reviewer's current stance on a tool. It is read alone: a tool may
// have any number of them. What this batch has changed is in memory.
func (w *writer) stance(t *toolState, reviewer int64) (s stance, err error) {
	s, ok := t.stances[reviewer]
	if ok || t.whole {
		return s, nil
	}
	err = w.c.query(context.Background(), `SELECT `+stanceColumns+` WHERE s.tool = ? AND s.reviewer = ? ORDER BY s.seq DESC LIMIT 1`,
		[]any{t.id, reviewer}, func(r *row) { _, s = readStance(r) })
	return s, err
}

// allStances reads what is not in memory of a tool's stances.
func (w *writer) allStances(t *toolState) error {
	if t.whole {
		return nil
	}
	err := w.c.query(context.Background(), `SELECT `+stanceColumns+` WHERE s.tool = ? AND s.until = `+forever, []any{t.id}, func(r *row) {
		reviewer, s := readStance(r)
		if _, newer := t.stances[reviewer]; !newer {
			t.stances[reviewer] = s
		}
	})
	t.whole = err == nil
	return err
}

func (w *writer) keepTool(t *toolState) {
	w.tools.put(t.id, t)
	w.toolIDs.put(t.slug, t.id)
}

// reviewer is a reviewer by slug, nil when there is none.
func (w *writer) reviewer(slug string) (*reviewerState, error) {
	id, err := w.numberOf(w.seatIDs, `SELECT id FROM reviewers WHERE slug = ?`, slug)
	if err != nil || id == 0 {
		return nil, err
	}
	return w.reviewerByID(id)
}

// reviewerByID is a reviewer by number; there always is one.
func (w *writer) reviewerByID(id int64) (*reviewerState, error) {
	if v, ok := w.reviewers.get(id); ok {
		return v, nil
	}
	return w.loadReviewer(id)
}

func (w *writer) loadReviewer(id int64) (*reviewerState, error) {
	v := &reviewerState{id: id}
	err := w.c.query(context.Background(), `SELECT p.slug, v.former = 0 FROM reviewers p
		JOIN reviewer_versions v ON v.reviewer = p.id AND v.until = `+forever+` WHERE p.id = ?`, []any{id}, func(r *row) {
		v.slug, v.seated = r.text(), r.bool()
	})
	if err != nil {
		return nil, err
	}
	err = w.c.query(context.Background(), `SELECT ships, skips, abstains, lone, flips, revisions, withdrawn FROM scores
		WHERE reviewer = ? ORDER BY seq DESC LIMIT 1`, []any{v.id}, func(r *row) {
		v.scores = scores{r.id(), r.id(), r.id(), r.id(), r.id(), r.id(), r.id()}
	})
	if err != nil {
		return nil, err
	}
	w.keepReviewer(v)
	return v, nil
}

func (w *writer) keepReviewer(v *reviewerState) {
	w.reviewers.put(v.id, v)
	w.seatIDs.put(v.slug, v.id)
}

// score notes that the event changes a reviewer's scores.
func (w *writer) score(v *reviewerState) {
	if !v.scored {
		v.scored = true
		w.scored = append(w.scored, v)
	}
}

// writeScores adds a row for each reviewer whose scores the event changed.
func (w *writer) writeScores(seq uint64) {
	for _, v := range w.scored {
		v.scored = false
		s := &v.scores
		w.scores.add([]int64{v.id, int64(seq), s.ships, s.skips, s.abstains, s.lone, s.flips, s.revisions, s.withdrawn})
	}
	w.scored = w.scored[:0]
}

// category is the number of a category, a new one if it has none; 0 for "".
func (w *writer) category(slug string) (int64, error) {
	if slug == "" {
		return 0, nil
	}
	id, ok := w.categories.get(slug)
	if ok {
		return id, nil
	}
	err := w.c.query(context.Background(), `SELECT id FROM categories WHERE slug = ?`, []any{slug}, func(r *row) { id = r.id() })
	if err != nil {
		return 0, err
	}
	if id == 0 {
		id = w.lastCat + 1
		if err := w.c.exec(`INSERT INTO categories VALUES (?, ?)`, id, slug); err != nil {
			return 0, err
		}
		w.lastCat = id
	}
	w.categories.put(slug, id)
	return id, nil
}

func (w *writer) knownTool(e *events.Event, slug string) (*toolState, error) {
	t, err := w.tool(slug)
	if err == nil && t == nil {
		err = eventError(e, fmt.Errorf("the tool %q was never registered", slug))
	}
	return t, err
}

func (w *writer) knownReviewer(e *events.Event, slug string) (*reviewerState, error) {
	v, err := w.reviewer(slug)
	if err == nil && v == nil {
		err = eventError(e, fmt.Errorf("the reviewer %q was never seated", slug))
	}
	return v, err
}
