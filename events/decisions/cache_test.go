package decisions

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"shiplog/events/decide"
)

// What was read once is in memory: of the cache, there is as much left for
// blocks as is meant for them.
func TestBlocksAreKept(t *testing.T) {
	g, err := open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	key := func(i uint64) []byte { return binary.BigEndian.AppendUint64([]byte{prefixReply}, i) }
	const keys = 10_000
	for i := range uint64(keys) {
		if err := g.db.Set(key(i), []byte("tool"), pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	fillRoom(t, g)
	readAll := func() (misses int64) {
		before := g.db.Metrics().BlockCache.Misses
		for i := range uint64(keys) {
			if known, err := g.read(key(i), func(*parser) error { return nil }); !known || err != nil {
				t.Fatalf("key %d: %v, %v", i, known, err)
			}
		}
		return g.db.Metrics().BlockCache.Misses - before
	}
	if readAll() == 0 {
		t.Fatal("nothing had to be read from disk: this test shows nothing")
	}
	// One that was met a single time may have been dropped for another.
	if misses := readAll(); misses > keys/100 {
		t.Errorf("blocks are read again %d times in %d reads", misses, keys)
	}
}

// fillRoom has the store take all the room for writes: it is small at first, and
// each time that it is full it is made anew and twice as large.
func fillRoom(t *testing.T, g *generation) {
	t.Helper()
	value := make([]byte, 64<<10)
	for range 4 * memoryTable / len(value) {
		if err := g.db.Set([]byte{prefixHead, 0}, value, pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.db.Flush(); err != nil {
		t.Fatal(err)
	}
}

// Of an identity that is not there no block is read: the filters know, those of
// the lowest level too, where nearly all keys are in the end.
func TestUnknownIdentitiesAreFiltered(t *testing.T) {
	g, err := open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	const keys = 10_000
	identity := func(i int) []byte {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		return identityKey(nil, decide.Key(sum[:16]))
	}
	for i := range keys {
		if err := g.db.Set(identity(i), []byte("known"), pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(g.db.Flush(), g.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false)); err != nil {
		t.Fatal(err)
	}
	before := g.db.Metrics()
	if before.Levels[lowest].TablesCount == 0 {
		t.Fatal("nothing is on the lowest level: this test shows nothing")
	}
	for i := range keys {
		if known, err := g.read(identity(keys+i), func(*parser) error { return nil }); known || err != nil {
			t.Fatalf("key %d: %v, %v", i, known, err)
		}
	}
	if avoided := g.db.Metrics().Filter.Hits - before.Filter.Hits; avoided < keys*95/100 {
		t.Errorf("the filters knew of %d of %d", avoided, keys)
	}
}
