package events_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
)

func TestParseReview(t *testing.T) {
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`"a",`, n), ",") + "]" }
	long := func(n int) string { return `"` + strings.Repeat("a", n) + `"` }
	replaced := func(name, value string) string {
		var members []string
		for _, m := range []string{`"tool":"ferrule"`, `"reviewer":"skeptic"`, `"verdict":"ship"`, `"body":"Good."`} {
			if !strings.HasPrefix(m, `"`+name+`"`) {
				members = append(members, m)
			}
		}
		if value != "" {
			members = append(members, `"`+name+`":`+value)
		}
		return of("review.submitted", "{"+strings.Join(members, ",")+"}")
	}
	runBad(t, []badInput{
		{"empty data", of("review.submitted", "{}"), []string{"/data/body required", "/data/reviewer required", "/data/tool required", "/data/verdict required"}, "body is missing; send a string"},
		{"no verdict", replaced("verdict", ""), []string{"/data/verdict required"}, "send ship, skip or abstain"},
		{"null verdict", replaced("verdict", "null"), []string{"/data/verdict required"}, "cannot be null; send ship, skip or abstain"},
		{"verdict maybe", replaced("verdict", `"maybe"`), []string{"/data/verdict not_one_of"}, `verdict must be ship, skip or abstain; got "maybe"`},
		{"verdict in capitals", replaced("verdict", `"SHIP"`), []string{"/data/verdict not_one_of"}, `got "SHIP"`},
		{"verdict true", replaced("verdict", `true`), []string{"/data/verdict wrong_type"}, "not true or false"},
		{"empty verdict", replaced("verdict", `""`), []string{"/data/verdict not_one_of"}, `got ""`},
		{"slug with a dot", replaced("tool", `"node.js"`), []string{"/data/tool invalid_slug"}, "small letters"},
		{"slug with a space", replaced("tool", `"node js"`), []string{"/data/tool invalid_slug"}, "small letters"},
		{"slug with a star", replaced("tool", `"*"`), []string{"/data/tool invalid_slug"}, "small letters"},
		{"slug with a wildcard", replaced("tool", `">"`), []string{"/data/tool invalid_slug"}, "small letters"},
		{"slug with -vs-", replaced("tool", `"a-vs-b"`), []string{"/data/tool invalid_slug"}, "separates two tools"},
		{"slug with a line break", replaced("tool", `"a\n"`), []string{"/data/tool invalid_slug"}, "small letters"},
		{"slug with NUL", replaced("reviewer", `"a\u0000"`), []string{"/data/reviewer invalid_slug"}, "small letters"},
		{"empty slug", replaced("tool", `""`), []string{"/data/tool invalid_slug"}, "is empty"},
		{"long slug", replaced("tool", long(81)), []string{"/data/tool invalid_slug"}, "80 characters"},
		{"slug as a number", replaced("tool", "7"), []string{"/data/tool wrong_type"}, `a slug such as "my-tool", not a number`},
		{"empty body", replaced("body", `""`), []string{"/data/body required"}, "body is empty"},
		{"blank body", replaced("body", `" \n\t\u00a0"`), []string{"/data/body required"}, "body is empty"},
		{"invisible body", replaced("body", `"\u200b\u2060\u3164\u00ad"`), []string{"/data/body required"}, "body is empty"},
		{"body of what is removed", replaced("body", `"\u0000\ufffe"`), []string{"/data/body required"}, "body is empty"},
		{"long body", replaced("body", long(64<<10+1)), []string{"/data/body too_long"}, "65536"},
		{"body as a list", replaced("body", `["Good."]`), []string{"/data/body wrong_type"}, "must be a string, not an array"},
		{"unknown field", review(`,"stars":5`, ""), []string{"/data/stars unknown_field"}, `no field "stars"; it has body, condition`},
		{"unknown field with a slash", review(`,"a/b~":5`, ""), []string{"/data/a~1b~0 unknown_field"}, "a/b~"},
		{"field by case", review(`,"Body":"x"`, ""), []string{"/data/Body unknown_field"}, "Body"},
		{"field of revisions", review(`,"revision":2`, ""), []string{"/data/revision unknown_field"}, "revision"},
		{"null list", review(`,"pros":null`, ""), []string{"/data/pros wrong_type"}, "leave it out or send an array of strings"},
		{"list as a string", review(`,"cons":"slow"`, ""), []string{"/data/cons wrong_type"}, "must be an array of strings, not a string"},
		{"number in a list", review(`,"pros":["a",2]`, ""), []string{"/data/pros/1 wrong_type"}, "entry 2 of pros must be a string, not a number"},
		{"null in a list", review(`,"pros":[null]`, ""), []string{"/data/pros/0 wrong_type"}, "not null"},
		{"list in a list", review(`,"pros":[["a"]]`, ""), []string{"/data/pros/0 wrong_type"}, "not an array"},
		{"empty entry", review(`,"pros":["a"," "]`, ""), []string{"/data/pros/1 required"}, "entry 2 of pros is empty"},
		{"long entry", review(`,"pros":[`+long(4097)+"]", ""), []string{"/data/pros/0 too_long"}, "4096"},
		{"65 entries", review(`,"pros":`+list(65), ""), []string{"/data/pros too_many"}, "at most 64"},
		{"evidence without a scheme", review(`,"evidence":["example.org"]`, ""), []string{"/data/evidence/0 invalid_url"}, "https"},
		{"evidence as script", review(`,"evidence":["https://example.org/","javascript:alert(1)"]`, ""), []string{"/data/evidence/1 invalid_url"}, "javascript"},
		{"evidence with a space", review(`,"evidence":["https://example.org/a b"]`, ""), []string{"/data/evidence/0 invalid_url"}, "entry 1"},
		{"evidence at a port that cannot be", review(`,"evidence":["https://example.org:65536/"]`, ""), []string{"/data/evidence/0 invalid_url"}, "65535"},
		{"evidence at no port", review(`,"evidence":["https://example.org:0/"]`, ""), []string{"/data/evidence/0 invalid_url"}, "65535"},
		{"evidence that reads backwards", review(`,"evidence":["https://example.org/\u202egpj.exe"]`, ""), []string{"/data/evidence/0 invalid_url"}, "direction"},
		{"evidence without a host", review(`,"evidence":["https:///a"]`, ""), []string{"/data/evidence/0 invalid_url"}, "https"},
		{"long evidence", review(`,"evidence":["https://example.org/`+strings.Repeat("a", 2048)+`"]`, ""), []string{"/data/evidence/0 too_long"}, "2048"},
		{"unknown format", review(`,"format":"html"`, ""), []string{"/data/format not_one_of"}, "text or markdown"},
		{"unknown provenance", review(`,"provenance":"guessed"`, ""), []string{"/data/provenance not_one_of"}, "stated or inferred"},
		{"expects a string", review(`,"expects":"1"`, ""), []string{"/data/expects wrong_type"}, "not a string"},
		{"expects 1.0", review(`,"expects":1.0`, ""), []string{"/data/expects not_integer"}, "without a point"},
		{"expects 1e2", review(`,"expects":1e2`, ""), []string{"/data/expects not_integer"}, "exponent"},
		{"expects 1E-7", review(`,"expects":1E-7`, ""), []string{"/data/expects not_integer"}, "exponent"},
		{"expects below 0", review(`,"expects":-1`, ""), []string{"/data/expects out_of_range"}, "from 0"},
		{"expects 2^53", review(`,"expects":9007199254740992`, ""), []string{"/data/expects out_of_range"}, "9007199254740991"},
		{"expects beyond 64 bits", review(`,"expects":`+strings.Repeat("9", 400), ""), []string{"/data/expects out_of_range"}, "…"},
		{"empty tool name", review(`,"tool_name":""`, ""), []string{"/data/tool_name required"}, "tool_name is empty"},
		{"tool name on two lines", review(`,"tool_name":"a\nb"`, ""), []string{"/data/tool_name invalid_value"}, "on one line"},
	})
}

func TestParseOtherData(t *testing.T) {
	runBad(t, []badInput{
		{"rules without a version", of("rules.published", `{"quorum":3}`), []string{"/data/version required"}, "a whole number"},
		{"quorum 0", of("rules.published", `{"version":1,"quorum":0}`), []string{"/data/quorum out_of_range"}, "from 1"},
		{"null quorum", of("rules.published", `{"version":1,"quorum":null}`), []string{"/data/quorum wrong_type"}, "leave it out"},
		{"matchmaking", of("rules.published", `{"version":1,"matchmaking":"auto"}`), []string{"/data/matchmaking not_one_of"}, "category or manual"},
		{"tool without a name", of("tool.registered", `{"tool":"a"}`), []string{"/data/name required"}, "name is missing"},
		{"tool with a null name", of("tool.registered", `{"tool":"a","name":null}`), []string{"/data/name required"}, "cannot be null"},
		{"name on two lines", of("tool.registered", `{"tool":"a","name":"a\u2028b"}`), []string{"/data/name invalid_value"}, "one line"},
		{"long name", of("tool.registered", `{"tool":"a","name":"`+strings.Repeat("ä", 513)+`"}`), []string{"/data/name too_long"}, "1024 bytes; this has 1026"},
		{"category", of("tool.registered", `{"tool":"a","name":"A","category":"Dev Tools"}`), []string{"/data/category invalid_slug"}, "category"},
		{"pricing", of("tool.registered", `{"tool":"a","name":"A","pricing":"cheap"}`), []string{"/data/pricing not_one_of"}, "free, freemium or paid"},
		{"homepage", of("tool.registered", `{"tool":"a","name":"A","homepage":"ftp://example.org"}`), []string{"/data/homepage invalid_url"}, "http or https"},
		{"alias", of("tool.registered", `{"tool":"a","name":"A","aliases":["b","C"]}`), []string{"/data/aliases/1 invalid_slug"}, `entry 2 of aliases "C"`},
		{"reviewer kind", of("reviewer.seated", `{"reviewer":"a","name":"A","kind":"bot"}`), []string{"/data/kind not_one_of"}, "human, ai or team"},
		{"order", of("reviewer.seated", `{"reviewer":"a","name":"A","order":-1}`), []string{"/data/order out_of_range"}, "from 0"},
		{"withdrawal without a reason", of("review.withdrawn", `{"reviewer":"a","tool":"b"}`), []string{"/data/reason required"}, "reason is missing"},
		{"reply to event 0", of("reply.published", `{"tool":"a","body":"b","replaces":0}`), []string{"/data/replaces out_of_range"}, "from 1"},
		{"matchup of one", of("matchup.opened", `{"left":"a"}`), []string{"/data/right required"}, "right is missing"},
	})
}

func TestParseUpdates(t *testing.T) {
	_, ps := events.Parse([]byte(of("tool.registered", `{"tool":"a","name":"A","tagline":null,"homepage":"","aliases":[]}`)))
	if diff := cmp.Diff([]string{"/data/homepage invalid_url"}, found(ps)); diff != "" {
		t.Errorf("an empty URL is no way to clear it (-want +got):\n%s", diff)
	}
	s, ps := events.Parse([]byte(of("tool.registered", `{"tool":"a","name":"A","tagline":null,"description":"","aliases":[]}`)))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	got := map[string]string{}
	for _, f := range events.Fields(s.Data) {
		got[f.Name] = fmt.Sprint(events.Has(s.Data, f.Name), events.IsNull(s.Data, f.Name))
	}
	want := map[string]string{
		"aliases": "true false", "category": "false false", "description": "true false", "homepage": "false false",
		"name": "true false", "pricing": "false false", "pricing_note": "false false", "tagline": "true true", "tool": "true false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Has and IsNull (-want +got):\n%s", diff)
	}
}

func TestParseCleansText(t *testing.T) {
	s, ps := events.Parse([]byte(review(`,"condition":"a\u0000b\u0008c\u001fd\ufffee\uffff\tf\r\ng\u007fh\ud83d\ude80\ufffd"`, "")))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	want := "abcde\tf\r\ng\u007fh🚀\ufffd"
	if got := s.Data.(*events.ReviewSubmitted).Condition; got != want {
		t.Errorf("condition %q, want %q", got, want)
	}
	if !strings.Contains(string(s.Input), `a\u0000b\bc\u001fd`) {
		t.Errorf("the input is cleaned: %s", s.Input)
	}
}

func TestParseTakesLimits(t *testing.T) {
	long := strings.Repeat("a", 64<<10)
	list := strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("b", 1000)+`",`, 64), ",")
	s, ps := events.Parse([]byte(of("review.submitted",
		`{"tool":"`+strings.Repeat("a", 80)+`","reviewer":"s","verdict":"abstain","body":"`+long+`","pros":[`+list+`],"cons":[ ],"expects":9007199254740991}`)))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	p := s.Data.(*events.ReviewSubmitted)
	if len(p.Body) != 64<<10 || len(p.Pros) != 64 || len(p.Cons) != 0 || !events.Has(p, "cons") || p.Expects != 1<<53-1 {
		t.Error("the limits are not taken as they are sent")
	}
}
