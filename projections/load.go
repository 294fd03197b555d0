package projections

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// loadStore makes a file that nobody reads before it is [store.loaded]. Until
// then nothing is synced and there is no write-ahead log: each page is written
// once. Nor is a copy kept of what a transaction overwrites, which would be a
// tenth of the work: a batch that fails spoils the file, unless it was
// [store.guard]ed before. Where the process dies meanwhile the file is of no use
// either, and is deleted at the next start.
func loadStore(path string, o Options) (*store, error) {
	s, err := openStore(path, o)
	if err != nil {
		return nil, err
	}
	if err := s.w.c.pragma("journal_mode=off", "synchronous=off"); err != nil {
		return nil, errors.Join(err, s.close(), removeStore(path))
	}
	s.loading, s.w.unguarded = true, true
	return s, nil
}

// guard has a batch that fails taken back, from memory. The writer must rest.
func (s *store) guard() error {
	if s.w.spoiled {
		return ErrSpoiled
	}
	if !s.w.unguarded {
		return nil
	}
	if err := s.w.c.pragma("journal_mode=memory"); err != nil {
		return err
	}
	s.w.unguarded = false
	return nil
}

// loaded makes it a file like any other, on disk whole. The writer must rest.
func (s *store) loaded() error {
	if !s.loading {
		return nil
	}
	if err := s.w.c.pragma("synchronous=normal", "journal_mode=wal"); err != nil {
		return err
	}
	file, err := os.Open(s.path)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", s.path, err)
	}
	s.loading, s.w.unguarded = false, false
	return nil
}

// pragma sets options of a connection.
func (c *conn) pragma(settings ...string) error {
	for _, set := range settings {
		if err := c.query(context.Background(), "PRAGMA "+set, nil, func(*row) {}); err != nil {
			return fmt.Errorf("set %s: %w", set, err)
		}
	}
	return nil
}
