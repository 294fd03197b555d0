package decisions

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"shiplog/events"
	"shiplog/events/decide"
)

// read parses the value of a key; it reports whether there is one.
func (g *generation) read(key []byte, parse func(*parser) error) (bool, error) {
	look, err := g.lookUp()
	if err != nil {
		return false, fmt.Errorf("read decision state: %w", damaged(err))
	}
	// The prefix of a key is all of it.
	if !look.SeekPrefixGE(key) {
		if err := look.Error(); err != nil {
			return false, fmt.Errorf("read decision state: %w", damaged(err))
		}
		return false, nil
	}
	value, err := look.ValueAndErr()
	if err != nil {
		return false, fmt.Errorf("read decision state: %w", damaged(err))
	}
	p := parser{b: value}
	err = errors.Join(parse(&p), p.err)
	return err == nil, err
}

// lookUp is an iterator over the state as of the last write, for look-ups. A Get of
// Pebble's own would leave the Bloom filters of the lowest level aside, where most
// keys are, and read a block for every identity that is not there.
func (g *generation) lookUp() (*pebble.Iterator, error) {
	if g.look != nil {
		return g.look, nil
	}
	if g.looks%looksWeighed == 0 {
		below := g.db.Metrics().Levels[lowest].TablesSize
		g.filtered = below < filteredMost
	}
	g.looks++
	var err error
	g.look, err = g.db.NewIter(&pebble.IterOptions{UseL6Filters: g.filtered})
	return g.look, err
}

// written has the next look-up see what was written.
func (g *generation) written() error {
	look := g.look
	g.look = nil
	if look == nil {
		return nil
	}
	return look.Close()
}

const (
	// filteredMost is how large the lowest level may be for its filters, a thirtieth of
	// it, to stay in half of the cache. Those of a larger one would have to be read
	// again and again, and are larger than the blocks that they save.
	filteredMost = 15 * cacheBytes
	// looksWeighed is how many iterators are made before that is asked again.
	looksWeighed = 1 << 10
	lowest       = 6
)

// one reads a value that one function parses.
func one[V any](s *Store, key []byte, parse func(*parser) V) (v V, known bool, err error) {
	known, err = s.read(key, func(p *parser) error {
		v = parse(p)
		return nil
	})
	return v, known, err
}

func text(p *parser) string { return string(p.b) }

// Head is the position the store speaks as of.
func (s *Store) Head() decide.Head { return s.head }

// Rules are the rules in force at the head.
func (s *Store) Rules() events.Rules { return s.rules }

// Identity implements [decide.Base].
func (s *Store) Identity(k decide.Key) (decide.Identity, bool, error) {
	return one(s, identityKey(make([]byte, 0, 17), k), parseIdentity)
}

// Tool implements [decide.Base].
func (s *Store) Tool(slug string) (decide.Tool, bool, error) {
	if t, ok := s.tools[slug]; ok {
		return t, true, nil
	}
	t, known, err := one(s, slugKey(make([]byte, 0, 81), prefixTool, slug), parseTool)
	if known && err == nil {
		s.tools.put(slug, t)
	}
	return t, known, err
}

// Alias implements [decide.Base].
func (s *Store) Alias(slug string) (string, error) {
	of, _, err := one(s, slugKey(make([]byte, 0, 81), prefixAlias, slug), text)
	return of, err
}

// Reviewer implements [decide.Base].
func (s *Store) Reviewer(slug string) (decide.Reviewer, bool, error) {
	return one(s, slugKey(make([]byte, 0, 81), prefixReviewer, slug), func(p *parser) decide.Reviewer {
		return decide.Reviewer{Seated: p.flag()}
	})
}

// Review implements [decide.Base].
func (s *Store) Review(a decide.About) (decide.Review, bool, error) {
	return one(s, twoKey(make([]byte, 0, 162), prefixReview, a.Tool, a.Reviewer), parseReview)
}

// Pair implements [decide.Base].
func (s *Store) Pair(p decide.Pair) (uint64, error) {
	seq, _, err := one(s, twoKey(make([]byte, 0, 162), prefixPair, p.A, p.B), (*parser).uint)
	return seq, err
}

// Reply implements [decide.Base].
func (s *Store) Reply(seq uint64) (string, error) {
	tool, _, err := one(s, replyKey(nil, seq), text)
	return tool, err
}

// Ranks implements [decide.Base].
func (s *Store) Ranks(category string, fn func(decide.Rank) bool) error {
	prefix := append(slugKey(nil, prefixRank, category), 0)
	return s.scan(prefix, func(key, _ []byte) (bool, error) {
		return fn(parseRank(category, key)), nil
	})
}

// Tools implements [decide.Base].
func (s *Store) Tools(fn func(string, decide.Tool) bool) error {
	return s.scan([]byte{prefixTool}, func(key, value []byte) (bool, error) {
		p := parser{b: value}
		t := parseTool(&p)
		return fn(string(key[1:]), t), p.err
	})
}

// scan calls fn for every key that begins with prefix, in order, until it
// returns false.
func (s *Store) scan(prefix []byte, fn func(key, value []byte) (bool, error)) error {
	return damaged(s.scanAll(prefix, fn))
}

func (s *Store) scanAll(prefix []byte, fn func(key, value []byte) (bool, error)) error {
	iter, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return fmt.Errorf("scan decision state: %w", err)
	}
	for more := iter.First(); more; {
		value, err := iter.ValueAndErr()
		if err != nil {
			return errors.Join(err, iter.Close())
		}
		more, err = fn(iter.Key(), value)
		if err != nil {
			return errors.Join(err, iter.Close())
		}
		if more {
			more = iter.Next()
		}
	}
	return errors.Join(iter.Error(), iter.Close())
}
