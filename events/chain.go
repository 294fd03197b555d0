package events

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// leafHash is the RFC 6962 (section 2.1) hash of a log entry:
//
//	SHA-256(0x00 ‖ the canonical event without salt and with each erasable
//	value replaced by {"commitment":"<HMAC-SHA-256(salt, path ‖ 0x00 ‖ value)>"})
//
// The stored bytes are canonical, so its input is spliced from them. Spans are
// in order and do not overlap.
func leafHash(stored []byte, spans []span, salt Salt) Hash {
	h := sha256.New()
	h.Write([]byte{0})
	var c committer
	from := 0
	for _, s := range spans {
		h.Write(stored[from:s.start])
		if s.name != "" {
			h.Write(c.commitment(salt, s.name, stored[s.start:s.end]))
		}
		from = s.end
	}
	h.Write(stored[from:])
	var leaf Hash
	h.Sum(leaf[:0])
	return leaf
}

// A committer makes the commitments of one event: keying an HMAC costs more
// than most values.
type committer struct {
	mac  hash.Hash
	sum  Hash
	room [96]byte
}

// commitment stands for an erasable value: who holds the salt and the value can
// check it, who holds neither learns nothing. It is valid until the next one.
func (c *committer) commitment(salt Salt, name string, value []byte) []byte {
	if c.mac == nil {
		c.mac = hmac.New(sha256.New, salt[:])
	} else {
		c.mac.Reset()
	}
	c.mac.Write(append(append(append(c.room[:0], "/data/"...), name...), 0))
	c.mac.Write(value)
	c.mac.Sum(c.sum[:0])
	b := append(c.room[:0], `{"commitment":"`...)
	b = hex.AppendEncode(b, c.sum[:])
	return append(b, `"}`...)
}

// InputHash is HMAC-SHA-256(salt, input): it tells whether two submissions had
// the same content without giving the content away.
func InputHash(salt Salt, input []byte) Hash {
	mac := hmac.New(sha256.New, salt[:])
	mac.Write(input)
	var h Hash
	mac.Sum(h[:0])
	return h
}

// String is the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }
