package projections

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// loadStore makes a file that nobody reads before it is [store.loaded]. Until
// then nothing is synced and there is no write-ahead log: each page is written
// once, and a transaction is taken back from memory. Where the process dies
// meanwhile the file is of no use, and is deleted at the next start.
func loadStore(path string, o Options) (*store, error) {
	s, err := openStore(path, o)
	if err != nil {
		return nil, err
	}
	if err := s.w.c.pragma("journal_mode=memory", "synchronous=off"); err != nil {
		return nil, errors.Join(err, s.close(), removeStore(path))
	}
	s.loading = true
	return s, nil
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
	s.loading = false
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
