package projections

import (
	"strings"

	"zombiezen.com/go/sqlite"
)

// rows collects rows for one table and inserts many with one statement, which
// costs a fraction of as many statements. Whole numbers are by far the most of what
// is written, so they are kept as such, in one list; what else a row has comes
// after them.
type rows struct {
	inserts [len(rowsAtOnce)]string
	cols    int // numbers in a row
	texts   int // other values in a row, all after the numbers
	numbers []int64
	others  []any // string, []byte or nil each
}

// rowsAtOnce are the numbers of rows a statement inserts: few sizes, so that
// each is prepared once.
var rowsAtOnce = [...]int{64, 16, 4, 1}

// newRows collects for a table, which may name its columns. The conflict clause is
// FAIL: the default would have SQLite keep a journal for every statement, to take
// back half of it, and here a failure takes back the whole transaction anyway. It
// keeps one also where the row's number in the table is told to it, so tables whose
// rows are numbered from 1 without a gap leave that to SQLite.
func newRows(table string, cols, texts int) *rows {
	b := &rows{cols: cols, texts: texts}
	one := "(" + strings.TrimSuffix(strings.Repeat("?,", cols+texts), ",") + ")"
	for i, n := range rowsAtOnce {
		b.inserts[i] = "INSERT OR FAIL INTO " + table + " VALUES " + strings.Repeat(one+",", n-1) + one
	}
	return b
}

// add takes the numbers of one row, and what else it has.
func (b *rows) add(numbers []int64, others ...any) {
	b.numbers = append(b.numbers, numbers...)
	b.others = append(b.others, others...)
}

// flush inserts what was added.
func (b *rows) flush(c *conn) error {
	numbers, others := b.numbers, b.others
	for i, n := range rowsAtOnce {
		for len(numbers) >= n*b.cols {
			s, err := c.prepare(b.inserts[i])
			if err != nil {
				return err
			}
			b.bind(s, n, numbers, others)
			if err := each(s, noRow); err != nil {
				return err
			}
			numbers, others = numbers[n*b.cols:], others[n*b.texts:]
		}
	}
	b.drop()
	return nil
}

// bind gives a statement its rows. They stay bound until the next: at most what
// flush was called with.
func (b *rows) bind(s *sqlite.Stmt, n int, numbers []int64, others []any) {
	at := 1
	for i := range n {
		for _, v := range numbers[i*b.cols : (i+1)*b.cols] {
			s.BindInt64(at, v)
			at++
		}
		for _, v := range others[i*b.texts : (i+1)*b.texts] {
			bind(s, at, v)
			at++
		}
	}
}

// drop forgets what was added and lets go of its texts.
func (b *rows) drop() {
	clear(b.others)
	b.numbers, b.others = b.numbers[:0], b.others[:0]
}
