package schema_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"shiplog/events"
	"shiplog/events/schema"
)

var update = flag.Bool("update", false, "write the generated files")

// TestFilesEqualTheTypes holds the committed files to the field tables.
func TestFilesEqualTheTypes(t *testing.T) {
	files := generate(t)
	for name, want := range files {
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not as generated; go test ./events/schema -update writes it (-want +got):\n%s", name, diff)
		}
		if embedded, err := fs.ReadFile(schema.FS, name); !*update && (err != nil || !bytes.Equal(embedded, got)) {
			t.Errorf("%s is not in FS as it is on disk: %v", name, err)
		}
	}
	if *update {
		return
	}
	entries, err := schema.FS.ReadDir(".")
	if err != nil || len(entries) != len(files) {
		t.Errorf("%d files are in FS, %d are generated: %v", len(entries), len(files), err)
	}
}

// compiled are the schemas as a validator that reads them from FS.
func compiled(t *testing.T) func(name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	entries, err := schema.FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".schema.json") {
			continue
		}
		raw, err := fs.ReadFile(schema.FS, entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("https://ledger.example/schemas/"+entry.Name(), document(t, raw)); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) *jsonschema.Schema {
		t.Helper()
		s, err := c.Compile("https://ledger.example/schemas/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func document(t *testing.T, raw []byte) any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return doc
}

// TestStoredEventsAreValid validates the golden event of every type, as a whole
// and its data.
func TestStoredEventsAreValid(t *testing.T) {
	compile := compiled(t)
	whole, stored, submitted := compile("event.schema.json"), compile("event.schema.json#/$defs/stored"), compile("event.schema.json#/$defs/submitted")
	files, err := filepath.Glob("../testdata/golden/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc := document(t, raw)
		for _, s := range []*jsonschema.Schema{whole, stored, compile(strings.TrimSuffix(filepath.Base(file), ".json") + ".schema.json")} {
			part := doc
			if s != whole && s != stored {
				part = doc.(m)["data"]
			}
			if err := s.Validate(part); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		if submitted.Validate(doc) == nil {
			t.Errorf("%s is valid as a submission", file)
		}
		doc.(m)["salt"] = "00"
		if stored.Validate(doc) == nil {
			t.Errorf("%s: a salt of one byte is valid", file)
		}
	}
}

// sample is a valid submission of every type a publisher may send.
func samples() map[string]string {
	return map[string]string{
		"rules.published":   `{"version":1,"quorum":3,"matchmaking":"manual","max_matchups_per_tool":0}`,
		"reviewer.seated":   `{"reviewer":"skeptic","name":"The Skeptic","kind":null,"motto":"a","lens":null,"order":1}`,
		"reviewer.unseated": `{"reviewer":"skeptic","reason":""}`,
		"tool.registered":   `{"tool":"vs-code","name":"Ferrule","category":"build-tools","tagline":null,"description":"a\nb","homepage":"HTTPS://例え.jp/é","pricing":"free","pricing_note":"","aliases":["a"]}`,
		"tool.merged":       `{"tool":"a","into":"b"}`,
		"tool.unmerged":     `{"tool":"a","into":"b"}`,
		"tool.retired":      `{"tool":"a"}`,
		"review.submitted":  `{"tool":"a","reviewer":"b","verdict":"abstain","body":"Good.","format":"text","condition":"","pros":[],"cons":["slow"],"evidence":["http://example.org/"],"expects":0,"tool_name":"A","reviewer_name":"B","provenance":"inferred"}`,
		"review.withdrawn":  `{"tool":"a","reviewer":"b","reason":"wrong tool"}`,
		"reply.published":   `{"tool":"a","body":"Thanks.","author":"us","replaces":9007199254740991}`,
		"matchup.opened":    `{"left":"a","right":"b"}`,
	}
}

func event(typ, data, more string) string {
	return `{"specversion":"1.0","id":"1","source":"/panel","type":"shiplog.` + typ + `.v1","data":` + data + more + `}`
}

func TestSubmissionsAreValid(t *testing.T) {
	compile := compiled(t)
	whole := compile("event.schema.json")
	for _, info := range events.Types() {
		typ := strings.TrimSuffix(strings.TrimPrefix(info.Name, "shiplog."), ".v1")
		data, found := samples()[typ]
		if info.Reserved {
			if err := whole.Validate(document(t, []byte(event(typ, "{}", "")))); err == nil {
				t.Errorf("%s may be submitted", info.Name)
			}
			continue
		}
		if !found {
			t.Errorf("no sample of %s", info.Name)
			continue
		}
		more := `,"subject":"a","time":"2026-05-02T09:30:00+02:00","datacontenttype":"application/json; charset=utf-8","zone":"eu","n":-7,"ok":true,"none":null,"cause":null`
		for _, raw := range []string{event(typ, data, ""), event(typ, data, more)} {
			if _, ps := events.Parse([]byte(raw)); len(ps) > 0 {
				t.Fatalf("%s: %v", info.Name, ps)
			}
			if err := whole.Validate(document(t, []byte(raw))); err != nil {
				t.Errorf("%s\n%v", raw, err)
			}
		}
		for _, raw := range spoiled(t, info, data) {
			if _, ps := events.Parse([]byte(event(typ, raw, ""))); len(ps) == 0 {
				t.Errorf("Parse takes %s", raw)
			}
			if compile(info.Name+".schema.json").Validate(document(t, []byte(raw))) == nil {
				t.Errorf("the schema of %s takes %s", info.Name, raw)
			}
			if whole.Validate(document(t, []byte(event(typ, raw, "")))) == nil {
				t.Errorf("the schema of events takes %s", raw)
			}
		}
	}
}

// spoiled are data with one fault each: an unknown member, each required one
// missing, and each one null, of another type, or with a bad value of its kind.
func spoiled(t *testing.T, info *events.TypeInfo, data string) []string {
	t.Helper()
	var list []string
	with := func(change func(m)) {
		doc := document(t, []byte(data)).(m)
		change(doc)
		list = append(list, string(encode(t, doc)))
	}
	with(func(doc m) { doc["stars"] = 5 })
	for _, f := range info.Fields {
		if f.Required {
			with(func(doc m) { delete(doc, f.Name) })
		}
		bad := badValues(f)
		if !f.Nullable {
			bad = append(bad, nil)
		}
		for _, value := range bad {
			with(func(doc m) { doc[f.Name] = value })
		}
	}
	return list
}

func badValues(f events.Field) []any {
	long := strings.Repeat("a", events.MaxText+1)
	switch f.Kind {
	case events.KindSlug:
		return []any{"", "A", "a.b", "a b", "*", ">", "-a", "a-", "a--b", "a-vs-b", "a-vs", long[:81], 1, []string{"a"}}
	case events.KindSlugs:
		return []any{"a", []string{"A"}, []any{1}, m{}, slices.Repeat([]string{"a"}, events.MaxItems+1)}
	case events.KindEnum:
		return []any{"", "maybe", 1, true}
	case events.KindInteger:
		return []any{f.Min - 1, 1.5, "1", uint64(1 << 53), []int{1}}
	case events.KindURL:
		return []any{"", "example.org", "javascript:alert(1)", "ftp://example.org", "https:///a", 1, "https://example.org/" + long[:events.MaxURL]}
	case events.KindURLs:
		return []any{"https://example.org/", []string{"example.org"}, []any{1}}
	case events.KindLines:
		return []any{"a", []any{1}, []any{nil}, []string{" "}, []string{long[:events.MaxItem+1]}, slices.Repeat([]string{"a"}, events.MaxItems+1)}
	case events.KindLine:
		return append(unreadable(f), "a\nb", "a\tb", "a\u2028b", long[:events.MaxLine+1], 1)
	}
	return append(unreadable(f), long, 1, []string{"a"}, m{})
}

func unreadable(f events.Field) []any {
	if f.Required || f.Instruction {
		return []any{"", " \n"}
	}
	return nil
}

// TestEventSchemaRefuses validates events that Parse refuses.
func TestEventSchemaRefuses(t *testing.T) {
	whole := compiled(t)("event.schema.json")
	data := samples()["tool.merged"]
	good := event("tool.merged", data, "")
	for _, raw := range []string{
		`{}`, `[]`, `"x"`, `null`,
		strings.Replace(good, `"1.0"`, `"0.3"`, 1),
		strings.Replace(good, `"id":"1",`, ``, 1),
		strings.Replace(good, `"id":"1"`, `"id":""`, 1),
		strings.Replace(good, `"id":"1"`, `"id":null`, 1),
		strings.Replace(good, `"id":"1"`, `"id":1`, 1),
		strings.Replace(good, `"id":"1"`, `"id":"a\u0000"`, 1),
		strings.Replace(good, `"id":"1"`, `"id":"`+strings.Repeat("a", 513)+`"`, 1),
		strings.Replace(good, `"/panel"`, `"/shiplog/matchmaker"`, 1),
		strings.Replace(good, `"/panel"`, `"my panel"`, 1),
		strings.Replace(good, `merged.v1`, `merged.v9`, 1),
		strings.Replace(good, data, `[]`, 1),
		strings.Replace(good, data, `null`, 1),
		event("tool.merged", data, `,"data_base64":"e30="`),
		event("tool.merged", data, `,"salt":"00"`),
		event("tool.merged", data, `,"cause":1`),
		event("tool.merged", data, `,"publisher":"me"`),
		event("tool.merged", data, `,"time":"yesterday"`),
		event("tool.merged", data, `,"time":"2026-13-02T09:30:00Z"`),
		event("tool.merged", data, `,"time":"2016-12-31T23:59:60Z"`),
		event("tool.merged", data, `,"time":1`),
		event("tool.merged", data, `,"datacontenttype":"text/plain"`),
		event("tool.merged", data, `,"weight":1.5`),
		event("tool.merged", data, `,"weight":2147483648`),
		event("tool.merged", data, `,"meta":{}`),
		event("tool.merged", data, `,"tags":["a"]`),
		event("tool.merged", data, `,"traceParent":"x"`),
	} {
		if _, ps := events.Parse([]byte(raw)); len(ps) == 0 {
			t.Errorf("Parse takes %s", raw)
		}
		if whole.Validate(document(t, []byte(raw))) == nil {
			t.Errorf("the schema takes %s", raw)
		}
	}
}
