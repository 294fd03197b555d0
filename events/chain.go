package events

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
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
	from := 0
	for _, s := range spans {
		h.Write(stored[from:s.start])
		if s.path != "" {
			h.Write(commitment(salt, s.path, stored[s.start:s.end]))
		}
		from = s.end
	}
	h.Write(stored[from:])
	var leaf Hash
	h.Sum(leaf[:0])
	return leaf
}

// commitment stands for an erasable value: who holds the salt and the value can
// check it, who holds neither learns nothing.
func commitment(salt Salt, path string, value []byte) []byte {
	mac := hmac.New(sha256.New, salt[:])
	mac.Write([]byte(path))
	mac.Write([]byte{0})
	mac.Write(value)
	b := make([]byte, 0, 96)
	b = append(b, `{"commitment":"`...)
	b = hex.AppendEncode(b, mac.Sum(nil))
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
