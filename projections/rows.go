package projections

import (
	"context"
	"database/sql/driver"
	"strings"
)

// rows collects rows for one table and inserts many with one statement, which
// costs a fraction of as many statements.
type rows struct {
	head string // INSERT OR … INTO … VALUES
	one  string // (?,?,…)
	cols int
	args []driver.NamedValue
}

// rowsAtOnce are the numbers of rows a statement inserts: few sizes, so that
// each is prepared once.
var rowsAtOnce = [...]int{64, 16, 4, 1}

// newRows collects for a table. The conflict clause is FAIL: the default would
// have SQLite keep a journal for every statement, to take back half of it, and
// here a failure takes back the whole transaction anyway.
func newRows(table string, cols int) *rows {
	return &rows{
		head: "INSERT OR FAIL INTO " + table + " VALUES ",
		one:  "(" + strings.TrimSuffix(strings.Repeat("?,", cols), ",") + ")",
		cols: cols,
	}
}

// add takes one row: int64, string, []byte or nil each.
func (b *rows) add(values ...driver.Value) {
	for _, v := range values {
		b.args = append(b.args, driver.NamedValue{Value: v})
	}
}

// flush inserts what was added.
func (b *rows) flush(c *conn) error {
	args := b.args
	for _, n := range rowsAtOnce {
		for len(args) >= n*b.cols {
			part := args[:n*b.cols]
			for i := range part {
				part[i].Ordinal = i + 1
			}
			s, err := c.prepare(b.head + strings.Repeat(b.one+",", n-1) + b.one)
			if err != nil {
				return err
			}
			if _, err := s.(driver.StmtExecContext).ExecContext(context.Background(), part); err != nil {
				return err
			}
			args = args[len(part):]
		}
	}
	b.drop()
	return nil
}

// drop forgets what was added and lets go of its texts.
func (b *rows) drop() {
	clear(b.args)
	b.args = b.args[:0]
}
