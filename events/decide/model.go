package decide

import (
	"crypto/sha256"
	"encoding/binary"

	"shiplog/events"
)

// Head is the position a state speaks as of.
type Head struct {
	Seq      uint64
	Leaf     events.Hash
	Recorded int64  // recordedtime of the event at Seq, Unix milliseconds
	Ledger   string // UUID of event 1; empty before it
}

// Key names a submission for ever: the first half of SHA-256 over its source
// and id.
type Key [16]byte

// KeyOf is the key of an identity. The length before the source keeps two
// pairs of source and id apart that would join to the same text.
func KeyOf(source, id string) Key {
	b := make([]byte, 0, 4+len(source)+len(id))
	b = binary.BigEndian.AppendUint32(b, uint32(len(source)))
	b = append(append(b, source...), id...)
	sum := sha256.Sum256(b)
	return Key(sum[:16])
}

// An Identity is what is kept of a recorded submission: enough to tell whether
// a second one of the same name has the same content.
type Identity struct {
	Seq     uint64
	Revised bool // recorded as review.revised
	Salt    events.Salt
	Hash    [16]byte // first half of its inputhash
}

// Same reports whether input is the content that was recorded.
func (i Identity) Same(input []byte) bool {
	h := events.InputHash(i.Salt, input)
	return [16]byte(h[:16]) == i.Hash
}

// A Tool is what decisions need of a tool.
type Tool struct {
	Category string
	Aliases  []string
	Merged   string // the tool it was merged into
	Retired  bool
	Tally    events.Tally
	Reached  uint64 // sequence at which it reached the quorum; 0 while below
	Matchups int
}

// A Reviewer is what decisions need of a reviewer.
type Reviewer struct {
	Seated bool
}

// A Review is the newest event of one reviewer on one tool.
type Review struct {
	Seq       uint64
	Verdict   events.Verdict
	Withdrawn bool
	Revision  int64
	Digest    [16]byte // of what it says, see [digest]
}

// A Pair names two tools, A before B.
type Pair struct{ A, B string }

// PairOf is the pair of two tools in either order.
func PairOf(x, y string) Pair {
	if y < x {
		x, y = y, x
	}
	return Pair{x, y}
}

// About names the review of a tool by a reviewer.
type About struct{ Tool, Reviewer string }

// A Rank is the place of a tool in its category's queue for matchups.
type Rank struct {
	Category string
	Reached  uint64
	Tool     string
}

// Base is the folded state below a layer. A value that was never written is
// reported by ok false (or a zero), not by an error.
type Base interface {
	Head() Head
	Rules() events.Rules
	Identity(Key) (Identity, bool, error)
	Tool(slug string) (Tool, bool, error)
	// Alias is the tool that a slug is an alias of, "" for none.
	Alias(slug string) (string, error)
	Reviewer(slug string) (Reviewer, bool, error)
	Review(About) (Review, bool, error)
	// Pair is the sequence of the matchup, 0 for none.
	Pair(Pair) (uint64, error)
	// Reply is the tool whose current reply stands at a sequence, "" for none.
	Reply(seq uint64) (string, error)
	// Ranks calls fn for the category's queue, latest to reach the quorum
	// first, ties by slug, until fn returns false.
	Ranks(category string, fn func(Rank) bool) error
	// Tools calls fn for every tool in any order, until fn returns false.
	Tools(fn func(slug string, t Tool) bool) error
}

// digest is the first half of a hash over what a review says of the tool. Two
// reviews of equal digest say the same: the later one is a duplicate. Why a
// review was sent (reason) and how (expects, names) is not what it says.
func digest(r *events.Review) [16]byte {
	// On the stack, where it is not longer than this: every review is digested.
	said := appendText(make([]byte, 0, 1024), r.Verdict)
	said = appendText(said, r.Body)
	said = appendText(said, orDefault(r.Format, events.FormatText))
	said = appendText(said, r.Condition)
	said = appendText(said, r.Disclosure)
	said = appendText(said, orDefault(r.Provenance, "stated"))
	for _, list := range [...][]string{r.Pros, r.Cons, r.Evidence} {
		said = appendLength(said, len(list))
		for _, text := range list {
			said = appendText(said, text)
		}
	}
	sum := sha256.Sum256(said)
	return [16]byte(sum[:16])
}

// appendText appends a text after its length.
func appendText(b []byte, text string) []byte { return append(appendLength(b, len(text)), text...) }

func appendLength(b []byte, n int) []byte { return binary.BigEndian.AppendUint32(b, uint32(n)) }

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}
