package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/projections/api"
	"shiplog/projections/readhttp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// document is the OpenAPI document of an interface with every route.
func document(t *testing.T) []byte {
	t.Helper()
	a, err := api.New(http.NewServeMux(), api.Options{
		Gate: readhttp.New(readhttp.Options{}), Write: http.NotFoundHandler(),
		BaseURL: "https://panel.example", Title: "The Panel",
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := a.Document()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestOpenAPIGolden shows a change of the document in review: what is renamed or
// removed there breaks clients.
func TestOpenAPIGolden(t *testing.T) {
	var got bytes.Buffer
	if err := json.Indent(&got, document(t), "", "  "); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("openapi.json (-want +got), see -update:\n%s", diff)
	}
}

func TestOpenAPIIsTheSameEveryTime(t *testing.T) {
	if first, second := document(t), document(t); !bytes.Equal(first, second) {
		t.Error("two documents of the same interface differ")
	}
}

func TestOpenAPIShape(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(document(t), &doc); err != nil {
		t.Fatal(err)
	}
	if got := doc["openapi"]; got != "3.1.0" {
		t.Errorf("openapi is %v, want 3.1.0", got)
	}
	ids := make(map[string]bool)
	for path, item := range doc["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			op := operation.(map[string]any)
			name := strings.ToUpper(method) + " " + path
			id, _ := op["operationId"].(string)
			if id == "" || ids[id] {
				t.Errorf("%s: the operation id %q is empty or taken", name, id)
			}
			ids[id] = true
			if op["summary"] == nil || op["tags"] == nil {
				t.Errorf("%s has no summary or no tags", name)
			}
			if op["responses"].(map[string]any)["200"] == nil {
				t.Errorf("%s has no response 200", name)
			}
			checkPathParameters(t, name, path, op)
		}
	}
	checkRefs(t, doc, doc)
}

func checkPathParameters(t *testing.T, name, path string, op map[string]any) {
	t.Helper()
	documented := make(map[string]bool)
	list, _ := op["parameters"].([]any)
	for _, p := range list {
		if p := p.(map[string]any); p["in"] == "path" {
			documented["{"+p["name"].(string)+"}"] = true
		}
	}
	for part := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(part, "{") && !documented[part] {
			t.Errorf("%s: %s is not described", name, part)
		}
	}
}

// checkRefs follows every $ref below v.
func checkRefs(t *testing.T, doc, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			checkRefs(t, doc, e)
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && lookup(doc, ref) == nil {
			t.Errorf("%s leads nowhere", ref)
		}
		for _, e := range v {
			checkRefs(t, doc, e)
		}
	}
}

func lookup(doc any, ref string) any {
	for key := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		m, _ := doc.(map[string]any)
		doc = m[key]
	}
	return doc
}

func TestOpenAPIHasTheRoutes(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(document(t), &doc); err != nil {
		t.Fatal(err)
	}
	for _, route := range []string{
		"get /api/v1/events", "post /api/v1/events",
		"get /api/v1/tools", "get /api/v1/tools/{tool}",
		"get /api/v1/matchups", "get /api/v1/matchups/{left}/{right}",
		"get /api/v1/reviewers", "get /api/v1/reviewers/{reviewer}",
		"get /api/schema/{type}", "get /api/asyncapi.yaml",
	} {
		method, path, _ := strings.Cut(route, " ")
		if doc.Paths[path][method] == nil {
			t.Errorf("%s is not described", route)
		}
	}
}

// An example in the document is one that is taken.
func TestExamplesAreEvents(t *testing.T) {
	var doc any
	if err := json.Unmarshal(document(t), &doc); err != nil {
		t.Fatal(err)
	}
	post := lookup(doc, "#/paths").(map[string]any)["/api/v1/events"].(map[string]any)["post"]
	content := lookup(post, "#/requestBody/content").(map[string]any)["application/cloudevents+json"]
	examples := lookup(content, "#/examples").(map[string]any)
	if len(examples) == 0 {
		t.Error("there are no examples")
	}
	for name, example := range examples {
		raw, err := json.Marshal(lookup(example, "#/value"))
		if err != nil {
			t.Fatal(err)
		}
		if _, problems := events.Parse(raw); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}
