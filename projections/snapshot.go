package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"shiplog/events"
)

// Snapshot reads the model as of one position, whatever is applied meanwhile. It
// is not safe for use by several goroutines at once.
type Snapshot struct {
	store  *store
	c      *conn
	broken bool

	at     uint64
	newest uint64
	ledger Ledger
	rules  []Rules          // up to the position, newest first
	known  map[int64]critic // reviewers met so far
}

// At opens a snapshot as of a sequence; 0 means the newest position applied. It
// fails with [ErrBeforeLedger] while nothing is applied and with
// [ErrBeyondPosition]. The caller closes the snapshot.
func (m *Model) At(ctx context.Context, seq uint64) (*Snapshot, error) {
	s, err := m.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	switch {
	case s.newest == 0:
		err = ErrBeforeLedger
	case seq > s.newest:
		err = ErrBeyondPosition
	case seq == 0:
		seq = s.newest
	}
	if err == nil {
		err = s.moveTo(ctx, seq)
	}
	if err != nil {
		_ = s.Close() // the first error is the one that matters
		return nil, fmt.Errorf("open snapshot at %d: %w", seq, err)
	}
	return s, nil
}

// AtTime opens a snapshot as of the last event recorded at t or before; it fails
// with [ErrBeforeLedger] before event 1. A t after the newest event is the
// newest event.
func (m *Model) AtTime(ctx context.Context, t time.Time) (*Snapshot, error) {
	s, err := m.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	seq, err := s.seqAt(ctx, t)
	if err == nil && seq == 0 {
		err = ErrBeforeLedger
	}
	if err == nil {
		err = s.moveTo(ctx, seq)
	}
	if err != nil {
		_ = s.Close() // the first error is the one that matters
		return nil, fmt.Errorf("open snapshot at %s: %w", t.Format(time.RFC3339), err)
	}
	return s, nil
}

// begin opens a read transaction; the first query in it fixes what it sees.
func (m *Model) begin(ctx context.Context) (*Snapshot, error) {
	store, c, err := m.reader(ctx)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{store: store, c: c, known: make(map[int64]critic)}
	if err = c.exec("BEGIN"); err == nil {
		err = s.query(ctx, `SELECT seq, ledger, authority, title, description, `+stamped("1")+` FROM meta`,
			nil, func(r *row) {
				s.newest = r.seq()
				s.ledger = Ledger{ID: r.text(), Authority: r.text(), Title: r.text(), Description: r.text()}
				s.ledger.Opened = r.stamp()
			})
	}
	if err != nil {
		store.met(err)
		s.broken = true
		_ = s.Close() // the first error is the one that matters
		return nil, err
	}
	return s, nil
}

// reader is a connection to the file in use. A rebuild may close that just
// before it is asked: then there is a newer one.
func (m *Model) reader(ctx context.Context) (*store, *conn, error) {
	for {
		s := m.inUse()
		c, err := s.reader(ctx)
		if errors.Is(err, ErrClosed) && m.inUse() != s {
			continue
		}
		return s, c, err
	}
}

// seqAt searches the log, whose times never go back.
func (s *Snapshot) seqAt(ctx context.Context, t time.Time) (uint64, error) {
	low, high := uint64(0), s.newest // recorded(low) ≤ t, and all after high are later
	for low < high {
		middle := (low + high + 1) / 2
		var recorded int64
		err := s.query(ctx, `SELECT recorded FROM log WHERE seq = ?`, []any{middle}, func(r *row) { recorded = r.id() })
		if err != nil {
			return 0, err
		}
		if timeOf(recorded).After(t) {
			high = middle - 1
		} else {
			low = middle
		}
	}
	return low, nil
}

// moveTo makes the snapshot speak as of a sequence it holds.
func (s *Snapshot) moveTo(ctx context.Context, seq uint64) error {
	s.at = seq
	s.rules = s.rules[:0]
	clear(s.known)
	return s.query(ctx, `SELECT `+stamped("rules.seq")+`, version, quorum, matchmaking, most, publisher, changed
		FROM rules WHERE seq <= ? ORDER BY seq DESC`, []any{seq}, func(r *row) {
		rules := Rules{Event: r.stamp()}
		rules.Published = rules.Event.Published
		rules.Rules = events.Rules{Seq: rules.Event.Seq, Version: r.int(), Quorum: r.int(), Matchmaking: r.text(), MaxMatchupsPerTool: r.int()}
		rules.Publisher, rules.Changed = r.text(), r.int()
		s.rules = append(s.rules, rules)
	})
}

// stamped is SQL for a [Stamp]: a sequence and the two times of its event. The
// column is named with its table.
func stamped(column string) string {
	return column + ", (SELECT recorded FROM log WHERE log.seq = " + column + "), (SELECT published FROM log WHERE log.seq = " + column + ")"
}

func (s *Snapshot) query(ctx context.Context, query string, args []any, fn func(*row)) error {
	err := s.c.query(ctx, query, args, fn)
	if err != nil {
		s.store.met(err)
		s.broken = true
	}
	return err
}

// holds is SQL for the rows of a versioned table that hold at the position. Of
// the newest they are those not replaced, for which there are small indexes.
func (s *Snapshot) holds(table string) string {
	if s.at == s.newest {
		return table + ".until = " + forever
	}
	return table + ".seq <= ?1 AND " + table + ".until > ?1"
}

// list queries as of the position, which is ?1; args begin at ?2.
func (s *Snapshot) list(ctx context.Context, query string, args []any, fn func(*row)) error {
	return s.query(ctx, query, append([]any{s.at}, args...), fn)
}

// Close ends the snapshot.
func (s *Snapshot) Close() error {
	if s.c == nil {
		return nil
	}
	err := s.c.exec("ROLLBACK")
	errRelease := s.store.release(s.c, err != nil || s.broken)
	s.c = nil
	if err != nil && !s.broken {
		return fmt.Errorf("close snapshot: %w", err)
	}
	return errRelease
}

// Seq is the position the snapshot speaks as of.
func (s *Snapshot) Seq() uint64 { return s.at }

// Newest is the newest position applied when the snapshot was opened.
func (s *Snapshot) Newest() uint64 { return s.newest }

// Ledger says which ledger this is.
func (s *Snapshot) Ledger() Ledger { return s.ledger }

// Event is the recording time and leaf of an event up to the snapshot.
func (s *Snapshot) Event(ctx context.Context, seq uint64) (Stamp, events.Hash, error) {
	var stamp Stamp
	var leaf events.Hash
	err := s.list(ctx, `SELECT seq, recorded, published, leaf FROM log WHERE seq = ?2 AND seq <= ?1`, []any{seq}, func(r *row) {
		stamp = r.stamp()
		leaf = events.Hash(r.blob())
	})
	if err == nil && stamp.Seq == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Stamp{}, leaf, fmt.Errorf("event %d: %w", seq, err)
	}
	return stamp, leaf, nil
}

// Rules are the rules in force.
func (s *Snapshot) Rules() Rules {
	if len(s.rules) == 0 {
		return Rules{Rules: events.DefaultRules()}
	}
	return s.rules[0]
}

// RulesHistory is every set of rules published, newest first.
func (s *Snapshot) RulesHistory(context.Context) ([]Rules, error) { return slices.Clone(s.rules), nil }

func (s *Snapshot) quorum() int { return s.Rules().Quorum }

// quorumChange is the newest change of the quorum after the event at since that
// makes a difference.
func (s *Snapshot) quorumChange(since uint64, differs func(before, after int) bool) Stamp {
	for i, r := range s.rules {
		if r.Event.Seq <= since {
			break
		}
		before := events.DefaultRules().Quorum
		if i+1 < len(s.rules) {
			before = s.rules[i+1].Quorum
		}
		if before != r.Quorum && differs(before, r.Quorum) {
			return r.Event
		}
	}
	return Stamp{}
}

// quorumOf is the quorum in force at an event.
func (s *Snapshot) quorumOf(seq uint64) int {
	for _, r := range s.rules {
		if r.Event.Seq <= seq {
			return r.Quorum
		}
	}
	return events.DefaultRules().Quorum
}

// Skipped tells whether an event is passed over, and by which; nil if not.
func (s *Snapshot) Skipped(ctx context.Context, seq uint64) (*Skip, error) {
	var skip *Skip
	err := s.list(ctx, `SELECT target, `+stamped("skips.seq")+`, reason FROM skips WHERE target = ?2 AND seq <= ?1`, []any{seq}, func(r *row) {
		skip = &Skip{Target: r.seq(), Event: r.stamp(), Reason: r.text()}
	})
	if err != nil {
		return nil, fmt.Errorf("skip of event %d: %w", seq, err)
	}
	return skip, nil
}
