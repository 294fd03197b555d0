package events_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
)

func TestSplitBatch(t *testing.T) {
	deep := `{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}"
	tests := []struct {
		name string
		raw  string
		want []string
	}{
		{"empty", " [ ] ", nil},
		{"two", `[{"a":"],\"["} , {"b":[1,2]}]`, []string{`{"a":"],\"["}`, `{"b":[1,2]}`}},
		{"other values", `[1,"a",null,[]]`, []string{"1", `"a"`, "null", "[]"}},
		{"duplicate keys are the event's", `[{"a":1,"a":2},{}]`, []string{`{"a":1,"a":2}`, "{}"}},
		{"bad UTF-8 is the event's", "[{\"a\":\"\xFF\"},{}]", []string{"{\"a\":\"\xFF\"}", "{}"}},
		{"depth is the event's", `[{}, ` + deep + ` ,{"b":1}]`, []string{"{}", deep, `{"b":1}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, ps := events.SplitBatch([]byte(test.raw))
			if len(ps) > 0 {
				t.Fatal(ps)
			}
			var got []string
			for _, raw := range list {
				got = append(got, string(raw))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSplitBatchBad(t *testing.T) {
	tests := []struct{ name, raw, want, says string }{
		{"object", "{}", " wrong_type", "array"},
		{"empty", "", " wrong_type", "array"},
		{"truncated", `[{"a":1},{"b":`, "/1/b invalid_json", "cut off"},
		{"no end", `[{"a":1}`, " invalid_json", "cut off"},
		{"no JSON", `[{"a":1},oops]`, "/1 invalid_json", "byte 9"},
		{"mismatch", `[{"a":1]]`, "/0 invalid_json", "byte 7"},
		{"trailing comma", `[{},]`, " invalid_json", "byte 3"},
		{"two arrays", `[] []`, " invalid_json", "after the end"},
		{"deep and cut off", strings.Repeat("[", 20_000), " invalid_json", "cut off"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, ps := events.SplitBatch([]byte(test.raw))
			if diff := cmp.Diff([]string{test.want}, found(ps)); diff != "" || list != nil {
				t.Fatalf("%d events, problems (-want +got):\n%s\n%v", len(list), diff, ps)
			}
			if !strings.Contains(ps[0].Detail, test.says) {
				t.Errorf("detail %q does not say %q", ps[0].Detail, test.says)
			}
		})
	}
}

func TestSplitBatchStopsWhereItIsTooMany(t *testing.T) {
	list, ps := events.SplitBatch([]byte("[" + strings.Repeat("1,", 100_000) + "1]"))
	if len(list) != events.MaxBatch+1 || len(ps) > 0 {
		t.Errorf("%d events, %v", len(list), ps)
	}
}

func TestOneBadEventOfAThousand(t *testing.T) {
	raw := "[" + strings.Repeat(review("", "")+",", 500) + review(`,"pros":`+strings.Repeat("[", 12_000)+strings.Repeat("]", 12_000), "") +
		strings.Repeat(","+review("", ""), 499) + "]"
	list, ps := events.SplitBatch([]byte(raw))
	if len(list) != 1000 || len(ps) > 0 {
		t.Fatalf("%d events, %v", len(list), ps)
	}
	for i, raw := range list {
		if _, ps := events.Parse(raw); (len(ps) > 0) != (i == 500) {
			t.Fatalf("event %d: %v", i, ps)
		}
	}
}
