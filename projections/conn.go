package projections

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"modernc.org/sqlite"
)

// conn is one SQLite connection with the statements it has prepared. It speaks
// to the driver directly: database/sql would prepare a statement anew in every
// transaction and look at every argument again.
type conn struct {
	raw   driver.Conn
	stmts map[string]driver.Stmt
	args  []driver.NamedValue
}

func openConn(path, options string) (*conn, error) {
	raw, err := new(sqlite.Driver).Open(address(path, options))
	if err != nil {
		return nil, err
	}
	return &conn{raw: raw, stmts: make(map[string]driver.Stmt)}, nil
}

// address is a path with options as SQLite takes them. A path is anything; a file:
// URL says so unmistakably.
func address(path, options string) string {
	u := url.URL{Scheme: "file", Path: path, RawQuery: options}
	return u.String()
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.raw.Close())...)
}

// maxStatements bounds what a connection keeps prepared: some statements have a
// quorum in them.
const maxStatements = 256

func (c *conn) prepare(query string) (driver.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		for _, s := range c.stmts {
			_ = s.Close() // it is at rest
		}
		clear(c.stmts)
	}
	s, err := c.raw.Prepare(query)
	if err != nil {
		return nil, fmt.Errorf("prepare %.60q: %w", query, err)
	}
	c.stmts[query] = s
	return s, nil
}

// values brings arguments into the form of the driver: it takes int64, string,
// []byte and nil.
func (c *conn) values(args []any) []driver.NamedValue {
	c.args = c.args[:0]
	for i, a := range args {
		switch v := a.(type) {
		case int:
			a = int64(v)
		case uint64:
			a = int64(v)
		case bool:
			a = int64(0)
			if v {
				a = int64(1)
			}
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return c.args
}

// exec runs a statement. It is not interrupted by a context: the statements of
// a projection are short, and a goroutine for each would cost more than they.
func (c *conn) exec(query string, args ...any) error {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	_, err = s.(driver.StmtExecContext).ExecContext(context.Background(), c.values(args))
	return err
}

// query calls fn with every row.
func (c *conn) query(ctx context.Context, query string, args []any, fn func(*row)) error {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(ctx, c.values(args))
	if err != nil {
		return err
	}
	r := row{values: make([]driver.Value, len(rows.Columns()))}
	for {
		if err = rows.Next(r.values); err != nil {
			break
		}
		r.next = 0
		fn(&r)
	}
	errClose := rows.Close()
	if !errors.Is(err, io.EOF) {
		return err
	}
	return errClose
}

// row is read column by column.
type row struct {
	values []driver.Value
	next   int
}

func (r *row) value() driver.Value {
	v := r.values[r.next]
	r.next++
	return v
}

// int reads a whole number; NULL is 0.
func (r *row) int() int {
	n, _ := r.value().(int64)
	return int(n)
}

func (r *row) id() int64 { return int64(r.int()) }

func (r *row) seq() uint64 { return uint64(r.int()) }

func (r *row) bool() bool { return r.int() != 0 }

// text reads a text; NULL is empty.
func (r *row) text() string {
	s, _ := r.value().(string)
	return s
}

func (r *row) blob() []byte {
	b, _ := r.value().([]byte)
	return b
}

func (r *row) null() bool { return r.values[r.next] == nil }

// time reads Unix milliseconds.
func (r *row) time() time.Time { return timeOf(r.id()) }

// stamp reads a sequence and its two times; a NULL or 0 sequence is no stamp.
func (r *row) stamp() Stamp {
	seq, recorded, published := r.seq(), r.id(), r.id()
	if seq == 0 {
		return Stamp{}
	}
	return Stamp{Seq: seq, Time: timeOf(recorded), Published: timeOf(published)}
}

func timeOf(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
