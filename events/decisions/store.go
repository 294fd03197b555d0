package decisions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shiplog/events"
	"shiplog/events/decide"
)

// Memory of a store: the blocks it has read, and the writes it keeps before they
// go to disk, two of them at most. Pebble takes the room of the writes out of its
// cache, and where that is no larger keeps no block at all.
const (
	readBytes   = 32 << 20
	memoryTable = 16 << 20
	cacheBytes  = readBytes + 2*memoryTable
)

// Store is the decision state on disk. It implements [decide.Base]. Reads and
// writes come from one goroutine; others read a [View].
type Store struct {
	dir string
	*generation
	switching sync.Mutex // of generations, against those who open a view
}

// Open opens the store in dir, and makes it anew when it is of another version
// or damaged: it can always be folded again from the ledger.
func Open(dir string) (*Store, error) {
	name, err := current(dir)
	if err != nil {
		return nil, fmt.Errorf("open decision state %s: %w", dir, err)
	}
	path := filepath.Join(dir, name)
	g, err := open(path)
	if err != nil && mendable(err) {
		if err := os.RemoveAll(path); err != nil {
			return nil, fmt.Errorf("remove decision state %s: %w", dir, err)
		}
		g, err = open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("open decision state %s: %w", dir, err)
	}
	if err := removeOthers(dir, name); err != nil {
		return nil, errors.Join(fmt.Errorf("open decision state %s: %w", dir, err), g.close())
	}
	return &Store{dir: dir, generation: g}, nil
}

var errOther = errors.New("decision state is of another version")

// ErrDamaged means that something was read which is not what was written.
var ErrDamaged = errors.New("decision state is damaged; it is made anew by `shiplog rebuild`, and when the node starts again")

// mendable reports whether an error is in what the store holds: not in whether
// it may be read, which a new one would not change. Damage has many forms; a
// file that is too short, for one, is no corruption to Pebble.
func mendable(err error) bool {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno == syscall.ENOENT
	}
	return !strings.Contains(err.Error(), "lock held")
}

// damagedName is a file that says, across a restart, that something could not
// be read.
const damagedName = "DAMAGED"

// note leaves a note of damage for the next start. Pebble would end the process
// at once where nobody listens.
func note(dir string, err error) {
	_ = os.WriteFile(filepath.Join(dir, damagedName), []byte(err.Error()+"\n"), 0o600) // the reader has the error as well
}

// damaged says what an error of damage means.
func damaged(err error) error {
	if err == nil || !pebble.IsCorruptionError(err) {
		return err
	}
	where, _, _ := strings.Cut(err.Error(), "\n") // what follows is Pebble's own
	return fmt.Errorf("%w (%s)", ErrDamaged, where)
}

func open(dir string) (*generation, error) { return openOn(dir, vfs.Default) }

func openOn(dir string, disk vfs.FS) (*generation, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, damagedName)); err == nil {
		return nil, ErrDamaged
	}
	cache := pebble.NewCache(cacheBytes)
	g := &generation{dir: dir, cache: cache, tools: recent[decide.Tool]{}}
	g.files = &patientFS{FS: disk, fault: &g.fault}
	options := &pebble.Options{
		FS:                          g.files,
		Cache:                       cache,
		MemTableSize:                memoryTable,
		MemTableStopWritesThreshold: 3,
		L0CompactionThreshold:       4,
		MaxOpenFiles:                256,
		Logger:                      lastWord{fs: g.files},
		FormatMajorVersion:          pebble.FormatNewest,
		// The ledger is the log: what is still in memory when the process dies is
		// folded again from there. A log of its own would be written beside every
		// commit, and each sync of the ledger would wait for it.
		DisableWAL: true,
		EventListener: &pebble.EventListener{
			DataCorruption:  func(info pebble.DataCorruptionInfo) { note(dir, info.Details) },
			BackgroundError: g.fault.met,
			FlushEnd:        g.fault.mended,
		},
	}
	for i := range options.Levels {
		options.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := pebble.Open(dir, options)
	if err != nil {
		cache.Unref()
		return nil, err
	}
	g.db = db
	g.files.begin()
	if err := errors.Join(g.readHead(), g.written()); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// silent drops what Pebble says of its housekeeping; what goes wrong comes back
// as an error.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf("decision state: "+format, args...))
}

func (g *generation) readHead() error {
	g.rules = events.DefaultRules()
	known, err := g.read([]byte{prefixHead}, func(p *parser) error {
		head, rules, ok := parseHead(p)
		if !ok {
			return errOther
		}
		g.head, g.rules = head, rules
		return nil
	})
	if err != nil || known {
		return err
	}
	return nil
}

// Close writes what is still in memory and closes the store. With [ErrNotFlushed]
// it is closed, too.
func (s *Store) Close() error {
	return errors.Join(s.flush(), s.close())
}

// Commit writes all changes of a layer, which must lie on the store, in one
// atomic batch.
//
// While Pebble cannot write to the disk it fails, and the store speaks as of
// its last commit.
func (s *Store) Commit(layer *decide.State) error {
	if err := s.fault.get(); err != nil {
		return fmt.Errorf("write decision state: %w", err)
	}
	batch := s.db.NewBatch()
	defer batch.Close()
	c := &changes{batch: batch, tools: s.tools}
	layer.Write(c)
	if c.err == nil {
		c.err = errors.Join(batch.Commit(pebble.NoSync), s.written())
	}
	if c.err != nil {
		clear(s.tools)
		return fmt.Errorf("write decision state: %w", c.err)
	}
	s.head, s.rules = layer.Head(), layer.Rules()
	return nil
}

// changes writes a layer into a batch.
type changes struct {
	batch *pebble.Batch
	tools recent[decide.Tool]
	key   []byte
	value writer
	err   error
}

func (c *changes) set(key []byte, value writer) {
	c.key, c.value = key, value
	if err := c.batch.Set(key, value, nil); err != nil {
		c.err = err
	}
}

func (c *changes) remove(key []byte) {
	c.key = key
	if err := c.batch.Delete(key, nil); err != nil {
		c.err = err
	}
}

func (c *changes) PutIdentity(k decide.Key, v decide.Identity) {
	c.set(identityKey(c.key[:0], k), appendIdentity(c.value[:0], v))
}

func (c *changes) PutTool(slug string, t decide.Tool) {
	c.set(slugKey(c.key[:0], prefixTool, slug), appendTool(c.value[:0], t))
	c.tools.put(slug, t)
}

func (c *changes) PutAlias(alias, tool string) {
	key := slugKey(c.key[:0], prefixAlias, alias)
	if tool == "" {
		c.remove(key)
		return
	}
	c.set(key, append(c.value[:0], tool...))
}

func (c *changes) PutReviewer(slug string, r decide.Reviewer) {
	c.set(slugKey(c.key[:0], prefixReviewer, slug), append(c.value[:0], boolByte(r.Seated)))
}

func (c *changes) PutReview(a decide.About, r decide.Review) {
	c.set(twoKey(c.key[:0], prefixReview, a.Tool, a.Reviewer), appendReview(c.value[:0], r))
}

func (c *changes) PutPair(p decide.Pair, seq uint64) {
	w := c.value[:0]
	w.uint(seq)
	c.set(twoKey(c.key[:0], prefixPair, p.A, p.B), w)
}

func (c *changes) PutReply(seq uint64, tool string) {
	key := replyKey(c.key[:0], seq)
	if tool == "" {
		c.remove(key)
		return
	}
	c.set(key, append(c.value[:0], tool...))
}

func (c *changes) PutRank(r decide.Rank, present bool) {
	key := rankKey(c.key[:0], r)
	if !present {
		c.remove(key)
		return
	}
	c.set(key, c.value[:0])
}

func (c *changes) PutHead(h decide.Head, r events.Rules) {
	c.set([]byte{prefixHead}, appendHead(c.value[:0], h, r))
}
