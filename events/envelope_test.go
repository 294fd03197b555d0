package events_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
)

func TestParseEnvelope(t *testing.T) {
	without := func(name string) string {
		list := []string{`"specversion":"1.0"`, `"id":"r1"`, `"source":"/panel"`, `"type":"shiplog.review.submitted.v1"`, `"data":` + reviewData + `}`}
		var kept []string
		for _, m := range list {
			if !strings.HasPrefix(m, `"`+name+`"`) {
				kept = append(kept, m)
			}
		}
		return "{" + strings.Join(kept, ",") + "}"
	}
	with := func(name, value string) string {
		return strings.TrimSuffix(without(name), "}") + `,"` + name + `":` + value + "}"
	}
	long := func(n int) string { return `"` + strings.Repeat("a", n) + `"` }
	runBad(t, []badInput{
		{"empty object", "{}", []string{"/specversion required", "/id required", "/source required", "/type required", "/data required"}, "specversion"},
		{"no specversion", without("specversion"), []string{"/specversion required"}, `"specversion": "1.0"`},
		{"no id", without("id"), []string{"/id required"}, "recorded once"},
		{"no source", without("source"), []string{"/source required"}, "/my-pipeline"},
		{"no type", without("type"), []string{"/type required"}, "shiplog.review.submitted.v1"},
		{"no data", without("data"), []string{"/data required"}, "JSON object"},
		{"null id", with("id", "null"), []string{"/id required"}, "id is missing"},
		{"null type", with("type", "null"), []string{"/type required"}, "type is missing"},
		{"old specversion", with("specversion", `"0.3"`), []string{"/specversion not_one_of"}, `got "0.3"`},
		{"specversion as a number", with("specversion", "1.0"), []string{"/specversion wrong_type"}, "must be a string, not a number"},
		{"id as a number", with("id", "7"), []string{"/id wrong_type"}, "must be a string, not a number"},
		{"id as an object", with("id", "{}"), []string{"/id wrong_type"}, "must be a string, not an object"},
		{"empty id", with("id", `""`), []string{"/id required"}, "empty"},
		{"long id", with("id", long(513)), []string{"/id too_long"}, "512"},
		{"NUL in the id", with("id", `"a\u0000b"`), []string{"/id invalid_value"}, "control"},
		{"C1 control in the id", with("id", `"a\u0085b"`), []string{"/id invalid_value"}, "control"},
		{"U+FFFE in the id", with("id", `"a\ufffeb"`), []string{"/id invalid_value"}, "control"},
		{"lost text in the id", with("id", `"a\ufffdb"`), []string{"/id invalid_value"}, "U+FFFD"},
		{"empty source", with("source", `""`), []string{"/source required"}, "empty"},
		{"source with spaces", with("source", `"my pipeline"`), []string{"/source invalid_value"}, "URI reference"},
		{"source that is no URI", with("source", `"http://[::1"`), []string{"/source invalid_value"}, "URI reference"},
		{"source of the ledger", with("source", `"/shiplog/matchmaker"`), []string{"/source reserved"}, "choose another"},
		{"type as a list", with("type", "[]"), []string{"/type wrong_type"}, "must be a string"},
		{"unknown type", with("type", `"shiplog.review.submitted.v9"`), []string{"/type unknown_type"}, "shiplog.reply.published.v1"},
		{"empty type", with("type", `""`), []string{"/type unknown_type"}, "known are"},
		{"type of the ledger", with("type", `"shiplog.ledger.opened.v1"`), []string{"/type reserved"}, "publishers cannot send it"},
		{"skip", with("type", `"shiplog.event.skipped.v1"`), []string{"/type reserved"}, "publishers cannot send it"},
		{"revision", with("type", `"shiplog.review.revised.v1"`), []string{"/type reserved"}, "send shiplog.review.submitted.v1"},
		{"data null", with("data", "null"), []string{"/data wrong_type"}, "not null"},
		{"data as a string", with("data", `"{}"`), []string{"/data wrong_type"}, "not a string"},
		{"data as a list", with("data", "[]"), []string{"/data wrong_type"}, "not an array"},
		{"data in base64", with("data_base64", `"e30="`), []string{"/data_base64 unknown_field"}, "send a JSON object in data"},
		{"data of another type", with("datacontenttype", `"text/plain"`), []string{"/datacontenttype not_one_of"}, "application/json"},
		{"subject as a number", with("subject", "1"), []string{"/subject wrong_type"}, "string"},
		{"long subject", with("subject", long(1025)), []string{"/subject too_long"}, "1024"},
		{"time as a number", with("time", "1777714200"), []string{"/time wrong_type"}, "string"},
		{"time in words", with("time", `"yesterday"`), []string{"/time invalid_time"}, "RFC 3339"},
		{"time without an offset", with("time", `"2026-05-02T09:30:00"`), []string{"/time invalid_time"}, "RFC 3339"},
		{"leap second", with("time", `"2016-12-31T23:59:60Z"`), []string{"/time invalid_time"}, "leap second"},
		{"float extension", with("weight", "1.5"), []string{"/weight not_integer"}, "or a string"},
		{"whole float extension", with("weight", "1.0"), []string{"/weight not_integer"}, "or a string"},
		{"extension of 33 bits", with("weight", "2147483648"), []string{"/weight not_integer"}, "32 bits"},
		{"object extension", with("meta", `{"a":1}`), []string{"/meta wrong_type"}, "goes in data"},
		{"list extension", with("tags", `["a"]`), []string{"/tags wrong_type"}, "goes in data"},
		{"extension with capitals", with("traceParent", `"x"`), []string{"/traceParent invalid_value"}, "small letters and digits"},
		{"misspelt attribute", with("Spec_Version", `"1.0"`), []string{"/Spec_Version invalid_value"}, "did you mean specversion?"},
		{"empty name", with("", `"x"`), []string{"/ invalid_value"}, "attribute name"},
		{"long name", with(strings.Repeat("a", 65), "1"), []string{"/" + strings.Repeat("a", 65) + " invalid_value"}, "at most 64"},
		{"salt", with("salt", `"00"`), []string{"/salt reserved"}, "leave it out"},
		{"salt as an object", with("salt", "{}"), []string{"/salt reserved"}, "leave it out"},
		{
			"all of the ledger's", review("", `,"recordedtime":"x","publisher":"x","cause":1,"inputhash":"x","prevleaf":"x"`),
			[]string{"/recordedtime reserved", "/publisher reserved", "/cause reserved", "/inputhash reserved", "/prevleaf reserved"},
			"leave it out",
		},
	})
}

func TestParseKeepsAttributes(t *testing.T) {
	raw := review("", `,"subject":"ferrule","time":"2026-05-02t11:30:00.5+02:00","datacontenttype":"application/json; charset=utf-8",
		"zone":"eu \"1\"","sampled":true,"quiet":false,"weight":-0,"priority":-2147483648,"dataschema":"https://example.org/s","dropped":null,"clean":"a\u0000\ufffeb"`)
	s, ps := events.Parse([]byte(raw))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	want := []events.Attribute{
		{Name: "clean", Value: `"ab"`},
		{Name: "dataschema", Value: `"https://example.org/s"`},
		{Name: "priority", Value: "-2147483648"},
		{Name: "quiet", Value: "false"},
		{Name: "sampled", Value: "true"},
		{Name: "weight", Value: "0"},
		{Name: "zone", Value: `"eu \"1\""`},
	}
	if diff := cmp.Diff(want, s.Extensions); diff != "" {
		t.Errorf("extensions (-want +got):\n%s", diff)
	}
	if s.ID != "r1" || s.Source != "/panel" || s.Subject != "ferrule" || s.Time != "2026-05-02t11:30:00.5+02:00" {
		t.Errorf("attributes are not as sent: %+v", s)
	}
}

func TestParseTime(t *testing.T) {
	tests := map[string]string{ // in UTC; "" is refused
		"2026-05-02T09:30:00Z":               "2026-05-02T09:30:00Z",
		"2026-05-02t09:30:00z":               "2026-05-02T09:30:00Z",
		"2026-05-02T09:30:00.123456789Z":     "2026-05-02T09:30:00.123456789Z",
		"2026-05-02T09:30:00+02:00":          "2026-05-02T07:30:00Z",
		"2026-05-02T09:30:00-00:00":          "2026-05-02T09:30:00Z",
		"0000-01-01T00:00:00Z":               "0000-01-01T00:00:00Z",
		"2024-02-29T00:00:00Z":               "2024-02-29T00:00:00Z",
		"2026-02-29T00:00:00Z":               "",
		"2026-05-02T9:30:00Z":                "",
		"2026-05-02T09:30:00,5Z":             "",
		"2026-05-02T24:00:00Z":               "",
		"2026-05-02T09:30:00+25:00":          "",
		"2026-05-02T09:30:00+24:00":          "",
		"2026-05-02T09:30:00+02:61":          "",
		"2026-05-02T09:30:00+0200":           "",
		"2026-05-02T09:30:00":                "",
		"2026-05-02 09:30:00Z":               "",
		"2026-05-02T09:30Z":                  "",
		"2026-05-02":                         "",
		"12026-05-02T09:30:00Z":              "",
		" 2026-05-02T09:30:00Z":              "",
		"2016-12-31T23:59:60Z":               "",
		"2026-13-31T23:59:60Z":               "",
		"":                                   "",
		"2026-05-02T09:30:00." + zeros + "Z": "",
	}
	for in, want := range tests {
		got, err := events.ParseTime(in)
		switch {
		case want == "" && err == nil:
			t.Errorf("%q is taken as %v", in, got)
		case want != "" && (err != nil || got.Format("2006-01-02T15:04:05.999999999Z07:00") != want):
			t.Errorf("%q is %v (%v), want %s", in, got, err, want)
		}
	}
	if _, err := events.ParseTime("2016-12-31T23:59:60Z"); !strings.Contains(err.Error(), "leap") {
		t.Errorf("leap second: %v", err)
	}
}

var zeros = strings.Repeat("0", 100)
