package events

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrUnknownType is the error of [Decode] for an event whose type this version
// does not know: it was recorded by a newer one.
var ErrUnknownType = errors.New("event type is not known to this version of shiplog")

// Decode reads a stored event and computes its leaf. The payload is brought to
// the newest version of its type. Decode does not keep stored.
//
// Where only the data cannot be read (its type is not known, or a member of it
// is no good) the event comes back with the error: its attributes are decoded
// and its leaf is right, only Data is nil. So a fold can pass it over and go on
// holding the chain.
//
// It trusts that stored came from [Event.AppendCanonical] and reports what is
// no event at all, or is written in another form; that nothing was altered is
// what the leaf in the next event tells.
func Decode(seq uint64, stored []byte) (*Event, error) {
	return types.decode(seq, stored)
}

func (types registry) decode(seq uint64, stored []byte) (*Event, error) {
	r := readers.Get().(*reader)
	defer r.release()
	d := decoder{e: &Event{Seq: seq}, ordered: r.stored(stored)}
	if !d.ordered {
		if ps := r.event(stored); ps != nil {
			return nil, fmt.Errorf("decode event %d: %w", seq, ps)
		}
	}
	for _, m := range r.members {
		if err := d.member(m); err != nil {
			return nil, fmt.Errorf("decode event %d: %s: %w", seq, m.name, err)
		}
	}
	if err := d.finish(types, stored, r); err != nil {
		err = fmt.Errorf("decode event %d: %w", seq, err)
		if d.e.Leaf == (Hash{}) {
			return nil, err
		}
		return d.e, err
	}
	return d.e, nil
}

// A decoder collects the members of one stored event.
type decoder struct {
	e    *Event
	typ  []byte
	data member
	salt span
	seen int // attributes that every event has
	// ordered tells that members are known to stand as [inOrder] wants.
	ordered bool
}

// everyEvent is how many members every stored event has: data, id, inputhash,
// prevleaf, publisher, recordedtime, salt, source, time and type.
const everyEvent = 10

func (d *decoder) member(m member) (err error) {
	e := d.e
	d.seen++
	switch string(m.name) {
	case "data":
		d.data = m
	case "type":
		d.typ, err = textOf(m.raw)
	case "id":
		e.ID, err = stringOf(m.raw)
	case "source":
		e.Source, err = stringOf(m.raw)
	case "time":
		e.Time, err = stringOf(m.raw)
	case "publisher":
		e.Publisher, err = stringOf(m.raw)
	case "recordedtime":
		e.RecordedTime, err = recordedTime(m.raw)
	case "inputhash":
		err = hexOf(m.raw, e.InputHash[:])
	case "prevleaf":
		err = hexOf(m.raw, e.PrevLeaf[:])
	case "salt":
		// The member with the comma behind it: it is never the last.
		d.salt = span{start: m.start - len(`"salt":`), end: m.start + len(m.raw) + 1}
		err = hexOf(m.raw, e.Salt[:])
	default:
		d.seen--
		err = d.optional(m)
	}
	return err
}

func (d *decoder) optional(m member) (err error) {
	switch string(m.name) {
	case "subject":
		d.e.Subject, err = stringOf(m.raw)
	case "cause":
		d.e.Cause, err = strconv.ParseUint(string(m.raw), 10, 53)
	case "specversion", "datacontenttype":
		// The same in every event.
	default:
		d.e.Extensions = append(d.e.Extensions, Attribute{string(m.name), string(m.raw)})
	}
	return err
}

var errNotString = errors.New("not a string")

func textOf(raw []byte) ([]byte, error) {
	if kindOf(raw) != jsontext.KindString {
		return nil, errNotString
	}
	return plain(raw), nil
}

func stringOf(raw []byte) (string, error) {
	text, err := textOf(raw)
	return string(text), err
}

func recordedTime(raw []byte) (time.Time, error) {
	text, err := textOf(raw)
	if err != nil {
		return time.Time{}, err
	}
	if len(text) != len(TimeFormat) {
		return time.Time{}, fmt.Errorf("%q is not written as %s", text, TimeFormat)
	}
	if text[len(text)-1] != 'Z' || text[len("2006-01-02T15:04:05")] != '.' {
		return time.Time{}, fmt.Errorf("%q is not written as %s", text, TimeFormat)
	}
	var t time.Time
	err = t.UnmarshalText(text)
	return t, err
}

func hexOf(raw, into []byte) error {
	if len(raw) != 2*len(into)+2 || raw[0] != '"' {
		return fmt.Errorf("not %d hexadecimal bytes", len(into))
	}
	if _, err := hex.Decode(into, raw[1:len(raw)-1]); err != nil {
		return err
	}
	small := byte(0x20) // the bit that capitals lack, and digits and quotes have
	for _, c := range raw {
		small &= c
	}
	if small == 0 {
		return errForm
	}
	return nil
}

var (
	errMissing = errors.New("an attribute of the ledger is missing")
	errForm    = errors.New("not in canonical form")
)

// finish hashes the leaf and reads the data.
func (d *decoder) finish(types registry, stored []byte, r *reader) error {
	if d.seen != everyEvent || d.data.raw[0] != '{' {
		return errMissing
	}
	if !d.ordered && (!inOrder(r.members, 0, len(stored)) || !inOrder(r.data, d.data.start, d.data.start+len(d.data.raw))) {
		return errForm
	}
	var room [16]span
	spans := room[:0]
	for _, m := range r.data {
		if name := erasable(m.name); name != "" {
			spans = append(spans, span{start: m.start, end: m.start + len(m.raw), name: name})
		}
	}
	d.e.Leaf = leafHash(stored, append(spans, d.salt), d.e.Salt)
	t := types[string(d.typ)]
	if t == nil {
		return fmt.Errorf("%q: %w", d.typ, ErrUnknownType)
	}
	var ps Problems
	v := values{ps: &ps, stored: true, item: -1}
	data := v.read(t, r.data)
	if len(ps) > 0 {
		return ps
	}
	d.e.Data = types.current(data)
	return nil
}

// inOrder reports whether the members of the object from start to end stand in
// canonical order with nothing between them, as the spans of the leaf need.
func inOrder(members []member, start, end int) bool {
	at := start + 1
	for i, m := range members {
		if i > 0 {
			if string(members[i-1].name) >= string(m.name) {
				return false
			}
			at++ // the comma
		}
		if at += len(m.name) + len(`"":`); m.start != at {
			return false
		}
		at += len(m.raw)
	}
	return at == end-1
}

// erasables are the members whose values the leaf hides. They are the same in
// every type, so that the leaf of an event can be computed without knowing its
// type.
var erasables = [...]string{
	"author", "body", "condition", "cons", "description", "disclosure",
	"evidence", "lens", "motto", "name", "pros", "reason",
}

// erasable is the name where it is of an erasable member, else "".
func erasable(name []byte) string {
	for _, known := range erasables {
		if known == string(name) {
			return known
		}
	}
	return ""
}
