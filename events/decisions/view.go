package decisions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"shiplog/events/decide"
)

// A View is the state as it was at one moment, whatever is written meanwhile.
type View struct {
	of       *generation
	snapshot *pebble.Snapshot
	head     decide.Head
}

// View may be called while another goroutine commits, or adopts a fresh store.
// The caller closes it.
func (s *Store) View() (*View, error) {
	v := &View{of: s.viewed()}
	v.snapshot = v.of.db.NewSnapshot()
	value, closer, err := v.snapshot.Get([]byte{prefixHead})
	if errors.Is(err, pebble.ErrNotFound) {
		return v, nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read decision state: %w", damaged(err)), v.Close())
	}
	p := parser{b: value}
	head, _, ok := parseHead(&p)
	if err := closer.Close(); err != nil || !ok || p.err != nil {
		return nil, errors.Join(errOther, err, p.err, v.Close())
	}
	v.head = head
	return v, nil
}

// Head is the position it speaks as of.
func (v *View) Head() decide.Head { return v.head }

// Close lets go of it.
func (v *View) Close() error { return errors.Join(v.snapshot.Close(), v.of.release()) }

// views are how many look at a generation, which is not closed before they are.
type views struct {
	mu      sync.Mutex
	open    int
	retired bool
}

// viewed is the generation in use, with one view more.
func (s *Store) viewed() *generation {
	s.switching.Lock()
	defer s.switching.Unlock()
	s.views.mu.Lock()
	defer s.views.mu.Unlock()
	s.views.open++
	return s.generation
}

// release takes a view off. The last one of a generation that is out of use
// deletes it.
func (g *generation) release() error {
	g.views.mu.Lock()
	g.views.open--
	last := g.views.open == 0 && g.views.retired
	g.views.mu.Unlock()
	if last {
		return g.remove()
	}
	return nil
}

// retire deletes a generation that is out of use, once nobody looks at it.
func (g *generation) retire() error {
	g.views.mu.Lock()
	g.views.retired = true
	unseen := g.views.open == 0
	g.views.mu.Unlock()
	if unseen {
		return g.remove()
	}
	return nil
}

func (g *generation) remove() error { return errors.Join(g.close(), os.RemoveAll(g.dir)) }

// Differences tells in how many keys two views differ, and how in the first of
// them. It reads both once, in order.
func (v *View) Differences(want *View) (count uint64, first string, err error) {
	have, err := v.snapshot.NewIter(nil)
	if err != nil {
		return 0, "", fmt.Errorf("read decision state: %w", damaged(err))
	}
	should, err := want.snapshot.NewIter(nil)
	if err != nil {
		return 0, "", errors.Join(fmt.Errorf("read decision state: %w", damaged(err)), have.Close())
	}
	count, first = compare(have, should)
	err = errors.Join(have.Error(), should.Error(), have.Close(), should.Close())
	if err != nil {
		return 0, "", fmt.Errorf("read decision state: %w", damaged(err))
	}
	return count, first, nil
}

func compare(have, should *pebble.Iterator) (count uint64, first string) {
	differ := func(format string, key []byte) {
		if count++; count == 1 {
			first = fmt.Sprintf(format, describe(key))
		}
	}
	a, b := have.First(), should.First()
	for a || b {
		order := 0
		switch {
		case !a:
			order = 1
		case !b:
			order = -1
		default:
			order = bytes.Compare(have.Key(), should.Key())
		}
		switch {
		case order < 0:
			differ("it has %s, which the ledger does not", have.Key())
		case order > 0:
			differ("it lacks %s", should.Key())
		case !bytes.Equal(have.Value(), should.Value()):
			differ("%s is not what the ledger makes of it", have.Key())
		}
		if order <= 0 {
			a = have.Next()
		}
		if order >= 0 {
			b = should.Next()
		}
	}
	return count, first
}

// describe says what a key is of.
func describe(key []byte) string {
	name := strings.ReplaceAll(string(key[1:]), "\x00", " and ")
	switch key[0] {
	case prefixHead:
		return "its head"
	case prefixIdentity:
		return fmt.Sprintf("the identity %x", key[1:])
	case prefixTool:
		return "the tool " + name
	case prefixAlias:
		return "the alias " + name
	case prefixReviewer:
		return "the reviewer " + name
	case prefixReview:
		return "the review of " + strings.Replace(name, " and ", " by ", 1)
	case prefixPair:
		return "the matchup of " + name
	case prefixReply:
		return fmt.Sprintf("the reply of event %d", binary.BigEndian.Uint64(key[1:]))
	case prefixRank:
		category, _, _ := strings.Cut(string(key[1:]), "\x00")
		return fmt.Sprintf("the queue of the category %q", category)
	}
	return fmt.Sprintf("the key %q", key)
}
