package projections

import (
	"bytes"
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"shiplog/events/audit"
)

// Differences compares every row of a model with those of one that was made anew,
// which must stand at the same position. It tells how many differ, and the
// first. Both are read once, beside each other, in bounded memory.
func (s *Snapshot) Differences(ctx context.Context, fresh *Snapshot) (audit.Comparison, error) {
	c := audit.Comparison{Seq: s.newest}
	if s.newest != fresh.newest {
		return c, fmt.Errorf("compare the model at event %d with one at event %d", s.newest, fresh.newest)
	}
	for _, t := range tables {
		if err := s.compareTable(ctx, fresh, t, &c); err != nil {
			return audit.Comparison{}, fmt.Errorf("compare %s: %w", t[0], err)
		}
	}
	return c, nil
}

func (s *Snapshot) compareTable(ctx context.Context, fresh *Snapshot, t [2]string, c *audit.Comparison) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	have, want := s.cursor(ctx, t), fresh.cursor(ctx, t)
	defer have.wait()
	defer want.wait()
	defer cancel()
	keys := strings.Count(t[1], ",") + 1
	x, y := have.next(), want.next()
	for x != nil || y != nil {
		order := order(x, y, keys)
		if order != 0 || !slices.EqualFunc(x, y, sameValue) {
			c.Different++
			if c.Different == 1 {
				c.First = fmt.Sprintf("it has the row %s where the ledger makes %s", shown(t[0], x, order <= 0), shown(t[0], y, order >= 0))
			}
		}
		if order <= 0 {
			x = have.next()
		}
		if order >= 0 {
			y = want.next()
		}
	}
	return cmp.Or(have.err, want.err)
}

// order tells which of two rows comes first by their keys; none comes last.
func order(x, y []driver.Value, keys int) int {
	switch {
	case x == nil:
		return 1
	case y == nil:
		return -1
	}
	for i := range keys {
		var o int
		switch v := x[i].(type) {
		case int64:
			w, _ := y[i].(int64)
			o = cmp.Compare(v, w)
		case string:
			w, _ := y[i].(string)
			o = cmp.Compare(v, w)
		}
		if o != 0 {
			return o
		}
	}
	return 0
}

func sameValue(x, y driver.Value) bool {
	if a, ok := x.([]byte); ok {
		b, ok := y.([]byte)
		return ok && bytes.Equal(a, b)
	}
	_, blob := y.([]byte)
	return !blob && x == y
}

// shown is a row as [Snapshot.Dump] writes it, short enough to print.
func shown(table string, values []driver.Value, there bool) string {
	const most = 120
	if !there || values == nil {
		return "none"
	}
	line := appendRow(nil, table, values)
	if len(line) > most {
		return fmt.Sprintf("%q…", line[:most])
	}
	return fmt.Sprintf("%q", line)
}

// A cursor hands out the rows of a table one by one, read ahead by a goroutine.
type cursor struct {
	chunks chan [][]driver.Value
	now    [][]driver.Value
	done   chan struct{}
	err    error
}

// Rows of a chunk: enough that handing one over costs next to nothing.
const cursorRows = 256

func (s *Snapshot) cursor(ctx context.Context, t [2]string) *cursor {
	c := &cursor{chunks: make(chan [][]driver.Value, 2), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		defer close(c.chunks)
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		chunk := make([][]driver.Value, 0, cursorRows)
		send := func() {
			select {
			case c.chunks <- chunk:
			case <-ctx.Done():
			}
			chunk = make([][]driver.Value, 0, cursorRows)
		}
		c.err = s.query(ctx, `SELECT * FROM `+t[0]+` ORDER BY `+t[1], nil, func(r *row) {
			if chunk = append(chunk, slices.Clone(r.values)); len(chunk) == cursorRows {
				send()
			}
		})
		send()
	}()
	return c
}

// next is the next row, nil behind the last or after an error.
func (c *cursor) next() []driver.Value {
	for len(c.now) == 0 {
		chunk, ok := <-c.chunks
		if !ok {
			return nil
		}
		c.now = chunk
	}
	first := c.now[0]
	c.now = c.now[1:]
	return first
}

// wait returns when the goroutine has ended. Its context must have, or every row
// been taken.
func (c *cursor) wait() { <-c.done }
