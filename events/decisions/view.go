package decisions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"shiplog/events/decide"
)

// A View is the state as it was at one moment, whatever is written meanwhile.
type View struct {
	snapshot *pebble.Snapshot
	head     decide.Head
}

// View may be called while another goroutine commits. The caller closes it.
func (s *Store) View() (*View, error) {
	v := &View{snapshot: s.db.NewSnapshot()}
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
func (v *View) Close() error { return v.snapshot.Close() }

// Difference tells the first thing in which two views differ, "" where they hold
// the same. It reads both once, in order.
func (v *View) Difference(want *View) (string, error) {
	have, err := v.snapshot.NewIter(nil)
	if err != nil {
		return "", fmt.Errorf("read decision state: %w", damaged(err))
	}
	should, err := want.snapshot.NewIter(nil)
	if err != nil {
		return "", errors.Join(fmt.Errorf("read decision state: %w", damaged(err)), have.Close())
	}
	difference := compare(have, should)
	err = errors.Join(have.Error(), should.Error(), have.Close(), should.Close())
	if err != nil {
		return "", fmt.Errorf("read decision state: %w", damaged(err))
	}
	return difference, nil
}

func compare(have, should *pebble.Iterator) string {
	a, b := have.First(), should.First()
	for a && b {
		switch order := bytes.Compare(have.Key(), should.Key()); {
		case order < 0:
			return "it has " + describe(have.Key()) + ", which the ledger does not"
		case order > 0:
			return "it lacks " + describe(should.Key())
		case !bytes.Equal(have.Value(), should.Value()):
			return describe(should.Key()) + " is not what the ledger makes of it"
		}
		a, b = have.Next(), should.Next()
	}
	switch {
	case a && have.Error() == nil:
		return "it has " + describe(have.Key()) + ", which the ledger does not"
	case b && should.Error() == nil:
		return "it lacks " + describe(should.Key())
	}
	return ""
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
