package projections

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"shiplog/events/audit"
)

// Differences compares every row of a model with those of one that was made anew,
// which must stand at the same position. It tells how many differ, and the first.
// It is the last thing that the snapshot does.
func (s *Snapshot) Differences(ctx context.Context, fresh *Model) (audit.Comparison, error) {
	if err := s.attach(ctx, fresh); err != nil {
		return audit.Comparison{}, err
	}
	return differences(ctx, s)
}

// attach opens the file of another model in the same connection, under the name
// "fresh", and begins to read it: SQLite then compares the two by itself, and only
// rows that differ come out of it.
func (s *Snapshot) attach(ctx context.Context, fresh *Model) error {
	s.broken = true // the connection is good for nothing else afterwards
	if err := s.c.exec(`ATTACH ? AS fresh`, address(fresh.Path(), freshOptions)); err != nil {
		return fmt.Errorf("open the model to compare with: %w", err)
	}
	var seq uint64
	if err := s.query(ctx, `SELECT seq FROM fresh.meta`, nil, func(r *row) { seq = r.seq() }); err != nil {
		return fmt.Errorf("read the model to compare with: %w", err)
	}
	if seq != s.newest {
		return fmt.Errorf("compare the model at event %d with one at event %d", s.newest, seq)
	}
	return nil
}

// unmapped has the snapshot read through SQLite's cache. A file that is mapped and
// read from end to end counts as memory in use as a whole.
func (s *Snapshot) unmapped() error { return s.c.pragma("mmap_size=0") }

// differences has snapshots of one event, each with the other model attached, share
// the tables between them: the first begins with the first table, which are the
// large ones, others with the last.
func differences(ctx context.Context, list ...*Snapshot) (audit.Comparison, error) {
	found := make([]audit.Comparison, len(tables))
	var mu sync.Mutex
	from, to := 0, len(tables)
	next := func(first bool) (i int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if from == to {
			return 0, false
		}
		if first {
			from++
			return from - 1, true
		}
		to--
		return to, true
	}
	group, ctx := errgroup.WithContext(ctx)
	for n, s := range list {
		group.Go(func() error {
			for i, ok := next(n == 0); ok; i, ok = next(n == 0) {
				if err := s.compareTable(ctx, tables[i], &found[i]); err != nil {
					return fmt.Errorf("compare %s: %w", tables[i][0], err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return audit.Comparison{}, err
	}
	c := audit.Comparison{Seq: list[0].newest}
	for _, f := range found {
		c.Different, c.First = c.Different+f.Different, cmp.Or(c.First, f.First)
	}
	return c, nil
}

// compareTable finds the rows that are not in the other table as they are here,
// and counts those that are there only.
func (s *Snapshot) compareTable(ctx context.Context, t [2]string, c *audit.Comparison) error {
	list, err := columns(s.c, t[0])
	if err != nil {
		return err
	}
	key, rest := equal(list[:strings.Count(t[1], ",")+1], "="), equal(list, "IS")
	differ := func(have, want []any) {
		if c.Different++; c.Different == 1 {
			c.First = fmt.Sprintf("it has the row %s where the ledger makes %s", shown(t[0], have), shown(t[0], want))
		}
	}
	missing := 0
	err = s.query(ctx, `SELECT (SELECT count(*) FROM fresh.`+t[0]+`) - (SELECT count(*) FROM main.`+t[0]+`)`, nil,
		func(r *row) { missing = r.int() })
	if err != nil {
		return err
	}
	err = s.query(ctx, `SELECT a.*, b.* FROM main.`+t[0]+` a LEFT JOIN fresh.`+t[0]+` b ON `+key+` WHERE NOT (`+rest+`)`, nil, func(r *row) {
		have, want := r.values[:len(list)], r.values[len(list):]
		if want[0] == nil {
			want, missing = nil, missing+1
		}
		differ(have, want)
	})
	if err != nil || missing == 0 {
		return err
	}
	return s.query(ctx, `SELECT b.* FROM fresh.`+t[0]+` b WHERE NOT EXISTS (SELECT 1 FROM main.`+t[0]+` a WHERE `+key+`)`, nil,
		func(r *row) { differ(nil, r.values) })
}

// equal is SQL for rows a and b that are equal in some columns.
func equal(list []columnInfo, operator string) string {
	terms := make([]string, len(list))
	for i, column := range list {
		terms[i] = fmt.Sprintf("a.%[1]s %[2]s b.%[1]s", column.name, operator)
	}
	return strings.Join(terms, " AND ")
}

// shown is a row as [Snapshot.Dump] writes it, short enough to print.
func shown(table string, values []any) string {
	const most = 120
	if values == nil {
		return "none"
	}
	line := appendRow(nil, table, values)
	if len(line) > most {
		return fmt.Sprintf("%q…", line[:most])
	}
	return fmt.Sprintf("%q", line)
}
