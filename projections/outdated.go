package projections

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"shiplog/events"
)

// outdated opens a file that another version of the program has made, to be read
// until a new one has been built; nothing is applied to it. The error says why it
// cannot be read.
//
// The queries are those of this version, so the file has to have what they ask
// for: every table, every column, every index. A column that is missing is added
// where the schema gives it a default, which says that readers may meet that
// value for as long as a build takes; an index that is missing is made. What the
// file has besides does no harm. A file to which something was added belongs to
// no version any more, so that no version goes on writing it.
func outdated(path string, o Options) (*store, error) {
	c, err := openConn(path, writerOptions)
	if err != nil {
		return nil, err
	}
	s := newStore(path, o)
	err = errors.Join(adapt(c), s.readMeta(c), c.close())
	if err == nil && s.seq == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ofNoVersion is the version of a file to which something was added.
const ofNoVersion = 0

// adapt adds what is missing, or tells what cannot be added.
func adapt(c *conn) error {
	model, err := openConn("/schema", "mode=memory")
	if err != nil {
		return err
	}
	additions, err := missing(c, model)
	if err = errors.Join(err, model.close()); err != nil || len(additions) == 0 {
		return err
	}
	additions = append([]string{"BEGIN IMMEDIATE"}, append(additions, fmt.Sprintf("PRAGMA user_version = %d", ofNoVersion), "COMMIT")...)
	for _, statement := range additions {
		if err := c.exec(statement); err != nil {
			return fmt.Errorf("%.60s: %w", statement, err)
		}
	}
	return nil
}

// missing are the statements that give a file what it lacks.
func missing(c, model *conn) ([]string, error) {
	if err := makeTables(model); err != nil {
		return nil, err
	}
	var add []string
	for _, t := range tables {
		columns, err := missingColumns(c, model, t[0])
		if err != nil {
			return nil, err
		}
		add = append(add, columns...)
	}
	has, err := indexes(c)
	if err != nil {
		return nil, err
	}
	want, err := indexes(model)
	if err != nil {
		return nil, err
	}
	for _, index := range want {
		if !slices.ContainsFunc(has, func(i [2]string) bool { return i == index }) {
			add = append(add, "DROP INDEX IF EXISTS "+index[0], index[1])
		}
	}
	return add, nil
}

func missingColumns(c, model *conn, table string) (add []string, err error) {
	has, err := columns(c, table)
	if err != nil {
		return nil, err
	}
	if len(has) == 0 {
		return nil, fmt.Errorf("it has no table %s", table)
	}
	want, err := columns(model, table)
	for _, column := range want {
		if slices.ContainsFunc(has, func(h columnInfo) bool { return h.name == column.name }) {
			continue
		}
		if column.def == "" {
			return nil, fmt.Errorf("its table %s has no column %s", table, column.name)
		}
		add = append(add, fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s NOT NULL DEFAULT %s", table, column.name, column.typ, column.def))
	}
	return add, err
}

type columnInfo struct{ name, typ, def string }

func columns(c *conn, table string) (list []columnInfo, err error) {
	err = c.query(context.Background(), `SELECT name, type, dflt_value FROM pragma_table_info(?)`, []any{table}, func(r *row) {
		list = append(list, columnInfo{r.text(), r.text(), r.text()})
	})
	return list, err
}

// indexes are the names of indexes with the statements that make them.
func indexes(c *conn) (list [][2]string, err error) {
	err = c.query(context.Background(), `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`, nil, func(r *row) {
		list = append(list, [2]string{r.text(), r.text()})
	})
	return list, err
}

// readMeta reads what a store that is not written to has to know.
func (s *store) readMeta(c *conn) error {
	err := c.query(context.Background(), `SELECT seq, leaf, (SELECT max(id) FROM changes) FROM meta`, nil, func(r *row) {
		s.seq, s.leaf, s.count = r.seq(), events.Hash(r.blob()), r.id()
	})
	if err != nil {
		return fmt.Errorf("its position cannot be read: %w", err)
	}
	return nil
}

// Outdated reports whether the file in use was made by another version of the
// program. It is read as it is; a [Runner] builds a new one in its place.
func (m *Model) Outdated() bool { return m.inUse().w == nil }

// ErrOutdated is the error of [Model.Apply] for a model that is outdated.
var ErrOutdated = errors.New("the read model was made by another version and is built anew")

// generationOf is the number in the name of a file.
func generationOf(path string) (n int, err error) {
	name := filepath.Base(path)
	if _, err := fmt.Sscanf(name, storePrefix+"%d.db", &n); err != nil {
		return 0, fmt.Errorf("the file %s has no number: %w", strings.TrimSpace(name), err)
	}
	return n, nil
}
