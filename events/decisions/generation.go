package decisions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"shiplog/events"
	"shiplog/events/decide"
)

// A generation is one folding of the ledger, in a folder of its own. A store has
// one, and while it is folded anew another beside it.
type generation struct {
	dir   string
	db    *pebble.DB
	cache *pebble.Cache
	files *patientFS
	fault fault
	head  decide.Head
	rules events.Rules
	views views
	tools recent[decide.Tool]

	// For look-ups, by the goroutine that writes: see [generation.lookUp].
	look     *pebble.Iterator
	looks    uint
	filtered bool
}

// The files of a store's folder: one folder for each generation, and the name of
// the one in use.
const (
	currentFile      = "CURRENT"
	generationPrefix = "state-"
	firstGeneration  = generationPrefix + "1"
)

// current is the name of the generation in use.
func current(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, currentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return firstGeneration, nil
	}
	name := strings.TrimSpace(string(b))
	if err == nil && (name != filepath.Base(name) || !strings.HasPrefix(name, generationPrefix)) {
		return firstGeneration, nil
	}
	return name, err
}

// removeOthers deletes what an unfinished refolding, or another version, left. The
// folder may be the root of a disk of its own, whose lost+found is not ours.
func removeOthers(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != name && e.Name() != currentFile && e.Name() != "lost+found" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// Fresh makes an empty store beside this one, to be folded while this one is in
// use. It ends with [Store.Adopt] or [Store.Discard].
func (s *Store) Fresh() (*Store, error) {
	var n int
	if _, err := fmt.Sscanf(filepath.Base(s.generation.dir), generationPrefix+"%d", &n); err != nil {
		return nil, fmt.Errorf("the folder %s has no number: %w", s.generation.dir, err)
	}
	path := filepath.Join(s.dir, fmt.Sprintf("%s%d", generationPrefix, n+1))
	if err := os.RemoveAll(path); err != nil {
		return nil, fmt.Errorf("make room for a new decision state: %w", err)
	}
	g, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("open decision state %s: %w", path, err)
	}
	return &Store{dir: s.dir, generation: g}, nil
}

// Adopt puts a fresh store in the place of what this one holds, which is deleted.
// It is for the goroutine that writes, while nobody reads but by a [View]. Killed at any moment,
// one of the two is there when the store is opened again.
func (s *Store) Adopt(fresh *Store) error {
	if err := fresh.flush(); err != nil {
		return fmt.Errorf("write decision state: %w", err)
	}
	tmp := filepath.Join(s.dir, currentFile+".new")
	if err := os.WriteFile(tmp, []byte(filepath.Base(fresh.generation.dir)+"\n"), 0o600); err != nil {
		return fmt.Errorf("switch decision state: %w", err)
	}
	if err := os.Rename(tmp, filepath.Join(s.dir, currentFile)); err != nil {
		return fmt.Errorf("switch decision state: %w", err)
	}
	s.switching.Lock()
	old := s.generation
	s.generation = fresh.generation
	s.switching.Unlock()
	// What cannot be removed now is removed at the next start.
	_ = old.retire()
	return nil
}

// Discard deletes a fresh store.
func (s *Store) Discard() error {
	return errors.Join(s.generation.close(), os.RemoveAll(s.generation.dir))
}

func (g *generation) close() error {
	g.files.end()
	err := errors.Join(g.written(), g.db.Close())
	g.cache.Unref()
	return err
}
