package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// answers are requests whose bodies are held as golden files, each with the
// route it is documented under.
var answers = []struct{ name, route, path string }{
	{"events", "/api/v1/events", "/api/v1/events?after=4&limit=2"},
	{"tools", "/api/v1/tools", "/api/v1/tools"},
	{"tools-all", "/api/v1/tools", "/api/v1/tools?all=true&limit=3"},
	{"tool-ship", "/api/v1/tools/{tool}", "/api/v1/tools/anvil"},
	{"tool-pending", "/api/v1/tools/{tool}", "/api/v1/tools/crucible"},
	{"tool-retired", "/api/v1/tools/{tool}", "/api/v1/tools/dross"},
	{"tool-then", "/api/v1/tools/{tool}", "/api/v1/tools/anvil?at=15"},
	{"matchups", "/api/v1/matchups", "/api/v1/matchups"},
	{"matchup", "/api/v1/matchups/{left}/{right}", "/api/v1/matchups/bellows/anvil"},
	{"matchup-incomparable", "/api/v1/matchups/{left}/{right}", "/api/v1/matchups/anvil/crucible"},
	{"reviewers", "/api/v1/reviewers", "/api/v1/reviewers"},
	{"reviewer", "/api/v1/reviewers/{reviewer}", "/api/v1/reviewers/skeptic"},
	{"reviewer-former", "/api/v1/reviewers/{reviewer}", "/api/v1/reviewers/founder?limit=1"},
}

// TestAnswers holds every kind of answer, and that each is as the document says.
func TestAnswers(t *testing.T) {
	s := serve(t, panel()...)
	for _, test := range answers {
		t.Run(test.name, func(t *testing.T) {
			resp, body := s.ask(t, "GET", test.path)
			if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
				t.Fatalf("got %d %s: %s", resp.StatusCode, resp.Header.Get("Content-Type"), body)
			}
			golden(t, test.name, body)
			if err := documented(t, test.route).Validate(decoded(t, body)); err != nil {
				t.Errorf("it is not as documented: %v", err)
			}
		})
	}
}

func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s (-want +got), see -update:\n%s", path, diff)
	}
}

func decoded(t *testing.T, body []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// documented is the schema of a route's answer. Members that are not described
// are refused: what is sent is described.
func documented(t *testing.T, route string) *jsonschema.Schema {
	t.Helper()
	doc := bytes.ReplaceAll(document(t), []byte(`"additionalProperties":true`), []byte(`"additionalProperties":false`))
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("https://panel.example/api/openapi.json", decoded(t, doc)); err != nil {
		t.Fatal(err)
	}
	at := strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(route)
	schema, err := c.Compile(fmt.Sprintf("https://panel.example/api/openapi.json#/paths/%s/get/responses/200/content/application~1json/schema", at))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
