package projections

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	_ "modernc.org/sqlite" // mends, when it starts, what SQLite takes for the size of a page of memory on arm64
	"zombiezen.com/go/sqlite"
)

// conn is one SQLite connection with the statements it has prepared. One
// goroutine at a time uses it, and so SQLite needs no lock for each call, nor
// database/sql.
type conn struct {
	db    *sqlite.Conn
	stmts map[string]*sqlite.Stmt
}

// openConn opens a file. The options are those of SQLite's addresses
// (https://sqlite.org/uri.html) and, each with "_pragma", what is set.
func openConn(path, options string) (*conn, error) {
	set, err := url.ParseQuery(options)
	if err != nil {
		return nil, fmt.Errorf("options of %s: %w", path, err)
	}
	pragmas := set["_pragma"]
	delete(set, "_pragma")
	db, err := sqlite.OpenConn(address(path, set.Encode()), sqlite.OpenReadWrite, sqlite.OpenCreate, sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	c := &conn{db: db, stmts: make(map[string]*sqlite.Stmt)}
	if err := c.pragma(pragmas...); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// address is a path with options as SQLite takes them. A path is anything; a file:
// URL says so unmistakably.
func address(path, options string) string {
	u := url.URL{Scheme: "file", Path: path, RawQuery: options}
	return u.String()
}

func (c *conn) close() error {
	return errors.Join(c.forget(), c.db.Close())
}

// forget lets go of all statements; they are at rest.
func (c *conn) forget() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Finalize())
	}
	clear(c.stmts)
	return errors.Join(errs...)
}

// maxStatements bounds what a connection keeps prepared: some statements have a
// quorum in them.
const maxStatements = 256

// prepare keeps statements by itself: the library would unbind a statement that
// it keeps, for which SQLite plans it anew.
func (c *conn) prepare(query string) (*sqlite.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		_ = c.forget()
	}
	s, _, err := c.db.PrepareTransient(query)
	if err != nil {
		return nil, fmt.Errorf("prepare %.60q: %w", query, err)
	}
	c.stmts[query] = s
	return s, nil
}

// bindAll gives a statement its arguments. Those it does not name are left aside:
// queries of a snapshot are all given its position.
func bindAll(s *sqlite.Stmt, args []any) error {
	count := s.BindParamCount()
	if len(args) < count {
		return fmt.Errorf("%d arguments for %d parameters", len(args), count)
	}
	for i, a := range args[:count] {
		bind(s, i+1, a)
	}
	return nil
}

// bind gives a statement an argument: a whole number, a truth value, a text, bytes
// or nil. An error is told when the statement is run.
func bind(s *sqlite.Stmt, at int, value any) {
	switch v := value.(type) {
	case int:
		s.BindInt64(at, int64(v))
	case int64:
		s.BindInt64(at, v)
	case uint64:
		s.BindInt64(at, int64(v))
	case bool:
		s.BindBool(at, v)
	case string:
		s.BindText(at, v)
	case []byte:
		s.BindBytes(at, v)
	case nil:
		s.BindNull(at)
	default:
		panic(fmt.Sprintf("projections: %T is no argument of a statement", value))
	}
}

// exec runs a statement. It is not interrupted by a context: the statements of
// a projection are short, and a goroutine for each would cost more than they.
func (c *conn) exec(query string, args ...any) error {
	return c.query(context.Background(), query, args, noRow)
}

// noRow is for statements that have none.
func noRow(*row) {}

// query calls fn with every row.
func (c *conn) query(ctx context.Context, query string, args []any, fn func(*row)) error {
	if ctx.Done() != nil {
		c.db.SetInterrupt(ctx.Done())
		defer c.db.SetInterrupt(nil)
	}
	s, err := c.prepare(query)
	if err == nil {
		err = bindAll(s, args)
	}
	if err == nil {
		err = each(s, fn)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// each runs a statement and leaves it at rest.
func each(s *sqlite.Stmt, fn func(*row)) (err error) {
	defer func() {
		if errReset := s.Reset(); err == nil {
			err = errReset
		}
	}()
	r := row{values: make([]any, s.ColumnCount())}
	for {
		more, err := s.Step()
		if err != nil || !more {
			return err
		}
		for i := range r.values {
			r.values[i] = column(s, i)
		}
		r.next = 0
		fn(&r)
	}
}

// column is an int64, a float64, a string, bytes or nil.
func column(s *sqlite.Stmt, i int) any {
	switch s.ColumnType(i) {
	case sqlite.TypeInteger:
		return s.ColumnInt64(i)
	case sqlite.TypeFloat:
		return s.ColumnFloat(i)
	case sqlite.TypeText:
		return s.ColumnText(i)
	case sqlite.TypeBlob:
		b := make([]byte, s.ColumnLen(i))
		s.ColumnBytes(i, b)
		return b
	default:
		return nil
	}
}

// row is read column by column.
type row struct {
	values []any
	next   int
}

func (r *row) value() any {
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
