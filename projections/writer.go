package projections

import (
	"context"
	"fmt"
	"runtime/debug"

	"shiplog/events"
)

// writer applies events to one file of the read model. What it keeps in memory
// is a copy of what is written, dropped whenever a transaction is rolled back.
type writer struct {
	c     *conn
	limit int // of tools in memory

	stale     bool // what is in memory is not what is in the file
	unguarded bool // a batch that fails spoils the file, see [loadStore]
	spoiled   bool

	seq   uint64
	leaf  events.Hash
	rules events.Rules

	tools      *cache[int64, *toolState] // by number: there is one state of each
	reviewers  *cache[int64, *reviewerState]
	toolIDs    *cache[string, int64]
	seatIDs    *cache[string, int64]
	categories *cache[string, int64]
	totals     *cache[int64, *total] // by category
	lastTool   int64                 // the numbers given out last
	lastSeat   int64
	lastCat    int64
	changes    int64
	matchups   int64
	written    int64 // dates of the event at hand
	published  int64

	// Rows of the batch, inserted many at once.
	log, reviews, stances, tallies, scores, totaled, changed, matched, shared *rows
	moved                                                                     []move           // stances to insert, by sequence
	closed                                                                    []move           // stances inserted before, to be closed
	scored                                                                    []*reviewerState // whose scores the event changed
	counted                                                                   []*total         // which the event changed
	bytes                                                                     int              // of texts waiting in reviews
}

func newWriter(c *conn, limit int) (*writer, error) {
	w := &writer{
		c:          c,
		limit:      limit,
		tools:      newCache[int64, *toolState](limit),
		reviewers:  newCache[int64, *reviewerState](limit),
		toolIDs:    newCache[string, int64](limit),
		seatIDs:    newCache[string, int64](limit),
		categories: newCache[string, int64](limit),
		log:        newRows("log (recorded, published, leaf)", 2, 1),
		reviews:    newRows("reviews", 14, 3),
		stances:    newRows("stances", 8, 0),
		tallies:    newRows("tallies", 7, 0),
		scores:     newRows("scores", 9, 0),
		totals:     newCache[int64, *total](limit),
		totaled:    newRows("totals", 7, 0),
		changed:    newRows("changes (seq, tool, was, now, ships, skips, abstains, quorum, rules, category, published)", 11, 0),
		matched:    newRows("matchups (seq, ord, left_tool, right_tool, category, published, matchmade, publisher)", 7, 1),
		shared:     newRows("shared_categories", 4, 0),
	}
	return w, w.load()
}

// load reads the position and the numbers given out so far.
func (w *writer) load() error {
	var err error
	read := func(query string, fn func(*row)) {
		if err == nil {
			err = w.c.query(context.Background(), query, nil, fn)
		}
	}
	read(`SELECT seq, leaf FROM meta`, func(r *row) {
		w.seq = r.seq()
		w.leaf = events.Hash(r.blob())
	})
	w.rules = events.DefaultRules()
	read(`SELECT seq, version, quorum, matchmaking, most FROM rules ORDER BY seq DESC LIMIT 1`, func(r *row) {
		w.rules = events.Rules{Seq: r.seq(), Version: r.int(), Quorum: r.int(), Matchmaking: r.text(), MaxMatchupsPerTool: r.int()}
	})
	read(`SELECT (SELECT max(id) FROM tools), (SELECT max(id) FROM reviewers), (SELECT max(id) FROM categories),
		(SELECT max(id) FROM changes), (SELECT max(ord) FROM matchups)`, func(r *row) {
		w.lastTool, w.lastSeat, w.lastCat, w.changes, w.matchups = r.id(), r.id(), r.id(), r.id(), r.id()
	})
	return err
}

// apply writes a batch in one transaction, or nothing of it.
func (w *writer) apply(batch []*events.Event) (err error) {
	if len(batch) == 0 {
		return nil
	}
	if w.spoiled {
		return ErrSpoiled
	}
	if w.stale {
		if err := w.load(); err != nil {
			return fmt.Errorf("read the position: %w", err)
		}
		w.stale = false
	}
	w.age()
	if err := w.c.exec("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err = w.write(batch); err == nil {
		if err = w.c.exec("COMMIT"); err == nil {
			return nil
		}
		err = fmt.Errorf("commit: %w", err)
	}
	w.rollback()
	return err
}

func (w *writer) write(batch []*events.Event) error {
	for _, e := range batch {
		if err := w.event(e); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	return w.c.exec(`UPDATE meta SET seq = ?, leaf = ?`, w.seq, w.leaf[:])
}

// event applies one event; a panic is an event that cannot be applied.
func (w *writer) event(e *events.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = eventError(e, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	if e.Seq != w.seq+1 {
		return &GapError{Want: w.seq + 1, Got: e.Seq}
	}
	// As Written and Published of the event, with the text read once.
	recorded := e.RecordedTime.UnixMilli()
	w.written = e.Written().UnixMilli()
	w.published = min(w.written, recorded)
	w.log.add([]int64{recorded, w.published}, append([]byte(nil), e.Leaf[:]...))
	if e.Data == nil {
		err = w.c.exec(`INSERT INTO passed VALUES (?)`, e.Seq)
	} else {
		err = w.dispatch(e)
	}
	if err != nil {
		return err
	}
	w.writeScores(e.Seq)
	w.writeTotals(e.Seq)
	w.seq, w.leaf = e.Seq, e.Leaf
	if w.bytes > maxWaiting {
		return w.flush()
	}
	return nil
}

// maxWaiting bounds the texts that wait to be inserted.
const maxWaiting = 4 << 20

func (w *writer) dispatch(e *events.Event) error {
	if e.Seq == 1 && e.Type() != (*events.LedgerOpened)(nil).Type() {
		return eventError(e, errOpenedFirst)
	}
	switch p := e.Data.(type) {
	case *events.LedgerOpened:
		return w.opened(e, p)
	case *events.RulesPublished:
		return w.rulesPublished(e, p)
	case *events.ReviewerSeated:
		return w.reviewerSeated(e, p)
	case *events.ReviewerUnseated:
		return w.reviewerUnseated(e, p)
	case *events.ToolRegistered:
		return w.toolRegistered(e, p)
	case *events.ToolMerged:
		return w.toolMerged(e, p)
	case *events.ToolUnmerged:
		return w.toolUnmerged(e, p)
	case *events.ToolRetired:
		return w.toolRetired(e, p)
	case *events.ReviewSubmitted:
		return w.review(e, said{kind: numSubmitted, review: &p.Review, revision: 1})
	case *events.ReviewRevised:
		return w.review(e, said{kind: numRevised, review: &p.Review, revision: p.Revision, replaces: p.Replaces})
	case *events.ReviewWithdrawn:
		return w.review(e, said{kind: numWithdrawn, review: &events.Review{Tool: p.Tool, Reviewer: p.Reviewer, Reason: p.Reason}})
	case *events.ReplyPublished:
		return w.replyPublished(e, p)
	case *events.MatchupOpened:
		return w.matchupOpened(e, p)
	case *events.EventSkipped:
		return w.eventSkipped(e, p)
	}
	return eventError(e, events.ErrUnknownType)
}

func eventError(e *events.Event, err error) error {
	typ := ""
	if e.Data != nil {
		typ = e.Type()
	}
	return &EventError{Seq: e.Seq, Type: typ, Err: err}
}

// flush inserts the rows collected so far. It is called before anything reads
// them.
func (w *writer) flush() error {
	for _, s := range w.moved {
		w.stances.add([]int64{s.tool, s.reviewer, int64(s.seq), s.until, int64(s.verdict), number(s.counts), int64(s.item), s.published})
	}
	for _, b := range w.waiting() {
		if err := b.flush(w.c); err != nil {
			return err
		}
	}
	for _, s := range w.closed {
		err := w.c.exec(`UPDATE stances SET until = ? WHERE tool = ? AND reviewer = ? AND seq = ?`, s.until, s.tool, s.reviewer, s.seq)
		if err != nil {
			return err
		}
	}
	w.moved, w.closed, w.bytes = w.moved[:0], w.closed[:0], 0
	return nil
}

func (w *writer) waiting() []*rows {
	return []*rows{w.log, w.reviews, w.stances, w.tallies, w.scores, w.totaled, w.changed, w.matched, w.shared}
}

// rollback forgets the batch and all that is kept in memory.
func (w *writer) rollback() {
	_ = w.c.exec("ROLLBACK") // fails only where SQLite has rolled back already
	if w.unguarded {
		w.spoiled = true
		return
	}
	for _, b := range w.waiting() {
		b.drop()
	}
	w.moved, w.closed, w.scored, w.bytes = w.moved[:0], w.closed[:0], w.scored[:0], 0
	w.counted = w.counted[:0]
	w.tools.clear()
	w.reviewers.clear()
	w.toolIDs.clear()
	w.seatIDs.clear()
	w.categories.clear()
	w.totals.clear()
	w.stale = w.load() != nil
}

func (w *writer) age() {
	w.tools.age()
	w.reviewers.age()
	w.toolIDs.age()
	w.seatIDs.age()
	w.categories.age()
	w.totals.age()
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
