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
// does not know: it was recorded by a newer one. Its attributes are decoded and
// its leaf is right; only Data is nil.
var ErrUnknownType = errors.New("event type is not known to this version of shiplog")

// Decode reads a stored event and computes its leaf. The payload is brought to
// the newest version of its type. Decode does not keep stored.
//
// It trusts that stored came from [Event.AppendCanonical] and reports what is
// no event at all; that nothing was altered is what the leaf of the next event
// tells.
func Decode(seq uint64, stored []byte) (*Event, error) {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	members, ps := r.object(stored, "")
	if ps != nil {
		return nil, fmt.Errorf("decode event %d: %w", seq, ps)
	}
	d := decoder{e: &Event{Seq: seq}}
	for _, m := range members {
		if err := d.member(m); err != nil {
			return nil, fmt.Errorf("decode event %d: %s: %w", seq, m.name, err)
		}
	}
	if err := d.finish(stored); err != nil {
		return d.e, fmt.Errorf("decode event %d: %w", seq, err)
	}
	return d.e, nil
}

type decoder struct {
	e    *Event
	typ  string
	data member
	salt span
}

func (d *decoder) member(m member) (err error) {
	e := d.e
	switch m.name {
	case "data":
		d.data = m
	case "type":
		d.typ, err = stringOf(m.raw)
	case "id":
		e.ID, err = stringOf(m.raw)
	case "source":
		e.Source, err = stringOf(m.raw)
	case "subject":
		e.Subject, err = stringOf(m.raw)
	case "time":
		e.Time, err = stringOf(m.raw)
	case "publisher":
		e.Publisher, err = stringOf(m.raw)
	case "cause":
		e.Cause, err = strconv.ParseUint(string(m.raw), 10, 53)
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
	case "specversion", "datacontenttype":
	default:
		e.Extensions = append(e.Extensions, Attribute{m.name, string(m.raw)})
	}
	return err
}

var errNotString = errors.New("not a string")

func stringOf(raw []byte) (string, error) {
	if kindOf(raw) != jsontext.KindString {
		return "", errNotString
	}
	return unquote(raw), nil
}

func recordedTime(raw []byte) (time.Time, error) {
	s, err := stringOf(raw)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(TimeFormat, s)
}

func hexOf(raw, into []byte) error {
	if len(raw) != 2*len(into)+2 || raw[0] != '"' {
		return fmt.Errorf("not %d hexadecimal bytes", len(into))
	}
	_, err := hex.Decode(into, raw[1:len(raw)-1])
	return err
}

// finish reads the data and hashes the leaf.
func (d *decoder) finish(stored []byte) error {
	if d.data.raw == nil || d.salt.end == 0 || d.typ == "" || d.e.RecordedTime.IsZero() {
		return errors.New("an attribute of the ledger is missing")
	}
	r := readers.Get().(*reader)
	defer readers.Put(r)
	members, ps := r.object(d.data.raw, "/data")
	if ps != nil {
		return ps
	}
	var room [16]span
	spans := room[:0]
	for _, m := range members {
		if isErasable(m.name) {
			start := d.data.start + m.start
			spans = append(spans, span{start: start, end: start + len(m.raw), path: "/data/" + m.name})
		}
	}
	d.e.Leaf = leafHash(stored, append(spans, d.salt), d.e.Salt)
	t := types[d.typ]
	if t == nil {
		return fmt.Errorf("%q: %w", d.typ, ErrUnknownType)
	}
	d.e.Data = decodeData(t, members, &ps)
	if len(ps) > 0 {
		return ps
	}
	d.e.Data = t.Current(d.e.Data)
	return nil
}

// isErasable names the members whose values the leaf hides, in every type, so
// that the leaf of an event can be computed without knowing its type.
func isErasable(name string) bool {
	switch name {
	case "body", "pros", "cons", "condition", "disclosure", "evidence", "reason",
		"name", "motto", "lens", "description", "author":
		return true
	}
	return false
}
