package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"shiplog/projections/readhttp"
)

// The tags of the document, in its order.
const (
	tagEvents    = "events"
	tagTools     = "tools"
	tagMatchups  = "matchups"
	tagReviewers = "reviewers"
	tagSchemas   = "schemas"
)

const about = `Shiplog records reviews of tools as events in an append-only ledger. Everything read here is made from that ledger.

**Reading.** An answer speaks as of one position in the ledger, named in the header Shiplog-Seq; with ?at= as of a past one. Bodies are the same bytes for the same position, so keep them with their ETag and ask with If-None-Match. After writing, send the sequence of the receipt in Shiplog-Min-Seq to read your own write.

**Pages.** A list ends with next: null when there is no more, or with what to send as its cursor parameter for the page after.

**Members** without a value are left out, but for those documented as null. New ones may be added; ignore those you do not know. Times are RFC 3339 in UTC.

**Errors** are application/problem+json (RFC 9457).`

// config is huma without what it would add of itself: no pages that load scripts
// from elsewhere, no $schema members, no documents made at the first request.
func (a *API) config() huma.Config {
	c := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       a.o.Title,
				Version:     "1",
				Description: about,
				License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Tags: []*huma.Tag{
				{Name: tagEvents, Description: "The ledger: send events, read them as they are stored."},
				{Name: tagTools, Description: "Tools and what the panel says of them."},
				{Name: tagMatchups, Description: "Two tools side by side, judged by the reviewers who know both."},
				{Name: tagReviewers, Description: "The panel."},
				{Name: tagSchemas, Description: "Machine-readable descriptions of the events."},
			},
		},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{plainErrors},
	}
	c.AllowAdditionalPropertiesByDefault = true
	if a.o.BaseURL != "" {
		c.Servers = []*huma.Server{{URL: a.o.BaseURL}}
	}
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	c.Components = &huma.Components{
		Schemas:    registry,
		Parameters: commonParameters(),
		Headers:    commonHeaders(),
		Responses:  commonResponses(registry.Schema(reflect.TypeFor[ProblemDetails](), true, "")),
		SecuritySchemes: map[string]*huma.SecurityScheme{
			"writeToken": {Type: "http", Scheme: "bearer", Description: "The content of the server's --write-token-file. Without it only programs on the server's own machine may write."},
		},
	}
	return c
}

func commonParameters() map[string]*huma.Param {
	return map[string]*huma.Param{
		readhttp.MinSeqHeader: {
			Name: readhttp.MinSeqHeader, In: "header", Schema: integer(0),
			Description: "Wait, up to 5 seconds, until the answer can speak as of this event or a later one; else 503. For an event beyond the ledger's last one the 503 comes at once.",
		},
		"If-None-Match": {
			Name: "If-None-Match", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The ETag of a copy: if it is still right the answer is 304.",
		},
	}
}

func commonHeaders() map[string]*huma.Header {
	return map[string]*huma.Header{
		readhttp.SeqHeader: {Description: "The position in the ledger that the answer speaks as of.", Schema: integer(0)},
		"ETag":             {Description: "A weak validator of the body.", Schema: &huma.Schema{Type: huma.TypeString}},
		"Retry-After":      {Description: "Seconds to wait before asking again.", Schema: integer(1)},
		"Location":         {Description: "The canonical address.", Schema: &huma.Schema{Type: huma.TypeString, Format: "uri-reference"}},
	}
}

// commonResponses are those that several routes give.
func commonResponses(problem *huma.Schema) map[string]*huma.Response {
	content := map[string]*huma.MediaType{problemType: {Schema: problem}}
	return map[string]*huma.Response{
		"Moved":       {Description: "An alias, a duplicate or the other order: the thing is at Location.", Headers: headers("Location", readhttp.SeqHeader)},
		"NotModified": {Description: "The copy named in If-None-Match is still right.", Headers: headers("ETag", readhttp.SeqHeader)},
		"BadRequest":  {Description: "A parameter is unknown, given twice, without a value or cannot be read, or at is beyond the last event.", Content: content},
		"NotFound":    {Description: "There is no such thing as of then; the detail says what is missing and where to look.", Content: content},
		"Fault":       {Description: "Something broke; nothing is lost.", Content: content},
		"Unavailable": {Description: "This node cannot answer yet.", Headers: headers("Retry-After"), Content: content},
	}
}

// readOperation adds what all reads have in common.
func (a *API) readOperation(op huma.Operation) huma.Operation {
	op.Method = http.MethodGet
	op.RejectUnknownQueryParameters = true // a filter that is mistyped must not answer with everything
	op.Middlewares = huma.Middlewares{wholeQuery, parameterStatus}
	op.Parameters = append(op.Parameters,
		&huma.Param{Ref: "#/components/parameters/" + readhttp.MinSeqHeader},
		&huma.Param{Ref: "#/components/parameters/If-None-Match"})
	if op.Responses == nil {
		op.Responses = make(map[string]*huma.Response)
	}
	op.Responses["200"] = &huma.Response{Headers: headers("ETag")}
	for code, name := range map[string]string{
		"304": "NotModified", "400": "BadRequest", "404": "NotFound", "500": "Fault", "503": "Unavailable",
	} {
		op.Responses[code] = respond(name)
	}
	return op
}

// movable are the responses of a route whose things have other addresses too.
func movable() map[string]*huma.Response {
	return map[string]*huma.Response{"301": respond("Moved")}
}

func respond(name string) *huma.Response {
	return &huma.Response{Ref: "#/components/responses/" + name}
}

func headers(names ...string) map[string]*huma.Header {
	m := make(map[string]*huma.Header, len(names))
	for _, name := range names {
		m[name] = &huma.Header{Ref: "#/components/headers/" + name}
	}
	return m
}

func integer(least float64) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &least}
}
