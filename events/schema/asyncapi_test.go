package schema_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"shiplog/events"
	"shiplog/events/schema"
)

func asyncAPIDocument(t *testing.T) m {
	t.Helper()
	raw, err := fs.ReadFile(schema.FS, "asyncapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc m
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestAsyncAPIRefs follows every reference of the document.
func TestAsyncAPIRefs(t *testing.T) {
	doc := asyncAPIDocument(t)
	refs := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case m:
			if ref, ok := v["$ref"].(string); ok {
				refs++
				follow(t, doc, ref)
			}
			for _, child := range v {
				walk(child)
			}
		case []any:
			for _, child := range v {
				walk(child)
			}
		}
	}
	walk(doc)
	if refs < 50 {
		t.Errorf("only %d references", refs)
	}
}

func follow(t *testing.T, doc m, ref string) {
	t.Helper()
	file, path, _ := strings.Cut(ref, "#/")
	var at any = doc
	if file != "" {
		raw, err := fs.ReadFile(schema.FS, file)
		if err != nil {
			t.Errorf("%s: %v", ref, err)
			return
		}
		at = document(t, raw)
	}
	if path == "" {
		return
	}
	for name := range strings.SplitSeq(path, "/") {
		object, _ := at.(m)
		if at = object[name]; at == nil {
			t.Errorf("%s leads nowhere", ref)
			return
		}
	}
}

// TestAsyncAPIHasEveryType holds the channels to the types and their subjects.
func TestAsyncAPIHasEveryType(t *testing.T) {
	doc := asyncAPIDocument(t)
	channels := doc["channels"].(m)
	messages := doc["components"].(m)["messages"].(m)
	for _, info := range events.Types() {
		for _, name := range []string{"inbox", "submit"} {
			if _, found := channels[name].(m)["messages"].(m)[info.Name]; found == info.Reserved {
				t.Errorf("channel %s has %s: %v", name, info.Name, found)
			}
		}
		if messages["recorded."+info.Name] == nil || (messages[info.Name] == nil) != info.Reserved {
			t.Errorf("the messages of %s are wrong", info.Name)
		}
		subject := goldenSubject(t, info.Name)
		found := 0
		for name, channel := range channels {
			address, _ := channel.(m)["address"].(string)
			if !addressPattern(address).MatchString(subject) {
				continue
			}
			found++
			if channel.(m)["messages"].(m)[info.Name] == nil {
				t.Errorf("channel %s is without %s", name, info.Name)
			}
		}
		if found != 1 {
			t.Errorf("%s of %s is on %d channels", subject, info.Name, found)
		}
	}
}

func goldenSubject(t *testing.T, typ string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "testdata", "golden", typ+".json"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := events.Decode(1, raw[:len(raw)-1])
	if err != nil {
		t.Fatal(err)
	}
	return e.LedgerSubject()
}

// addressPattern matches the subjects of an address with parameters.
func addressPattern(address string) *regexp.Regexp {
	parameter := regexp.MustCompile(`\\\{[a-z]+\\\}`)
	return regexp.MustCompile("^" + parameter.ReplaceAllString(regexp.QuoteMeta(address), "[^.]+") + "$")
}
