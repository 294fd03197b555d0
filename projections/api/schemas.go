package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"shiplog/events"
	"shiplog/events/schema"
)

// schemaSuffix ends the names of the files. The schemas refer to each other by
// these names, so they are addresses too.
const schemaSuffix = ".schema.json"

// addSchemas serves the descriptions of the events.
func (a *API) addSchemas(mux *http.ServeMux) error {
	names := schemaNames()
	schemas := make(map[string]http.Handler, len(names))
	for _, name := range names {
		doc, err := fs.ReadFile(schema.FS, name+schemaSuffix)
		if err != nil {
			return fmt.Errorf("event schemas: %w", err)
		}
		schemas[name] = static(schema.MediaType, doc)
	}
	async, err := fs.ReadFile(schema.FS, "asyncapi.yaml")
	if err != nil {
		return fmt.Errorf("event schemas: %w", err)
	}
	list, err := json.Marshal(a.schemaList(names))
	if err != nil {
		return fmt.Errorf("event schemas: %w", err)
	}
	mux.Handle("GET /api/schema", static("application/json", append(list, '\n')))
	mux.HandleFunc("GET /api/schema/{type}", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimSuffix(r.PathValue("type"), schemaSuffix)
		if schemas[name] == nil {
			w.Header().Set("Cache-Control", "no-store")
			writeProblem(w, newProblem(http.StatusNotFound, "there is no event type %s; there are schemas of %s", quoted(name), strings.Join(names, ", ")))
			return
		}
		schemas[name].ServeHTTP(w, r)
	})
	mux.Handle("GET /api/asyncapi.yaml", static("application/yaml", besideSchemas(async)))
	a.describeSchemas(names)
	return nil
}

// A SchemaList says where the schemas are.
type SchemaList struct {
	Schemas []SchemaLink `json:"schemas" nullable:"false"`
}

// A SchemaLink leads to one schema.
type SchemaLink struct {
	Type string `json:"type" doc:"an event type, or \"event\" for what is around the data of all of them"`
	Href string `json:"href" doc:"where its schema is, without the host"`
}

func (a *API) schemaList(names []string) SchemaList {
	list := SchemaList{Schemas: make([]SchemaLink, len(names))}
	for i, name := range names {
		list.Schemas[i] = SchemaLink{Type: name, Href: a.base + "/api/schema/" + name}
	}
	return list
}

// besideSchemas has the AsyncAPI document refer to the schemas where they are
// served: one level below it, not beside it as in the source tree.
func besideSchemas(doc []byte) []byte {
	for _, name := range schemaNames() {
		file := name + schemaSuffix
		doc = bytes.ReplaceAll(doc, []byte("$ref: "+file), []byte("$ref: schema/"+file))
	}
	return doc
}

// schemaNames are the event types, and "event" for what is around their data.
func schemaNames() []string {
	names := []string{"event"}
	for _, t := range events.Types() {
		names = append(names, t.Name)
	}
	return names
}

func (a *API) describeSchemas(names []string) {
	types := make([]any, len(names))
	for i, name := range names {
		types[i] = name
	}
	a.huma.OpenAPI().AddOperation(&huma.Operation{
		OperationID: "listEventSchemas", Method: http.MethodGet, Path: "/api/schema", Tags: []string{tagSchemas},
		Summary: "List the JSON Schemas of events",
		Responses: map[string]*huma.Response{
			"200": {Description: "Event types in order, and event for events as a whole", Headers: headers("ETag"), Content: map[string]*huma.MediaType{"application/json": {
				Schema: a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[SchemaList](), true, ""),
			}}},
		},
	})
	a.huma.OpenAPI().AddOperation(&huma.Operation{
		OperationID: "getEventSchema", Method: http.MethodGet, Path: "/api/schema/{type}", Tags: []string{tagSchemas},
		Summary:     "Read the JSON Schema of an event type",
		Description: "The schema of the data of a type, or of events as a whole (event). The same is at the name with .schema.json after it, by which the schemas refer to each other.",
		Parameters: []*huma.Param{{
			Name: "type", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString, Enum: types},
		}},
		Responses: map[string]*huma.Response{
			"200": {Description: "JSON Schema 2020-12", Headers: headers("ETag"), Content: map[string]*huma.MediaType{schema.MediaType: {Schema: &huma.Schema{Type: huma.TypeObject}}}},
			"404": respond("NotFound"),
		},
	})
	a.huma.OpenAPI().AddOperation(&huma.Operation{
		OperationID: "getAsyncAPI", Method: http.MethodGet, Path: "/api/asyncapi.yaml", Tags: []string{tagSchemas},
		Summary:     "Read the AsyncAPI document",
		Description: "How events are sent over NATS.",
		Responses: map[string]*huma.Response{
			"200": {Description: "AsyncAPI 3", Headers: headers("ETag"), Content: map[string]*huma.MediaType{"application/yaml": {Schema: &huma.Schema{Type: huma.TypeString}}}},
		},
	})
}
