package events_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"shiplog/events"
)

func FuzzParse(f *testing.F) {
	for _, raw := range []string{
		aReview, review("", ""), "", "{}", "[]", "null", "{", "\uFEFF{}", "\x00", `{"data":{},"data":{}}`, `{"id":"\ud800"}`,
		review(`,"pros":["\u0000",""],"expects":-0`, `,"time":"2016-12-31T23:59:60Z","a":1e2,"b":true,"c":{},"salt":null`),
		of("tool.registered", `{"tool":"a","name":"A","tagline":null,"aliases":["b"],"homepage":"http://[::1]/"}`),
		of("rules.published", `{"version":1,"quorum":9007199254740993}`),
		of("ledger.opened", `{}`), `{"data":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		s, ps := events.Parse(raw)
		if !bytes.Equal(before, raw) {
			t.Fatal("Parse wrote to its input")
		}
		for _, p := range ps {
			if p.Detail == "" || p.Code == "" || len(p.Pointer) > 520 || len(p.Detail) > 1500 || !jsontext.Pointer(p.Pointer).IsValid() {
				t.Fatalf("problem %+v", p)
			}
		}
		if len(ps) > 0 {
			if s.Input != nil {
				t.Fatal("a bad submission has an input")
			}
			return
		}
		canBeStored(t, s)
	})
}

// canBeStored holds that every submission without a problem can be recorded,
// read back and written again as the same bytes.
func canBeStored(t *testing.T, s *events.Submission) {
	t.Helper()
	mustBeCanonical(t, s.Input)
	e := &events.Event{ID: s.ID, Source: s.Source, Subject: s.Subject, Time: s.Time, Extensions: s.Extensions, Data: s.Data, RecordedTime: time.UnixMilli(1), Publisher: "local"}
	e.InputHash = events.InputHash(e.Salt, s.Input)
	stored := e.AppendCanonical(nil)
	mustBeCanonical(t, stored)
	if len(stored) > 320<<10 {
		t.Fatalf("stored it has %d bytes", len(stored))
	}
	back, err := events.Decode(1, stored)
	if err != nil {
		t.Fatalf("%v\n%s", err, stored)
	}
	if again := back.AppendCanonical(nil); !bytes.Equal(again, stored) || back.Leaf != e.Leaf {
		t.Fatalf("%s\nbecame\n%s", stored, again)
	}
}

func FuzzDecode(f *testing.F) {
	_, stored := aStoredReview(f)
	f.Add(stored)
	for _, p := range samples() {
		f.Add(sampleEvent(p).AppendCanonical(nil))
	}
	f.Add(bytes.Replace(stored, []byte(`{"data"`), []byte(`{"salt":"","data"`), 1))
	f.Add([]byte(`{"data":{},"salt":"00000000000000000000000000000000"}`))
	f.Fuzz(func(t *testing.T, stored []byte) {
		e, err := events.Decode(1, stored)
		if err != nil {
			return
		}
		canonical := jsontext.Value(bytes.Clone(stored))
		if err := canonical.Canonicalize(); err != nil {
			t.Fatalf("decoded what is no JSON: %v", err)
		}
		leaf := e.Leaf
		again := e.AppendCanonical(nil)
		mustBeCanonical(t, again)
		back, err := events.Decode(1, again)
		if err != nil {
			t.Fatalf("%v\n%s", err, again)
		}
		if back.Leaf != e.Leaf {
			t.Fatal("encoding and decoding give two leaves")
		}
		if bytes.Equal(again, stored) != (leaf == e.Leaf) {
			t.Fatalf("leaf %v of\n%s\nleaf %v of\n%s", leaf, stored, e.Leaf, again)
		}
	})
}

// FuzzCanonical holds the canonical form to another implementation's.
func FuzzCanonical(f *testing.F) {
	f.Add("body", "entry", "zone", "2026-05-02T09:30:00Z", int64(0), true)
	f.Add("\"\\/\b\f\n\r\t\x00\x1f\x7f\u2028\ufffe<>&é日🚀", "", "\u0080", "t", int64(1<<53-1), false)
	f.Fuzz(func(t *testing.T, body, entry, zone, when string, n int64, flag bool) {
		for _, s := range []*string{&body, &entry, &zone, &when} {
			*s = strings.ToValidUTF8(*s, "?")
		}
		n &= 1<<53 - 1
		quoted, _ := jsontext.AppendQuote(nil, zone)
		value := jsontext.Value(quoted)
		if err := value.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		p := &events.ReviewRevised{Review: events.Review{Tool: entry, Body: body, Pros: []string{entry, body}, Reason: zone}, Revision: n, Replaces: -n}
		if flag {
			events.Mark(p, "cons")
		}
		e := &events.Event{
			ID: zone, Source: body, Subject: entry, Time: when, Publisher: body, Cause: uint64(n), Data: p, RecordedTime: time.UnixMilli(n % 253402300799999),
			Extensions: []events.Attribute{{Name: "a", Value: "1"}, {Name: "salta", Value: string(value)}, {Name: "zz", Value: "true"}},
		}
		mustBeCanonical(t, e.AppendCanonical(nil))
	})
}

func FuzzBinary(f *testing.F) {
	f.Add("subject", "caf%C3%A9", []byte(reviewData+"}"))
	f.Add("id", `"a\"`, []byte(`{},"id":"x"`))
	f.Add("", "%", []byte(`]`))
	f.Fuzz(func(t *testing.T, name, value string, body []byte) {
		headers := map[string][]string{"ce-specversion": {"1.0"}, "ce-id": {"r1"}, "ce-source": {"/panel"}, "ce-type": {"shiplog.review.submitted.v1"}, "ce-" + name: {value}}
		raw, _ := events.FromBinary(headers, body)
		if err := (*jsontext.Value)(&raw).Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		s, ps := events.ParseBinary(headers, body)
		if len(ps) > 0 {
			return
		}
		if s.Source != "/panel" && !strings.EqualFold(name, "source") || s.ID != "r1" && !strings.EqualFold(name, "id") {
			t.Fatalf("the body set %q %q", s.Source, s.ID)
		}
		canBeStored(t, s)
	})
}
