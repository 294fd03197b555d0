package events

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// goldens are events as they were stored, one of each type, and one with what
// needs a second look in its texts.
func goldens(tb testing.TB) (list [][]byte) {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no golden files: %v", err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, bytes.TrimRight(raw, "\n"))
	}
	e := &Event{
		ID: "é日🚀 and 0123456789 \x7f", Source: "\"\\/\b\f\n\r\t\x00\x1f", Time: "2026-05-02T09:30:00Z", Publisher: "local", Cause: 7,
		Extensions: []Attribute{{"a", "-1"}, {"b", "0"}, {"zz", "true"}, {"zzz", `"\u001f"`}},
		Data:       &ReviewSubmitted{Review: Review{Tool: "a", Reviewer: "b", Verdict: "ship", Body: "\u2028 \ufffe\n", Pros: []string{"", "é"}, Evidence: []string{}}},
	}
	return append(list, e.AppendCanonical(nil))
}

// alike holds that what stored takes, event takes and reads alike.
func alike(tb testing.TB, raw []byte) (taken bool) {
	tb.Helper()
	var quick reader
	if !quick.stored(raw) {
		return false
	}
	r := readers.Get().(*reader)
	defer r.release()
	if ps := r.event(raw); ps != nil {
		tb.Fatalf("taken, though %v\n%q", ps, raw)
	}
	same := func(x, y member) bool {
		return bytes.Equal(x.name, y.name) && bytes.Equal(x.raw, y.raw) && x.start == y.start
	}
	if !slices.EqualFunc(quick.members, r.members, same) || !slices.EqualFunc(quick.data, r.data, same) {
		tb.Fatalf("%q is read as\n%v\n%v\nwhere it has\n%v\n%v", raw, quick.members, quick.data, r.members, r.data)
	}
	for _, m := range r.members {
		if string(m.name) == "data" && !inOrder(r.data, m.start, m.start+len(m.raw)) {
			tb.Fatalf("taken, though its data is not in order\n%q", raw)
		}
	}
	if !inOrder(r.members, 0, len(raw)) {
		tb.Fatalf("taken, though it is not in order\n%q", raw)
	}
	return true
}

func TestStoredTakesWhatIsStored(t *testing.T) {
	for _, raw := range goldens(t) {
		if !alike(t, raw) {
			t.Errorf("not taken: %s", raw)
		}
	}
}

// TestStoredIsStrict has every byte of stored events replaced, taken out and
// doubled.
func TestStoredIsStrict(t *testing.T) {
	for _, raw := range goldens(t) {
		for i := range raw {
			alike(t, slices.Delete(bytes.Clone(raw), i, i+1))
			alike(t, slices.Insert(bytes.Clone(raw), i, raw[i]))
			alike(t, raw[:i])
			for _, c := range []byte("\"\\{}[]:, 0-.eEtfnuza\x00\x1f\x7f\x80\xc3\xa9\xed\xff") {
				spoilt := bytes.Clone(raw)
				spoilt[i] = c
				alike(t, spoilt)
			}
		}
	}
}

func FuzzStored(f *testing.F) {
	for _, raw := range goldens(f) {
		f.Add(raw)
	}
	for _, raw := range []string{
		"{}", `{"a":1}`, `{"data":{"a":[]}}`, `{"a":"\ud800"}`, `{"a":"\u0041"}`, `{"a":[1]}`, `{"a":01}`, `{"a":-}`, `{"a":1}{`, `{"a":1,"a":2}`,
		`{"\n":1}`, `{"":1,"a":"12345678\u001e"}`, `{"a":"1234567` + "\xed\xa0\x80" + `"}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { alike(t, raw) })
}
