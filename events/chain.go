package events

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
)

// leafHash is the RFC 6962 (section 2.1) hash of a log entry:
//
//	SHA-256(0x00 ‖ the canonical event without salt and with each erasable
//	value replaced by {"commitment":"<HMAC-SHA-256(salt, path ‖ 0x00 ‖ value)>"})
//
// The stored bytes are canonical, so its input is spliced from them. Spans are
// in order and do not overlap.
func leafHash(stored []byte, spans []span, salt Salt) Hash {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	h.key(salt)
	h.leaf.Reset()
	h.leaf.Write(append(h.room[:0], 0))
	from := 0
	for _, s := range spans {
		h.leaf.Write(stored[from:s.start])
		if s.name != "" {
			h.leaf.Write(h.commitment(s.name, stored[s.start:s.end]))
		}
		from = s.end
	}
	h.leaf.Write(stored[from:])
	h.leaf.Sum(h.sum[:0])
	return h.sum
}

// InputHash is HMAC-SHA-256(salt, input): it tells whether two submissions had
// the same content without giving the content away.
func InputHash(salt Salt, input []byte) Hash {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	h.key(salt)
	h.begin()
	h.inner.Write(input)
	h.end()
	return h.sum
}

// A hasher makes the hashes of one event after the other without a heap object
// for each: crypto/hmac cannot be given another key, and keying it anew costs
// more than most values. What it computes is RFC 2104, for keys of up to a
// block.
type hasher struct {
	leaf, inner, outer hash.Hash
	ipad, opad         [sha256.BlockSize]byte
	room               [96]byte
	sum                Hash
}

// hashers hold nothing from one use to the next.
var hashers = sync.Pool{New: func() any {
	return &hasher{leaf: sha256.New(), inner: sha256.New(), outer: sha256.New()}
}}

// key sets the key of the commitments.
func (h *hasher) key(salt Salt) {
	for i := range h.ipad {
		var k byte
		if i < len(salt) {
			k = salt[i]
		}
		h.ipad[i], h.opad[i] = k^0x36, k^0x5c
	}
}

func (h *hasher) begin() {
	h.inner.Reset()
	h.inner.Write(h.ipad[:])
}

// end leaves the code in h.sum.
func (h *hasher) end() {
	h.inner.Sum(h.sum[:0])
	h.outer.Reset()
	h.outer.Write(h.opad[:])
	h.outer.Write(h.sum[:])
	h.outer.Sum(h.sum[:0])
}

// commitment stands for an erasable value: who holds the salt and the value can
// check it, who holds neither learns nothing. It is valid until the next one.
func (h *hasher) commitment(name string, value []byte) []byte {
	h.begin()
	h.inner.Write(append(append(append(h.room[:0], "/data/"...), name...), 0))
	h.inner.Write(value)
	h.end()
	b := append(h.room[:0], `{"commitment":"`...)
	b = hex.AppendEncode(b, h.sum[:])
	return append(b, `"}`...)
}

// String is the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }
