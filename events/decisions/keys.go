package decisions

import (
	"encoding/binary"

	"shiplog/events/decide"
)

// The first byte of a key says what it holds.
const (
	prefixHead     = 'h'
	prefixIdentity = 'i'
	prefixTool     = 't'
	prefixAlias    = 'a'
	prefixReviewer = 'p'
	prefixReview   = 'r'
	prefixPair     = 'm'
	prefixReply    = 'y'
	prefixRank     = 'k'
)

// Slugs hold no zero byte, so one separates two of them.

func identityKey(b []byte, k decide.Key) []byte {
	return append(append(b, prefixIdentity), k[:]...)
}

func slugKey(b []byte, prefix byte, slug string) []byte {
	return append(append(b, prefix), slug...)
}

func twoKey(b []byte, prefix byte, first, second string) []byte {
	b = append(append(b, prefix), first...)
	return append(append(b, 0), second...)
}

func replyKey(b []byte, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(append(b, prefixReply), seq)
}

// rankKey sorts a category's queue: latest to reach the quorum first.
func rankKey(b []byte, r decide.Rank) []byte {
	b = append(slugKey(b, prefixRank, r.Category), 0)
	b = binary.BigEndian.AppendUint64(b, ^r.Reached)
	return append(b, r.Tool...)
}

func parseRank(category string, key []byte) decide.Rank {
	rest := key[1+len(category)+1:]
	return decide.Rank{Category: category, Reached: ^binary.BigEndian.Uint64(rest), Tool: string(rest[8:])}
}

// after is the first key behind all that begin with prefix.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	end[len(end)-1]++
	return end
}
