package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
)

// read reads a whole file and gives each event as "LINE BYTES", or "LINE !"
// and the first problem.
func read(t *testing.T, in io.Reader) []string {
	t.Helper()
	var got []string
	for r := newReader("f", in); ; {
		e, err := r.next()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(e.problems) > 0 {
			got = append(got, fmt.Sprintf("%d !%s", e.line, e.problems[0].Code))
			continue
		}
		got = append(got, fmt.Sprintf("%d %s", e.line, e.raw))
	}
}

func TestReader(t *testing.T) {
	large := `{"a":"` + strings.Repeat("x", events.MaxEvent) + `"}`
	huge := `{"a":"` + strings.Repeat("x", 3*events.MaxEvent) + `"}`
	exact := `{"a":"` + strings.Repeat("x", events.MaxEvent-8) + `"}`
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"empty", "", nil},
		{"blank", " \n\r\n\t\n", nil},
		{"lines", "{\"a\":1}\n{\"a\":2}\n", []string{`1 {"a":1}`, `2 {"a":2}`}},
		{"no break at the end", "{\"a\":1}\n{\"a\":2}", []string{`1 {"a":1}`, `2 {"a":2}`}},
		{"blank lines and CRLF", "\r\n{\"a\":1}\r\n\r\n{\"a\":2}\r\n", []string{`2 {"a":1}`, `4 {"a":2}`}},
		{"byte order mark", "\ufeff{\"a\":1}", []string{`1 {"a":1}`}},
		{"array", "[{\"a\":1},{\"a\":2}]", []string{`1 {"a":1}`, `1 {"a":2}`}},
		{"array over lines", "[\n {\"a\":1},\n {\"a\":\n 2}\n]\n", []string{`2 {"a":1}`, "3 {\"a\":\n 2}"}},
		{"empty array", "[]\n[ ]", nil},
		{"array of what are no objects", `[1, "a,]", [2], null]`, []string{"1 1", `1 "a,]"`, "1 [2]", "1 null"}},
		{"arrays and lines", "[{\"a\":1}]\n{\"a\":2}\n[{\"a\":3}]", []string{`1 {"a":1}`, `2 {"a":2}`, `3 {"a":3}`}},
		{"brackets and escapes in strings", `[{"a":"]\"}{,["},{"b":"\\"}]`, []string{`1 {"a":"]\"}{,["}`, `1 {"b":"\\"}`}},
		{"two commas", `[1,,2]`, []string{"1 1", "1 !invalid_json", "1 2"}},
		{"printed for people", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", []string{"1 {\n  \"a\": {\n    \"b\": 1\n  }\n}"}},
		{"several printed for people", "{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}\n", []string{"1 {\n  \"a\": 1\n}", "4 {\n  \"a\": 2\n}"}},
		{"not JSON between", "{\"a\":1}\nnonsense\n{\"a\":2}\n", []string{`1 {"a":1}`, "2 !invalid_json", `3 {"a":2}`}},
		{"truncated between", "{\"a\":1}\n{\"a\":\n{\"a\":2}\n", []string{`1 {"a":1}`, "2 !invalid_json", `3 {"a":2}`}},
		{"truncated at the end", "{\"a\":1}\n{\"a\":\"x", []string{`1 {"a":1}`, "2 !invalid_json"}},
		{"bad element", "[{\"a\":1},{\"a\":},{\"a\":2}]", []string{`1 {"a":1}`, "1 !invalid_json", `1 {"a":2}`}},
		{"array cut off", "[{\"a\":1},\n{\"a\"", []string{`1 {"a":1}`, "2 !invalid_json"}},
		{"array cut off after a comma", "[{\"a\":1},", []string{`1 {"a":1}`, "1 !invalid_json"}},
		{"array cut off in an escape", `["\`, []string{"1 !invalid_json"}},
		{"two on a line", "{\"a\":1}{\"a\":2}\n{\"a\":3}", []string{"1 !invalid_json", `2 {"a":3}`}},
		{"nested too deep", `{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}", []string{"1 !too_deep"}},
		{"largest", exact + "\r\n" + `{"a":2}`, []string{"1 " + exact, `2 {"a":2}`}},
		{"too large", large + "\n" + `{"a":2}`, []string{"1 !too_large", `2 {"a":2}`}},
		{"far too large", huge + "\n" + `{"a":2}`, []string{"1 !too_large", `2 {"a":2}`}},
		{"far too large in an array", "[" + huge + "," + `{"a":2}]`, []string{"1 !too_large", `1 {"a":2}`}},
		{"far too large over lines", "{\n\"a\":\"\",\n" + huge[1:len(huge)-1] + "\n}\n" + `{"a":2}`, []string{"1 !too_large", `5 {"a":2}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, read(t, strings.NewReader(tt.in))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(tt.in) > 1000 {
				return
			}
			if diff := cmp.Diff(tt.want, read(t, iotest.OneByteReader(strings.NewReader(tt.in)))); diff != "" {
				t.Errorf("byte by byte (-want +got)\n%s", diff)
			}
		})
	}
}

func TestReaderPassesOnErrors(t *testing.T) {
	for _, in := range []string{"", "{\"a\":1", "[{\"a\":1", "[\"\\"} {
		r := newReader("f", io.MultiReader(strings.NewReader(in), iotest.ErrReader(io.ErrClosedPipe)))
		if _, err := r.next(); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("after %q: got %v, want %v", in, err, io.ErrClosedPipe)
		}
	}
}

func TestRejectedEntryNamesItself(t *testing.T) {
	r := newReader("f", strings.NewReader(`{"id":"i","source":"/s","data":{"a":}}`))
	e, err := r.next()
	if err != nil {
		t.Fatal(err)
	}
	got := e.rejected()
	if got.ID != "i" || got.Source != "/s" || got.Status != "rejected" || len(got.Problems) == 0 {
		t.Errorf("got %+v; want a rejection of i from /s", got.Receipt)
	}
}
