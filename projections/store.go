package projections

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"zombiezen.com/go/sqlite"

	"shiplog/events"
	"shiplog/events/ledger"
)

// store is one file of the read model: one connection that writes, several that
// read. Readers see what was committed when they began, whatever the writer
// does meanwhile.
type store struct {
	path string
	w    *writer // nil for a file that is only read

	loading bool // see loadStore; the writer's

	free chan *conn    // readers at rest
	room chan struct{} // a token for each reader that may yet be opened

	mu     sync.Mutex
	seq    uint64 // committed
	leaf   events.Hash
	count  int64 // of changes of verdicts
	closed bool
	harm   error          // that a reader has met, see [store.met]
	used   sync.WaitGroup // snapshots
}

// The writer syncs when it checkpoints, not with every commit: what a crash of
// the machine may lose is built again from the ledger.
const (
	// oneProcess keeps the index of the write-ahead log in memory of the process
	// and not in a file that is mapped (https://sqlite.org/vfs.html, unix-excl):
	// where a disk hangs, a write to such a page would wait for it outside of any
	// system call, Go's collector for that write, and all else for the collector.
	// The data directory is locked for other processes anyway, unless somebody has
	// deleted the lock.
	oneProcess = "vfs=unix-excl&"

	// soonTold has a file that another process has open be told of: left to itself
	// the library waits for it for ever.
	soonTold = "_pragma=busy_timeout(1000)&"

	writerOptions = oneProcess + soonTold + "_pragma=journal_mode(wal)&_pragma=synchronous(normal)" +
		"&_pragma=cache_size(-32768)&_pragma=temp_store(memory)&_pragma=wal_autocheckpoint(8192)" +
		"&_pragma=busy_timeout(10000)&_pragma=journal_size_limit(67108864)"
	readerOptions = oneProcess + "mode=rw&_pragma=query_only(1)&_pragma=temp_store(memory)&_pragma=cache_size(-8192)&_pragma=busy_timeout(10000)" +
		"&_pragma=mmap_size(268435456)"
	// freshOptions are for a file that a reader opens beside its own.
	freshOptions = oneProcess + "mode=rw"
)

// openStore opens a file or makes it. One that another version has made is opened
// to be read only, see [outdated]; one that cannot be read, or is not of this kind
// at all, is deleted and made anew.
func openStore(path string, o Options) (*store, error) {
	c, version, err := openWriter(path)
	if err != nil {
		return nil, err
	}
	if version != schemaVersion {
		err := c.close()
		if err == nil {
			if s, err := outdated(path, o); err == nil {
				return s, nil
			}
			err = removeStore(path)
		}
		if err != nil {
			return nil, err
		}
		return openStore(path, o)
	}
	s := newStore(path, o)
	s.w, err = newWriter(c, o.tools())
	if damaged(err) {
		if err := errors.Join(c.close(), removeStore(path)); err != nil {
			return nil, err
		}
		return openStore(path, o)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), c.close())
	}
	s.seq, s.leaf, s.count = s.w.seq, s.w.leaf, s.w.changes
	return s, nil
}

func newStore(path string, o Options) *store {
	s := &store{path: path, free: make(chan *conn, o.readers()), room: make(chan struct{}, o.readers())}
	for range o.readers() {
		s.room <- struct{}{}
	}
	return s
}

// openWriter opens a file, and makes its tables where there are none. The version
// is the file's.
func openWriter(path string) (c *conn, version int, err error) {
	empty := false
	c, err = openConn(path, writerOptions)
	if err == nil {
		err = c.query(context.Background(), `SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version`, nil, func(r *row) {
			version, empty = r.int(), r.int() == 0
		})
		if err == nil && !empty {
			return c, version, nil
		}
		_ = c.close() // it is deleted, or the error says more
	}
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
		err = fmt.Errorf("%w (%w); stop the other shiplog or choose another directory with --data", ledger.ErrLocked, err)
	}
	if err != nil && !damaged(err) {
		return nil, 0, fmt.Errorf("open %s: %w", path, err)
	}
	if err := removeStore(path); err != nil {
		return nil, 0, err
	}
	if c, err = openConn(path, writerOptions); err != nil {
		return nil, 0, fmt.Errorf("open %s: %w", path, err)
	}
	if err := makeTables(c); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("make the tables of %s: %w", path, err), c.close())
	}
	return c, schemaVersion, nil
}

// damaged reports whether SQLite finds that the file is not what it wrote.
func damaged(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary() // the rest says where it was found
	return code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB
}

func makeTables(c *conn) error {
	for _, statement := range append(append([]string{"BEGIN"}, schema...), fmt.Sprintf("PRAGMA user_version = %d", schemaVersion), "COMMIT") {
		if err := c.exec(statement); err != nil {
			return fmt.Errorf("%.40s: %w", statement, err)
		}
	}
	return nil
}

// removeStore deletes a file of the read model and what SQLite keeps beside it.
func removeStore(path string) error {
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// position is the last event committed.
func (s *store) position() (uint64, events.Hash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seq, s.leaf
}

func (s *store) changes() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return uint64(s.count)
}

func (s *store) apply(batch []*events.Event) error {
	if s.w == nil {
		return ErrOutdated
	}
	err := s.w.apply(batch)
	switch {
	case damaged(err):
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultFull:
		err = fmt.Errorf("no room for %s; make some on its disk, and it goes on by itself: %w", filepath.Base(s.path), err)
	}
	s.mu.Lock()
	if !s.w.stale {
		s.seq, s.leaf, s.count = s.w.seq, s.w.leaf, s.w.changes
	}
	s.mu.Unlock()
	return err
}

// met keeps that a reader has found the file damaged. Where nothing is written,
// nobody else finds it.
func (s *store) met(err error) {
	if !damaged(err) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.harm == nil {
		s.harm = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
}

// damage is what a reader has met, nil for none.
func (s *store) damage() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.harm
}

// reader is a connection to read with, given back by release.
func (s *store) reader(ctx context.Context) (*conn, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrClosed
	}
	s.used.Add(1)
	s.mu.Unlock()
	select {
	case c := <-s.free:
		return c, nil
	default:
	}
	select {
	case c := <-s.free:
		return c, nil
	case <-s.room:
		c, err := openConn(s.path, readerOptions)
		if err != nil {
			s.met(err)
			s.room <- struct{}{}
			s.used.Done()
			return nil, fmt.Errorf("open %s: %w", s.path, err)
		}
		return c, nil
	case <-ctx.Done():
		s.used.Done()
		return nil, context.Cause(ctx)
	}
}

// release takes a reader back, or closes it when it is broken.
func (s *store) release(c *conn, broken bool) error {
	defer s.used.Done()
	if !broken {
		s.free <- c
		return nil
	}
	s.room <- struct{}{}
	return c.close()
}

// close waits for the readers. The writer must rest.
func (s *store) close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.used.Wait()
	var errs []error
	for {
		select {
		case c := <-s.free:
			errs = append(errs, c.close())
			continue
		default:
		}
		break
	}
	if s.w != nil {
		errs = append(errs, s.w.c.close())
	}
	return errors.Join(errs...)
}
