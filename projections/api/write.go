package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"shiplog/events"
	"shiplog/events/intake"
)

const writeAbout = `Records one CloudEvent, or up to 1,000 in an array, and answers after they are stored for good.

An event is known by its source and id, for ever: sent again it is a duplicate and recorded once, so whatever fails can be sent again. With other content under the same source and id it is refused (409).

A request has at most 8 MiB, an event 256 KiB. A batch is decided in order and not as a whole: one bad event does not spoil the others. Its answer is an array of receipts in the same order: 200 if all are accepted or duplicate, 422 if none is, else 207.

In binary mode the body is the data of the event and its attributes are headers: ce-specversion, ce-id, ce-source, ce-type, ce-time …

Without the write token only programs on the server's own machine may write, and not through a proxy or from a web page of another origin.`

// addWrite mounts the write route, which huma does not serve: the intake reads
// bodies by its own, stricter rules.
func (a *API) addWrite(mux *http.ServeMux) {
	mux.Handle("POST /api/v1/events", a.o.Write)
	registry := a.huma.OpenAPI().Components.Schemas
	registry.Map()["CloudEvent"] = cloudEvent()
	one := &huma.Schema{Ref: "#/components/schemas/CloudEvent"}
	most := events.MaxBatch
	batch := &huma.Schema{Type: huma.TypeArray, Items: one, MaxItems: &most}
	receipt := registry.Schema(reflect.TypeFor[intake.Receipt](), true, "")
	a.huma.OpenAPI().AddOperation(&huma.Operation{
		OperationID: "submitEvents", Method: http.MethodPost, Path: "/api/v1/events", Tags: []string{tagEvents},
		Summary:     "Send events",
		Description: writeAbout,
		Security:    []map[string][]string{{}, {"writeToken": {}}},
		Parameters: []*huma.Param{{
			Name: "dry_run", In: "query", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"0", "1", "false", "true"}},
			Description: "1: validate and decide as if recorded, and record nothing.",
		}},
		RequestBody: &huma.RequestBody{
			Required: true,
			Content: map[string]*huma.MediaType{
				"application/cloudevents+json":       {Schema: one, Examples: examples()},
				"application/cloudevents-batch+json": {Schema: batch},
				"application/json":                   {Schema: &huma.Schema{OneOf: []*huma.Schema{one, batch, {Type: huma.TypeObject, Title: "Data", Description: "In binary mode, with ce-* headers: the data of the event alone."}}}},
			},
		},
		Responses: a.writeResponses(receipt),
	})
}

func (a *API) writeResponses(receipt *huma.Schema) map[string]*huma.Response {
	both := &huma.Schema{OneOf: []*huma.Schema{receipt, {Type: huma.TypeArray, Items: receipt}}}
	many := &huma.Schema{Type: huma.TypeArray, Items: receipt}
	problem := &huma.Schema{Ref: "#/components/schemas/ProblemDetails"}
	answer := func(text string, schema *huma.Schema) *huma.Response {
		return &huma.Response{Description: text, Headers: headers("Shiplog-Seq"), Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	}
	refuse := func(text string, names ...string) *huma.Response {
		return &huma.Response{Description: text, Headers: headers(append(names, "Shiplog-Seq")...), Content: map[string]*huma.MediaType{problemType: {Schema: problem}}}
	}
	created := answer("One event: it is recorded.", receipt)
	created.Headers["Location"] = &huma.Header{Description: "The page of the event.", Schema: &huma.Schema{Type: huma.TypeString, Format: "uri-reference"}}
	refused := refuse("One event: it is refused; problems says everything that is wrong. A batch: all are, and the answer is an array of receipts.")
	refused.Content["application/json"] = &huma.MediaType{Schema: many}
	later := refuse("This node cannot record now, or what became of the event is not known. Send it again: it is recorded once.", "Retry-After")
	later.Content["application/json"] = &huma.MediaType{Schema: many}
	return map[string]*huma.Response{
		"200": answer("One event: a duplicate, or what a dry run decided. A batch: all are accepted or duplicate.", both),
		"201": created,
		"207": answer("A batch: some are accepted or duplicate, some are not.", many),
		"400": refuse("The body is not JSON, or a parameter is unknown or cannot be read."),
		"403": refuse("This sender may not write, or not this; the detail says how."),
		"408": refuse("The body did not arrive in time."),
		"409": refuse("The source and id were used before with other content."),
		"413": refuse("The event is larger than 256 KiB, or the request than 8 MiB or 1,000 events."),
		"415": refuse("The media type, or a content encoding, is not taken."),
		"422": refused,
		"429": refuse("Too much waits to be recorded.", "Retry-After"),
		"503": later,
	}
}

// cloudEvent is the schema of what may be sent. The schemas of data are at
// /api/schema/{type}.
func cloudEvent() *huma.Schema {
	var types []any
	for _, t := range events.Types() {
		if !t.Reserved {
			types = append(types, t.Name)
		}
	}
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	return &huma.Schema{
		Type: huma.TypeObject, Description: "A CloudEvent 1.0. Other attributes are kept as extensions.",
		Required: []string{"specversion", "id", "source", "type", "data"},
		Properties: map[string]*huma.Schema{
			"specversion":     {Type: huma.TypeString, Enum: []any{"1.0"}},
			"id":              text("With source the identity of the event, for ever."),
			"source":          text("Who or what it comes from, a URI reference. /shiplog/… is reserved."),
			"type":            {Type: huma.TypeString, Enum: types, Description: "What happened. /api/schema/{type} describes the data of each."},
			"time":            {Type: huma.TypeString, Format: "date-time", Description: "When it was written. Absent means the time of recording."},
			"subject":         text("What it is about; kept, without meaning here."),
			"datacontenttype": {Type: huma.TypeString, Description: "application/json, or absent."},
			"data":            {Type: huma.TypeObject, Description: "By the type. Unknown members are refused. In updates absent keeps and null clears."},
		},
		AdditionalProperties: true,
	}
}

// examples are events that are taken by an empty ledger, in this order.
func examples() map[string]*huma.Example {
	event := func(id, kind string, data map[string]any) map[string]any {
		return map[string]any{"specversion": "1.0", "id": id, "source": "/my-pipeline", "type": kind, "data": data}
	}
	return map[string]*huma.Example{
		"review": {Summary: "A review that brings its tool and reviewer along", Value: event("2026-05-01-hullmark-builder", "shiplog.review.submitted.v1", map[string]any{
			"tool": "hullmark", "tool_name": "Hullmark", "reviewer": "builder", "reviewer_name": "The Builder",
			"verdict": "ship", "body": "Installs in a minute and does one thing well.",
		})},
		"tool": {Summary: "A tool", Value: event("hullmark", "shiplog.tool.registered.v1", map[string]any{
			"tool": "hullmark", "name": "Hullmark", "category": "build-tools", "tagline": "Pins tool versions per directory",
		})},
	}
}
