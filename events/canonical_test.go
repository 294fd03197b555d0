package events_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shiplog/events"
)

// text draws strings with everything in them that JSON escapes.
func text() *rapid.Generator[string] {
	return rapid.StringOf(rapid.OneOf(
		rapid.Rune(),
		rapid.RuneFrom([]rune("\"\\/\b\f\n\r\t\u0000\u001f\u007f\u0080\u2028\ufffe\uffff\ufffd🚀é<>&")),
	)).Filter(func(s string) bool { return strings.ToValidUTF8(s, "") == s })
}

// slug draws valid slugs.
func slug() *rapid.Generator[string] {
	return rapid.StringMatching(`[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}`).Filter(events.IsSlug)
}

// value draws a valid value of a field, as Go's encoding/json wants it.
func value(t *rapid.T, f events.Field) any {
	urls := rapid.SampledFrom([]string{"https://example.org/", "http://example.org/a?b=c&d=%22#e", "https://例え.jp/é"})
	readable := rapid.Map(text(), func(s string) string { return "x" + s })
	line := rapid.Map(readable, func(s string) string {
		return strings.NewReplacer("\n", "", "\r", "", "\t", "", "\u2028", "", "\u2029", "", "\u0085", "").Replace(s)
	})
	switch f.Kind {
	case events.KindSlug:
		return slug().Draw(t, f.Name)
	case events.KindEnum:
		return rapid.SampledFrom(f.Values).Draw(t, f.Name)
	case events.KindInteger:
		return rapid.Int64Range(f.Min, f.Max).Draw(t, f.Name)
	case events.KindURL:
		return urls.Draw(t, f.Name)
	case events.KindLines:
		return rapid.SliceOfN(readable, 0, 4).Draw(t, f.Name)
	case events.KindURLs:
		return rapid.SliceOfN(urls, 0, 4).Draw(t, f.Name)
	case events.KindSlugs:
		return rapid.SliceOfN(slug(), 0, 4).Draw(t, f.Name)
	case events.KindUUID:
		return "0190a5b2-7c1e-7d00-8000-" + rapid.StringMatching(`[0-9a-f]{12}`).Draw(t, f.Name)
	case events.KindLine:
		return line.Draw(t, f.Name)
	}
	return readable.Draw(t, f.Name)
}

// data draws valid data of a type.
func data(t *rapid.T, info *events.TypeInfo) map[string]any {
	m := map[string]any{}
	for _, f := range info.Fields {
		switch {
		case f.Nullable && rapid.IntRange(0, 3).Draw(t, "null") == 0:
			m[f.Name] = nil
		case f.Required || rapid.Bool().Draw(t, "send"):
			m[f.Name] = value(t, f)
		}
	}
	return m
}

// submission draws a valid submission of any type a publisher may send.
func submission(t *rapid.T) map[string]any {
	var open []*events.TypeInfo
	for _, info := range events.Types() {
		if !info.Reserved {
			open = append(open, info)
		}
	}
	info := rapid.SampledFrom(open).Draw(t, "type")
	m := map[string]any{
		"specversion": "1.0", "type": info.Name, "data": data(t, info),
		"id":     rapid.StringMatching(`[!-~é🚀]{1,20}`).Draw(t, "id"),
		"source": "/" + rapid.StringMatching(`[a-z/]{0,8}[a-z]`).Filter(func(s string) bool { return !strings.HasPrefix(s, "shiplog/") }).Draw(t, "source"),
	}
	if rapid.Bool().Draw(t, "timed") {
		m["time"] = rapid.SampledFrom([]string{"2026-05-02T09:30:00Z", "2026-05-02t09:30:00.123456z", "2026-05-02T09:30:00+02:00"}).Draw(t, "time")
	}
	for _, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "causes", "dataref", "salty", "saltz", "sampled", "subject", "zz9"}), 0, 4).Draw(t, "extensions") {
		m[name] = text().Draw(t, name)
	}
	return m
}

// scrambled writes a value as JSON with its members in any order, space between
// tokens and characters escaped at will.
func scrambled(t *rapid.T, v any) string {
	space := func() string { return rapid.SampledFrom([]string{"", "", " ", "\n\t", "\r\n"}).Draw(t, "space") }
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		var b strings.Builder
		b.WriteString("{" + space())
		for i, name := range rapid.Permutation(sorted(names)).Draw(t, "order") {
			if i > 0 {
				b.WriteString("," + space())
			}
			b.WriteString(scrambled(t, name) + space() + ":" + space() + scrambled(t, v[name]) + space())
		}
		return b.String() + "}"
	case []string:
		var list []string
		for _, s := range v {
			list = append(list, space()+scrambled(t, s)+space())
		}
		return "[" + strings.Join(list, ",") + "]"
	case string:
		return scrambledText(t, v)
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}

func scrambledText(t *rapid.T, s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		escape := rapid.IntRange(0, 3).Draw(t, "escape")
		switch {
		case r > 0xFFFF && escape == 0:
			high, low := (r-0x10000)>>10+0xD800, (r-0x10000)&0x3FF+0xDC00
			fmt.Fprintf(&b, `\u%04x\u%04X`, high, low)
		case r <= 0xFFFF && (escape == 0 || r < 0x20):
			fmt.Fprintf(&b, `\u%04X`, r)
		case r == '"' || r == '\\' || r == '/' && escape == 1:
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func sorted(list []string) []string {
	for i := range list {
		for j := i; j > 0 && list[j] < list[j-1]; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return list
}

// recorded is a submission as the intake would record it.
func recorded(t *rapid.T, s *events.Submission) *events.Event {
	e := &events.Event{
		Seq: rapid.Uint64Range(1, 1<<53-1).Draw(t, "seq"), ID: s.ID, Source: s.Source, Subject: s.Subject, Time: s.Time, Extensions: s.Extensions, Data: s.Data,
		RecordedTime: time.UnixMilli(rapid.Int64Range(0, 253_402_300_799_999).Draw(t, "recorded")).UTC(),
		Publisher:    "local",
		Cause:        rapid.SampledFrom([]uint64{0, 0, 1, 1<<53 - 1}).Draw(t, "cause"),
	}
	copy(e.Salt[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "salt"))
	copy(e.PrevLeaf[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "prevleaf"))
	e.InputHash = events.InputHash(e.Salt, s.Input)
	if e.Time == "" {
		e.Time = e.RecordedTime.Format(events.TimeFormat)
	}
	return e
}

func TestCanonicalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, ps := events.Parse([]byte(scrambled(t, submission(t))))
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		e := recorded(t, s)
		stored := e.AppendCanonical([]byte("before"))[len("before"):]
		mustBeCanonical(t, stored)
		leaf := e.Leaf

		back, err := events.Decode(e.Seq, stored)
		if err != nil {
			t.Fatal(err)
		}
		if back.Leaf != leaf {
			t.Fatalf("leaf %v decoded, %v encoded", back.Leaf, leaf)
		}
		if diff := cmp.Diff(attributes(e), attributes(back)); diff != "" {
			t.Fatalf("attributes (-recorded +decoded):\n%s", diff)
		}
		if again := back.AppendCanonical(nil); !bytes.Equal(again, stored) || back.Leaf != leaf {
			t.Fatalf("encoded again:\n%s\nfirst:\n%s", again, stored)
		}
	})
}

// attributes is an event without what cmp cannot look into.
func attributes(e *events.Event) events.Event {
	plain := *e
	plain.Data = nil
	if len(plain.Extensions) == 0 {
		plain.Extensions = nil
	}
	return plain
}

func mustBeCanonical(t interface{ Fatalf(string, ...any) }, stored []byte) {
	canonical := jsontext.Value(bytes.Clone(stored))
	if err := canonical.Canonicalize(); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, stored)
	}
	if !bytes.Equal(canonical, stored) {
		t.Fatalf("stored:\n%s\ncanonical:\n%s", stored, canonical)
	}
}

func TestInputIsCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := submission(t)
		one, ps := events.Parse([]byte(scrambled(t, m)))
		other, more := events.Parse([]byte(scrambled(t, m)))
		if len(ps)+len(more) > 0 {
			t.Fatal(ps, more)
		}
		if !bytes.Equal(one.Input, other.Input) {
			t.Fatalf("the same content has two inputs:\n%s\n%s", one.Input, other.Input)
		}
		mustBeCanonical(t, one.Input)

		content := map[string]any{"type": m["type"], "data": m["data"]}
		if m["time"] != nil {
			content["time"] = m["time"]
		}
		raw := jsontext.Value(scrambled(t, content))
		if err := raw.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(raw, one.Input) {
			t.Fatalf("input:\n%s\ncontent:\n%s", one.Input, raw)
		}
	})
}

func TestInputIsTheContentAlone(t *testing.T) {
	input := func(raw string) string {
		s, ps := events.Parse([]byte(raw))
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		return string(s.Input)
	}
	plain := input(review("", ""))
	if plain != `{"data":{"body":"Good.","reviewer":"skeptic","tool":"ferrule","verdict":"ship"},"type":"shiplog.review.submitted.v1"}` {
		t.Errorf("input %s", plain)
	}
	s, _ := events.Parse([]byte(review("", `,"time":"2026-05-02T09:30:00Z"`)))
	if got := string(events.InputOf(s.Data, s.Time)); got != string(s.Input) {
		t.Errorf("InputOf is %s, Parse has %s", got, s.Input)
	}
	same := []string{
		strings.Replace(review("", `,"zone":"eu","subject":"x","datacontenttype":"application/json","time":null`), `"r1"`, `"r2"`, 1),
		strings.Replace(review("", ""), `"Good."`, `"\u0047ood."`, 1),
	}
	for _, raw := range same {
		if got := input(raw); got != plain {
			t.Errorf("%s\nhas the input %s", raw, got)
		}
	}
	differ := []string{
		review(`,"format":"text"`, ""), review(`,"expects":0`, ""), review(`,"tool_name":"F"`, ""), review(`,"pros":[]`, ""),
		review("", `,"time":"2026-05-02T09:30:00Z"`), review("", `,"time":"2026-05-02T09:30:00.0Z"`),
		strings.Replace(review("", ""), `"Good."`, `"Good.\u0000"`, 1),
	}
	seen := map[string]string{plain: "the plain one"}
	for _, raw := range differ {
		got := input(raw)
		if other := seen[got]; other != "" {
			t.Errorf("%s\nhas the input of %s", raw, other)
		}
		seen[got] = raw
	}
}

func TestCanonicalLeavesInstructionsOut(t *testing.T) {
	s, ps := events.Parse([]byte(review(`,"expects":0,"tool_name":"F","reviewer_name":"S"`, "")))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	stored := (&events.Event{ID: "r1", Source: "/panel", Data: s.Data, RecordedTime: time.UnixMilli(0)}).AppendCanonical(nil)
	want := `{"data":{"body":"Good.","reviewer":"skeptic","tool":"ferrule","verdict":"ship"},"datacontenttype":"application/json",`
	if !strings.HasPrefix(string(stored), want) {
		t.Errorf("stored %s", stored)
	}
}

func TestCanonicalOfPayloadsMadeInGo(t *testing.T) {
	p := &events.ReviewSubmitted{Review: events.Review{Tool: "a", Reviewer: "b", Verdict: "ship"}}
	events.Mark(p, "cons")
	e := &events.Event{ID: "1", Source: "/shiplog/x", Time: "2026-05-02T09:30:00Z", Data: p, RecordedTime: time.UnixMilli(1), Publisher: "shiplog"}
	stored := e.AppendCanonical(nil)
	if !strings.HasPrefix(string(stored), `{"data":{"body":"","cons":[],"reviewer":"b","tool":"a","verdict":"ship"}`) {
		t.Errorf("a required member or a marked one is missing: %s", stored)
	}
	if _, err := events.Decode(1, stored); err != nil {
		t.Errorf("what is stored cannot be decoded: %v", err)
	}
}
