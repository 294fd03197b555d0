package events_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
)

// reviewData is the data of a valid review without the closing brace.
const reviewData = `{"tool":"ferrule","reviewer":"skeptic","verdict":"ship","body":"Good."`

// review is a valid review with more in its data and in the event itself.
func review(data, event string) string {
	return fmt.Sprintf(`{"specversion":"1.0","id":"r1","source":"/panel","type":"shiplog.review.submitted.v1","data":%s%s}%s}`, reviewData, data, event)
}

// of is a valid event but for its data.
func of(typ, data string) string {
	return fmt.Sprintf(`{"specversion":"1.0","id":"r1","source":"/panel","type":"shiplog.%s.v1","data":%s}`, typ, data)
}

// found writes problems as "pointer code", one a line.
func found(ps events.Problems) []string {
	var list []string
	for _, p := range ps {
		list = append(list, p.Pointer+" "+string(p.Code))
	}
	return list
}

// badInput is one bad input and the problems it must have.
type badInput struct {
	name string
	raw  string
	want []string
	// says is in the detail of the first problem: the field and the mend.
	says string
}

func runBad(t *testing.T, tests []badInput) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, ps := events.Parse([]byte(test.raw))
			if diff := cmp.Diff(test.want, found(ps)); diff != "" {
				t.Fatalf("problems (-want +got):\n%s\n%v", diff, ps)
			}
			if s == nil {
				t.Fatal("no submission to name the event by")
			}
			if s.Input != nil {
				t.Error("a bad submission has a canonical input")
			}
			if !strings.Contains(ps[0].Detail, test.says) {
				t.Errorf("detail %q does not say %q", ps[0].Detail, test.says)
			}
			for _, p := range ps {
				if len(p.Pointer) > 512 || len(p.Detail) > 800 {
					t.Errorf("a problem of %d bytes", len(p.Pointer)+len(p.Detail))
				}
			}
		})
	}
}

func TestParseNotJSON(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	runBad(t, []badInput{
		{"empty", "", []string{" invalid_json"}, "nothing here"},
		{"spaces", " \n", []string{" invalid_json"}, "nothing here"},
		{"text", "ship it", []string{" invalid_json"}, "not JSON at byte 0"},
		{"text that begins as null does", "not json", []string{" invalid_json"}, "not JSON at byte 1"},
		{"nope", "nope", []string{" invalid_json"}, "not JSON at byte 1"},
		{"false misspelt", " fals3", []string{" invalid_json"}, "not JSON at byte 5"},
		{"true cut off", "tru", []string{" invalid_json"}, "cut off"},
		{"number with letters", "123abc", []string{" invalid_json"}, "not JSON at byte 3"},
		{"number and more", "12 13", []string{" invalid_json"}, "not JSON at byte 3: there is something after"},
		{"string and more", `"ship" it`, []string{" invalid_json"}, "not JSON at byte 7"},
		{"string without an end", `"ship it`, []string{" invalid_json"}, "cut off"},
		{"string of no UTF-8", "\"\xFF\"", []string{" invalid_utf8"}, "send UTF-8"},
		{"array of no JSON", `[nope]`, []string{"/0 invalid_json"}, "not JSON at byte 2"},
		{"array of a key twice", `[{"a":1,"a":1}]`, []string{" wrong_type"}, "not an array"},
		{"true", "true", []string{" wrong_type"}, "must be a JSON object, not true or false"},
		{"number", " 12\n", []string{" wrong_type"}, "must be a JSON object, not a number"},
		{"null", "null", []string{" wrong_type"}, "must be a JSON object, not null"},
		{"string", `"{}"`, []string{" wrong_type"}, "not a string"},
		{"array", "[]", []string{" wrong_type"}, "not an array"},
		{"byte order mark", "\uFEFF" + review("", ""), []string{" invalid_json"}, "byte order mark"},
		{"byte order mark of UTF-16", "\xFF\xFE{\x00}\x00", []string{" invalid_json"}, "not JSON at byte 0"},
		{"NUL", "\x00", []string{" invalid_json"}, "not JSON at byte 0"},
		{"NUL after it", review("", "") + "\x00", []string{" invalid_json"}, "after the end"},
		{"second object", review("", "") + review("", ""), []string{" invalid_json"}, "array of events"},
		{"truncated", review("", "")[:60], []string{"/type invalid_json"}, "cut off"},
		{"truncated in data", review("", "")[:143], []string{"/data/verdict invalid_json"}, "cut off"},
		{"single quotes", `{'id':'x'}`, []string{" invalid_json"}, "not JSON at byte 1"},
		{"comment", `{/* hello */}`, []string{" invalid_json"}, "not JSON at byte 1"},
		{"trailing comma", `{"id":"x",}`, []string{" invalid_json"}, "not JSON at byte 9"},
		{"NaN", review(`,"expects":NaN`, ""), []string{"/data/expects invalid_json"}, "not JSON"},
		{"leading zero", review(`,"expects":01`, ""), []string{"/data invalid_json"}, "not JSON"},
		{"control character in a body", review(",\"condition\":\"a\x01b\"", ""), []string{"/data/condition invalid_json"}, `write it as \u0001`},
		{"line break in a body", review(",\"condition\":\"a\nb\"", ""), []string{"/data/condition invalid_json"}, `write it as \n`},
		{"NUL in a body", review(",\"condition\":\"a\x00b\"", ""), []string{"/data/condition invalid_json"}, `write it as \u0000`},
		{"bad escape", review(`,"condition":"\x41"`, ""), []string{"/data/condition invalid_json"}, "escape"},
		{"invalid UTF-8 in a body", review(",\"condition\":\"a\xFFb\"", ""), []string{"/data/condition invalid_utf8"}, "send UTF-8"},
		{"overlong UTF-8", review(",\"condition\":\"\xC0\xAF\"", ""), []string{"/data/condition invalid_utf8"}, "send UTF-8"},
		{"surrogate in UTF-8", review(",\"condition\":\"\xED\xA0\x80\"", ""), []string{"/data/condition invalid_utf8"}, "send UTF-8"},
		{"cut UTF-8", review(",\"pros\":[\"\xE2\x82\"]", ""), []string{"/data/pros/0 invalid_utf8"}, "send UTF-8"},
		{"lone high surrogate", review(`,"condition":"\ud83d"`, ""), []string{"/data/condition invalid_utf8"}, "surrogate pair"},
		{"lone low surrogate", review(`,"condition":"\ude00"`, ""), []string{"/data/condition invalid_utf8"}, "surrogate pair"},
		{"surrogates the wrong way round", review(`,"condition":"\ude00\ud83d"`, ""), []string{"/data/condition invalid_utf8"}, "surrogate pair"},
		{"duplicate key", review("", `,"id":"r2"`), []string{"/id duplicate_key"}, "keep one"},
		{"duplicate key by escape", review("", `,"\u0069d":"r2"`), []string{"/id duplicate_key"}, "keep one"},
		{"duplicate key in data", review(`,"body":"Bad."`, ""), []string{"/data/body duplicate_key"}, `"body"`},
		{"duplicate key deeper", review(`,"pros":[[{"a":1,"a":1}]]`, ""), []string{"/data/pros/0/0/a duplicate_key"}, `"a"`},
		{"duplicate key elsewhere", review("", `,"x":{"a/b~c":1,"a/b~c":2}`), []string{"/x/a~1b~0c duplicate_key"}, `"a/b~c"`},
		{"33 deep", review(`,"pros":`+deep(31), ""), []string{"/data/pros too_deep"}, "32 deep"},
		{"9,000 deep", review(`,"pros":`+deep(9_000), ""), []string{"/data/pros too_deep"}, "32 deep"},
		{"100,000 deep", review(`,"pros":`+deep(100_000), ""), []string{"/data/pros too_deep"}, "32 deep"},
		{"10,000 deep beside data", review("", `,"x":`+deep(10_000)), []string{"/x too_deep"}, "32 deep"},
		{"10,000 objects deep", review(`,"pros":`+strings.Repeat(`{"a":`, 10_000)+"1"+strings.Repeat("}", 10_000), ""), []string{"/data/pros too_deep"}, "32 deep"},
		{"10,000 deep and cut off", review(`,"pros":`+deep(10_000)[:9_000], ""), []string{"/data/pros too_deep"}, "32 deep"},
		{"300 KiB", review(`,"condition":"`+strings.Repeat("a", 300<<10)+`"`, ""), []string{" too_large"}, "256 KiB"},
		{"key of 100 KiB twice", review("", `,"`+strings.Repeat("k", 100<<10)+`":1,"`+strings.Repeat("k", 100<<10)+`":1`), []string{" duplicate_key"}, "more bytes"},
	})
}

func TestParseNestsAsDeepAsItMay(t *testing.T) {
	value := strings.Repeat("[", 30) + strings.Repeat("]", 30)
	_, ps := events.Parse([]byte(review(`,"pros":`+value, "")))
	if diff := cmp.Diff([]string{"/data/pros/0 wrong_type"}, found(ps)); diff != "" {
		t.Errorf("32 deep (-want +got):\n%s", diff)
	}
}

// TestParseIsFastOnDeepInput holds that depth costs no more than length.
func TestParseIsFastOnDeepInput(t *testing.T) {
	inputs := map[string]string{
		"arrays":  `{"data":` + strings.Repeat("[", 250_000),
		"objects": strings.Repeat(`{"a":`, 50_000),
		"batch":   strings.Repeat("[", 250_000),
	}
	for name, raw := range inputs {
		start := time.Now()
		_, _ = events.Parse([]byte(raw))
		_, _ = events.SplitBatch([]byte(raw))
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestParseNamesTheEvent(t *testing.T) {
	tests := map[string]string{
		"not an object in data": `{"id":"r1","source":"/panel","data":[]}`,
		"cut off after them":    `{"id":"r1","source":"/panel","data":{"to`,
		"duplicate before them": `{"x":1,"x":2,"id":"r1","source":"/panel"}`,
		"duplicate in data":     `{"data":{"x":1,"x":2},"id":"r1","source":"/panel"}`,
		"bad UTF-8 before them": "{\"subject\":\"\xFF\",\"id\":\"r1\",\"source\":\"/panel\"}",
		"too large":             `{"data":"` + strings.Repeat("a", 300<<10) + `","id":"r1","source":"/panel"}`,
		"unknown type":          `{"id":"r1","source":"/panel","type":"x"}`,
		"after an escape":       `{"\u0069d":"r\u0031","source":"\/panel","data":nul}`,
	}
	for name, raw := range tests {
		s, ps := events.Parse([]byte(raw))
		if len(ps) == 0 || s.ID != "r1" || s.Source != "/panel" {
			t.Errorf("%s: id %q, source %q, %v", name, s.ID, s.Source, ps)
		}
	}
}

func TestParseTellsEveryProblem(t *testing.T) {
	raw := `{"specversion":"0.3","id":"","source":"/shiplog/x","type":"shiplog.review.submitted.v1","time":"noon","cause":1,
		"data":{"tool":"Ferrule!","reviewer":null,"verdict":"maybe","body":" ","pros":"fast","expects":1.5,"stars":5}}`
	_, ps := events.Parse([]byte(raw))
	want := []string{
		"/specversion not_one_of", "/id required", "/source reserved", "/time invalid_time", "/cause reserved",
		"/data/tool invalid_slug", "/data/reviewer required", "/data/verdict not_one_of", "/data/body required",
		"/data/pros wrong_type", "/data/expects not_integer", "/data/stars unknown_field",
	}
	if diff := cmp.Diff(want, found(ps)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestParseBoundsItsAnswer(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	_, ps := events.Parse([]byte(review(b.String(), "")))
	if len(ps) != events.MaxProblems+1 || ps[events.MaxProblems].Code != events.CodeTooMany {
		t.Errorf("%d problems, the last %v", len(ps), ps[len(ps)-1])
	}
	if n := len(ps.Error()); n > 32<<10 {
		t.Errorf("an answer of %d bytes", n)
	}
}
