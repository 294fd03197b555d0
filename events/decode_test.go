package events_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
)

// swap is the stored form of a review with one text in it replaced.
func swap(t *testing.T, old, with string) []byte {
	t.Helper()
	_, stored := aStoredReview(t)
	if !bytes.Contains(stored, []byte(old)) {
		t.Fatalf("no %s in %s", old, stored)
	}
	return bytes.Replace(stored, []byte(old), []byte(with), 1)
}

func TestDecodeReadsEveryAttribute(t *testing.T) {
	for _, p := range samples() {
		e := sampleEvent(p)
		back, err := events.Decode(e.Seq, e.AppendCanonical(nil))
		if err != nil {
			t.Fatalf("%s: %v", p.Type(), err)
		}
		if diff := cmp.Diff(attributes(e), attributes(back)); diff != "" {
			t.Errorf("%s (-recorded +decoded):\n%s", p.Type(), diff)
		}
		for _, f := range events.Fields(p) {
			if events.Has(p, f.Name) != events.Has(back.Data, f.Name) || events.IsNull(p, f.Name) != events.IsNull(back.Data, f.Name) {
				t.Errorf("%s: %s is not as it was recorded", p.Type(), f.Name)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct {
		name   string
		stored []byte
		says   string
	}{
		{"nothing", nil, "decode event 7"},
		{"no object", []byte("[]"), "object"},
		{"empty object", []byte("{}"), "missing"},
		{"cut off", swap(t, `"}`, ""), "event 7"},
		{"no salt", swap(t, `"salt":"01020300000000000000000000000000",`, ""), "missing"},
		{"no id", swap(t, `"id":"review-000123",`, ""), "missing"},
		{"short salt", swap(t, `"salt":"01`, `"salt":"`), "salt: not 16 hexadecimal bytes"},
		{"salt as a number", swap(t, `"salt":"01020300000000000000000000000000"`, `"salt":1234567890123456789012345678901234`), "salt"},
		{"hash that is no hash", swap(t, `"prevleaf":"00`, `"prevleaf":"0g`), "prevleaf"},
		{"id as a number", swap(t, `"id":"review-000123"`, `"id":7`), "id: not a string"},
		{"data as a list", swap(t, `"data":{`, `"data":[],"data2":{`), "missing"},
		{"recorded to the second", swap(t, `.123Z"`, `Z"`), "recordedtime"},
		{"recorded elsewhere", swap(t, `.123Z"`, `.123+"`), "recordedtime"},
		{"cause below 0", swap(t, `{"data"`, `{"cause":-1,"data"`), "cause"},
		{"cause as a float", swap(t, `{"data"`, `{"cause":1.0,"data"`), "cause"},
		{"salt before data", []byte(`{"salt":"01020300000000000000000000000000",` + strings.Replace(string(swap(t, `"salt":"01020300000000000000000000000000",`, "")), "{", "", 1)), "canonical form"},
		{"out of order", swap(t, `"source":"/panel/pipeline","specversion":"1.0"`, `"specversion":"1.0","source":"/panel/pipeline"`), "canonical form"},
		{"data out of order", swap(t, `"reviewer":"skeptic","tool":"ferrule"`, `"tool":"ferrule","reviewer":"skeptic"`), "canonical form"},
		{"space", swap(t, `,"id"`, `, "id"`), "canonical form"},
		{"space in data", swap(t, `"tool":"`, `"tool": "`), "canonical form"},
		{"space at the end", append(swap(t, "", ""), ' '), "canonical form"},
		{"escaped name", swap(t, `"tool"`, `"\u0074ool"`), "canonical form"},
		{"duplicate", swap(t, `"id":`, `"id":"a","id":`), "twice"},
		{"unknown member", swap(t, `"verdict":`, `"stars":5,"verdict":`), "canonical form"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, err := events.Decode(7, test.stored)
			if err == nil || e != nil {
				t.Fatalf("decoded as %+v", e)
			}
			if !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), "decode event 7: ") {
				t.Errorf("error %q does not say %q", err, test.says)
			}
		})
	}
}

// TestDecodeOfBadData gives the attributes and the leaf of an event whose data
// is no good, so that it can be passed over.
func TestDecodeOfBadData(t *testing.T) {
	for _, test := range []struct {
		name   string
		stored []byte
		says   string
	}{
		{"unknown member in order", swap(t, `"tool":`, `"stars":5,"tool":`), `no field "stars"`},
		{"instruction", swap(t, `"format":`, `"expects":5,"format":`), `no field "expects"`},
		{"member missing", swap(t, `,"tool":"ferrule"`, ""), "tool is missing"},
		{"slug that is none", swap(t, `"tool":"ferrule"`, `"tool":"fe.>"`), "tool"},
		{"another verdict", swap(t, `"verdict":"ship"`, `"verdict":"shop"`), "verdict"},
		{"member of another type", swap(t, `"verdict":"ship"`, `"verdict":1`), "verdict"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := events.Decode(7, test.stored)
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), "decode event 7: ") {
				t.Errorf("error %v does not say %q", err, test.says)
			}
			if e == nil || e.Data != nil || e.ID != "review-000123" || e.Leaf == (events.Hash{}) {
				t.Errorf("event %+v", e)
			}
		})
	}
}

func TestDecodeTakesWhatWasWithinOlderLimits(t *testing.T) {
	long := strings.Repeat("a", 100<<10)
	for _, stored := range [][]byte{
		swap(t, `"disclosure":"None`, `"disclosure":"`+long),
		swap(t, `"pros":[`, `"pros":["`+long+`","",`+strings.Repeat(`"x",`, 100)),
		swap(t, `"tool":"ferrule"`, `"tool":"a"`),
	} {
		e, err := events.Decode(7, stored)
		if err != nil {
			t.Fatal(err)
		}
		if again := e.AppendCanonical(nil); !bytes.Equal(again, stored) {
			t.Errorf("encoded again it is %.200s", again)
		}
	}
}

func TestDecodeOfANewerType(t *testing.T) {
	stored := swap(t, "shiplog.review.submitted.v1", "shiplog.review.submitted.v9")
	e, err := events.Decode(7, stored)
	if !errors.Is(err, events.ErrUnknownType) || !strings.Contains(err.Error(), "v9") {
		t.Fatalf("error %v", err)
	}
	if e == nil || e.Data != nil || e.ID != "review-000123" || e.Leaf == (events.Hash{}) {
		t.Errorf("event %+v", e)
	}
}

// TestLeaf holds that a leaf changes with every byte of an event, its salt
// too: through the commitments.
func TestLeaf(t *testing.T) {
	_, stored := aStoredReview(t)
	first, err := events.Decode(7, stored)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"review-000123", "review-000124"},
		{"build times", "build rimes"},
		{`"salt":"01`, `"salt":"02`},
		{`.123Z`, `.124Z`},
		{`"publisher":"local"`, `"publisher":"locaL"`},
		{`"pros":["build`, `"pros":["guild`},
		{`"verdict":"ship"`, `"verdict":"skip"`},
		{`"prevleaf":"00`, `"prevleaf":"01`},
	} {
		other, err := events.Decode(7, swap(t, change[0], change[1]))
		if err != nil {
			t.Fatal(err)
		}
		if other.Leaf == first.Leaf {
			t.Errorf("%s for %s keeps the leaf", change[1], change[0])
		}
	}
}
