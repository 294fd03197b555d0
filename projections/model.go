package projections

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"shiplog/events"
	"shiplog/events/audit"
)

// Model is the read model: all tables of the projection "panel" in one SQLite
// file, so that everything read through one [Snapshot] is of one position.
//
// One goroutine applies events (usually a [Runner]); any number take snapshots.
type Model struct {
	dir     string
	options Options

	mu    sync.RWMutex
	store *store
}

// Options set up a [Model]. The zero value will do.
type Options struct {
	// Readers is how many snapshots are open at a time, at most; others wait.
	// 0 means 4, or twice the processors if that is more.
	Readers int
	// Tools is how many tools and reviewers are kept in memory between events.
	// 0 means 16,384.
	Tools int
	// Loading is for an empty directory that is filled before anybody reads: it is
	// kept neither from a crash until then, see [Model.Loaded], nor from a batch that
	// fails.
	Loading bool
}

func (o Options) readers() int {
	if o.Readers > 0 {
		return o.Readers
	}
	return max(4, 2*runtime.NumCPU())
}

func (o Options) tools() int {
	if o.Tools > 0 {
		return o.Tools
	}
	return 16 << 10
}

// The files of a model's directory: one database, and the name of the one in
// use, since a rebuild makes another beside it.
const (
	currentFile = "CURRENT"
	storePrefix = "panel-"
	firstStore  = storePrefix + "1.db"
)

// Open opens the read model in a directory or makes an empty one. What another
// version of the program has built is kept to be read, see [Model.Outdated], or
// thrown away where this version cannot read it.
func Open(dir string, o Options) (*Model, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open read model: %w", err)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("open read model: %w", err)
	}
	name, err := currentStore(dir)
	if err != nil {
		return nil, fmt.Errorf("open read model: %w", err)
	}
	if err := removeOthers(dir, name); err != nil {
		return nil, fmt.Errorf("open read model: %w", err)
	}
	open := openStore
	if o.Loading {
		open = loadStore
	}
	s, err := open(filepath.Join(dir, name), o)
	if err != nil {
		return nil, fmt.Errorf("open read model: %w", err)
	}
	m := &Model{dir: dir, options: o, store: s}
	if !o.Loading {
		m.openReaders()
	}
	return m, nil
}

// readersAhead is how many mostly read at once.
const readersAhead = 4

// openReaders opens connections before they are needed: on a disk that hangs none
// can be opened, and what is in memory can be read. What is wrong with the file is
// left to those who read it.
func (m *Model) openReaders() {
	var open []*Snapshot
	for range min(readersAhead, m.options.readers()) {
		s, err := m.begin(context.Background())
		if err != nil {
			break
		}
		open = append(open, s)
	}
	for _, s := range open {
		_ = s.Close() // nothing was written
	}
}

// currentStore is the name of the database in use.
func currentStore(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, currentFile))
	if errors.Is(err, os.ErrNotExist) {
		return firstStore, nil
	}
	name := strings.TrimSpace(string(b))
	if err == nil && (name != filepath.Base(name) || !strings.HasPrefix(name, storePrefix)) {
		return firstStore, nil
	}
	return name, err
}

// removeOthers deletes what an unfinished rebuild has left.
func removeOthers(dir, name string) error {
	files, err := filepath.Glob(filepath.Join(dir, storePrefix+"*.db"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if filepath.Base(file) != name {
			if err := removeStore(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close waits for open snapshots and closes the file.
func (m *Model) Close() error {
	if err := m.inUse().close(); err != nil {
		return fmt.Errorf("close read model: %w", err)
	}
	return nil
}

func (m *Model) inUse() *store {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.store
}

// Name is "panel".
func (m *Model) Name() string { return "panel" }

// Position is the last event applied and its leaf.
func (m *Model) Position() (uint64, events.Hash) {
	return m.inUse().position()
}

// VerdictChanges is how many changes of labels there were up to the position.
func (m *Model) VerdictChanges() uint64 {
	return m.inUse().changes()
}

// Apply writes a batch, see [Projection].
func (m *Model) Apply(ctx context.Context, batch []*events.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return m.inUse().apply(batch)
}

// Damage is an [ErrDamaged] once somebody who reads the file in use has found it
// damaged; a [Runner] builds a new one in its place.
func (m *Model) Damage() error { return m.inUse().damage() }

// Loaded ends what [Options].Loading began: the file is on disk, and from now on
// kept as one that is read. A second call does nothing. Nothing is applied
// meanwhile.
func (m *Model) Loaded() error {
	if err := m.inUse().loaded(); err != nil {
		return fmt.Errorf("load read model: %w", err)
	}
	return nil
}

// Path is the database in use.
func (m *Model) Path() string {
	return m.inUse().path
}

// Fresh makes an empty model beside this one, to be built while this one is
// read. See [Rebuildable].
func (m *Model) Fresh() (Replacement, error) {
	n, err := generationOf(m.Path())
	if err != nil {
		return nil, fmt.Errorf("rebuild: %w", err)
	}
	path := filepath.Join(m.dir, fmt.Sprintf(storePrefix+"%d.db", n+1))
	if err := removeStore(path); err != nil {
		return nil, fmt.Errorf("rebuild: %w", err)
	}
	s, err := loadStore(path, m.options)
	if err != nil {
		return nil, fmt.Errorf("rebuild: %w", err)
	}
	return &freshModel{Model: &Model{dir: m.dir, options: m.options, store: s}, of: m}, nil
}

// freshModel is a model that is being built to replace another.
type freshModel struct {
	*Model
	of *Model
}

// Guard has batches that fail taken back, see [Replacement].
func (f *freshModel) Guard() error {
	if err := f.store.guard(); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	return nil
}

// comparers is how many snapshots a comparison reads with. One of them reads
// through SQLite's cache, of which all have one lock: two would wait for each other.
const comparers = 2

// Compare opens snapshots of both, see [Replacement].
func (f *freshModel) Compare(ctx context.Context) (func(context.Context) (audit.Comparison, error), error) {
	var list []*Snapshot
	closeAll := func() {
		for _, s := range list {
			_ = s.Close() // nothing was written
		}
	}
	for range min(comparers, f.options.readers()) {
		have, err := f.of.begin(ctx)
		if err != nil {
			closeAll()
			return failing(err), nil
		}
		list = append(list, have)
		if len(list) == 1 {
			err = have.unmapped()
		}
		if err := errors.Join(err, have.attach(ctx, f.Model)); err != nil {
			closeAll()
			return nil, err
		}
	}
	return func(ctx context.Context) (audit.Comparison, error) {
		defer closeAll()
		return differences(ctx, list...)
	}, nil
}

// failing is a comparison with what cannot be read.
func failing(err error) func(context.Context) (audit.Comparison, error) {
	return func(context.Context) (audit.Comparison, error) { return audit.Comparison{}, err }
}

// Switch puts the new file in place of the old one, which is deleted once the
// last snapshot of it is closed.
func (f *freshModel) Switch() error {
	m := f.of
	name := filepath.Base(f.store.path)
	tmp := filepath.Join(m.dir, currentFile+".new")
	if err := os.WriteFile(tmp, []byte(name+"\n"), 0o640); err != nil {
		return fmt.Errorf("switch read model: %w", err)
	}
	if err := os.Rename(tmp, filepath.Join(m.dir, currentFile)); err != nil {
		return fmt.Errorf("switch read model: %w", err)
	}
	m.mu.Lock()
	old := m.store
	m.store = f.store
	m.mu.Unlock()
	if err := errors.Join(old.close(), removeStore(old.path)); err != nil {
		return fmt.Errorf("remove the old read model: %w", err)
	}
	return nil
}

// Discard deletes the new file.
func (f *freshModel) Discard() error {
	return errors.Join(f.store.close(), removeStore(f.store.path))
}
