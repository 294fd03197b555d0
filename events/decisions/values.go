package decisions

import (
	"encoding/binary"
	"errors"

	"shiplog/events"
	"shiplog/events/decide"
)

var errShort = errors.New("a stored value is cut short")

// writer appends the parts of a value.
type writer []byte

func (w *writer) uint(n uint64)  { *w = binary.AppendUvarint(*w, n) }
func (w *writer) bytes(b []byte) { *w = append(*w, b...) }
func (w *writer) text(s string)  { w.uint(uint64(len(s))); *w = append(*w, s...) }
func (w *writer) flag(set bool)  { *w = append(*w, boolByte(set)) }
func boolByte(set bool) (b byte) {
	if set {
		b = 1
	}
	return b
}

// parser takes the parts of a value off again. After an error everything it
// gives is zero.
type parser struct {
	b   []byte
	err error
}

func (p *parser) uint() uint64 {
	n, size := binary.Uvarint(p.b)
	if size <= 0 {
		p.b, p.err = nil, errShort
		return 0
	}
	p.b = p.b[size:]
	return n
}

func (p *parser) bytes(into []byte) {
	if len(p.b) < len(into) {
		p.b, p.err = nil, errShort
		return
	}
	copy(into, p.b)
	p.b = p.b[len(into):]
}

func (p *parser) text() string {
	b := make([]byte, min(p.uint(), uint64(len(p.b))))
	p.bytes(b)
	return string(b)
}

func (p *parser) flag() bool {
	var b [1]byte
	p.bytes(b[:])
	return b[0] == 1
}

func appendIdentity(w writer, v decide.Identity) writer {
	w.uint(v.Seq)
	w.flag(v.Revised)
	w.bytes(v.Salt[:])
	w.bytes(v.Hash[:])
	return w
}

func parseIdentity(p *parser) (v decide.Identity) {
	v.Seq = p.uint()
	v.Revised = p.flag()
	p.bytes(v.Salt[:])
	p.bytes(v.Hash[:])
	return v
}

func appendTool(w writer, t decide.Tool) writer {
	w.text(t.Category)
	w.text(t.Merged)
	w.flag(t.Retired)
	w.uint(uint64(t.Tally.Ships))
	w.uint(uint64(t.Tally.Skips))
	w.uint(t.Reached)
	w.uint(uint64(t.Matchups))
	w.uint(uint64(len(t.Aliases)))
	for _, alias := range t.Aliases {
		w.text(alias)
	}
	return w
}

func parseTool(p *parser) (t decide.Tool) {
	t.Category = p.text()
	t.Merged = p.text()
	t.Retired = p.flag()
	t.Tally.Ships = int(p.uint())
	t.Tally.Skips = int(p.uint())
	t.Reached = p.uint()
	t.Matchups = int(p.uint())
	for n := p.uint(); n > 0 && p.err == nil; n-- {
		t.Aliases = append(t.Aliases, p.text())
	}
	return t
}

func appendReview(w writer, r decide.Review) writer {
	w.uint(r.Seq)
	w.text(string(r.Verdict))
	w.flag(r.Withdrawn)
	w.uint(uint64(r.Revision))
	w.bytes(r.Digest[:])
	return w
}

func parseReview(p *parser) (r decide.Review) {
	r.Seq = p.uint()
	r.Verdict = events.Verdict(p.text())
	r.Withdrawn = p.flag()
	r.Revision = int64(p.uint())
	p.bytes(r.Digest[:])
	return r
}

// schema is the version of everything in this file and in keys.go. A store of
// another version is folded anew.
const schema = 1

func appendHead(w writer, h decide.Head, r events.Rules) writer {
	w.uint(schema)
	w.uint(h.Seq)
	w.bytes(h.Leaf[:])
	w.uint(uint64(h.Recorded))
	w.text(h.Ledger)
	w.uint(uint64(r.Version))
	w.uint(uint64(r.Quorum))
	w.text(r.Matchmaking)
	w.uint(uint64(r.MaxMatchupsPerTool))
	w.uint(r.Seq)
	return w
}

func parseHead(p *parser) (h decide.Head, r events.Rules, ok bool) {
	if p.uint() != schema {
		return h, r, false
	}
	h.Seq = p.uint()
	p.bytes(h.Leaf[:])
	h.Recorded = int64(p.uint())
	h.Ledger = p.text()
	r.Version = int(p.uint())
	r.Quorum = int(p.uint())
	r.Matchmaking = p.text()
	r.MaxMatchupsPerTool = int(p.uint())
	r.Seq = p.uint()
	return h, r, p.err == nil
}
