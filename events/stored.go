package events

import (
	"bytes"
	endian "encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// stored reads what [Event.AppendCanonical] wrote into r.members and r.data, as
// event does, in a fraction of the time: it knows where everything stands. It
// reports whether it has. What is written in another way, or holds what an event
// seldom does, is left to event, which tells what is wrong with it: what stored
// takes, event takes too and reads alike.
func (r *reader) stored(raw []byte) bool {
	r.size = len(raw)
	s := scanner{raw: raw}
	r.members, r.data = r.members[:0], r.data[:0]
	return s.object(&r.members, &r.data) && s.at == len(raw)
}

// A scanner goes through JSON without white space.
type scanner struct {
	raw []byte
	at  int
}

// take goes past a byte, if it is the next.
func (s *scanner) take(c byte) bool {
	if s.at < len(s.raw) && s.raw[s.at] == c {
		s.at++
		return true
	}
	return false
}

// object reads an object whose names are in order, and so there once. Those of
// its member data go to data; where that is nil, nothing nests any deeper.
func (s *scanner) object(list, data *[]member) bool {
	if !s.take('{') {
		return false
	}
	var last []byte
	for {
		from := s.at + 1
		if !s.text() || !s.take(':') {
			return false
		}
		m := member{name: s.raw[from : s.at-2], start: s.at}
		if len(*list) > 0 && bytes.Compare(last, m.name) >= 0 || bytes.IndexByte(m.name, '\\') >= 0 {
			return false
		}
		last = m.name
		if data != nil && string(m.name) == "data" {
			if !s.object(data, nil) {
				return false
			}
		} else if !s.value() {
			return false
		}
		m.raw = s.raw[m.start:s.at]
		*list = append(*list, m)
		if !s.take(',') {
			return s.take('}')
		}
	}
}

// value goes past a value that is no object.
func (s *scanner) value() bool {
	if s.at == len(s.raw) {
		return false
	}
	switch s.raw[s.at] {
	case '"':
		return s.text()
	case '[':
		return s.texts()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.integer()
}

func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.raw[s.at:], []byte(w)) {
		return false
	}
	s.at += len(w)
	return true
}

// integer goes past a whole number. One with a fraction or an exponent goes on,
// where none of the callers finds what it expects.
func (s *scanner) integer() bool {
	s.take('-')
	if s.take('0') {
		return true
	}
	from := s.at
	for s.at < len(s.raw) && '0' <= s.raw[s.at] && s.raw[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}

// texts goes past an array of strings.
func (s *scanner) texts() bool {
	s.at++
	if s.take(']') {
		return true
	}
	for s.text() {
		if !s.take(',') {
			return s.take(']')
		}
	}
	return false
}

// text goes past a string.
func (s *scanner) text() bool {
	if !s.take('"') {
		return false
	}
	from, ascii := s.at, true
	for {
		s.plain()
		if s.at == len(s.raw) {
			return false
		}
		switch c := s.raw[s.at]; {
		case c == '"':
			s.at++
			return ascii || utf8.Valid(s.raw[from:s.at])
		case c == '\\':
			if !s.escape() {
				return false
			}
		case c < 0x20:
			return false
		default:
			s.at++
			ascii = ascii && c < utf8.RuneSelf
		}
	}
}

// plain goes past bytes of which nothing has to be known, eight at a time: ASCII
// that is no control character, quote or backslash.
func (s *scanner) plain() {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; s.at+8 <= len(s.raw); s.at += 8 {
		// A byte has its top bit set where it is not ASCII, or where one of the
		// differences borrows: it is below 0x20, or has become zero. What it borrows
		// is of those behind it, so the first is the right one.
		b := endian.LittleEndian.Uint64(s.raw[s.at:])
		quote, slash := b^ones*'"', b^ones*'\\'
		if found := (b | (b - ones*0x20) | (quote - ones) | (slash - ones)) & tops; found != 0 {
			s.at += bits.TrailingZeros64(found) / 8
			return
		}
	}
}

// escape goes past the escapes that are written. A character in hexadecimal has
// to be a control character: it is no half of a pair.
func (s *scanner) escape() bool {
	rest := s.raw[s.at+1:]
	switch {
	case len(rest) > 0 && bytes.IndexByte([]byte(`"\bfnrt`), rest[0]) >= 0:
		s.at += 2
		return true
	case len(rest) > 4 && string(rest[:3]) == "u00" && (rest[3] == '0' || rest[3] == '1') && hexDigit(rest[4]):
		s.at += 6
		return true
	}
	return false
}

func hexDigit(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
