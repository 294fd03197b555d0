package api

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"shiplog/projections/readhttp"
)

// Options are what the interface is made of.
type Options struct {
	// Gate opens the read model. Required.
	Gate *readhttp.Gate
	// Events reads stored events from one sequence to another, both included, in
	// order; see [shiplog/events/ledger.Ledger.Read]. The request is answered with
	// its error where that is a [*readhttp.Refusal]. Required.
	Events func(ctx context.Context, from, to uint64, fn func(seq uint64, raw []byte) error) error
	// Write serves POST /api/v1/events; nil leaves the route out.
	Write http.Handler
	// BaseURL is the public address, without a slash at its end. It is the
	// server in the document and begins the addresses of pages in answers.
	BaseURL string
	// Title names the panel in the document; "Shiplog" when empty.
	Title string
	// Log takes faults; nil discards them.
	Log *slog.Logger
}

// API is the interface, mounted on a mux.
type API struct {
	o    Options
	base string // path before every address, "" at the root of a host
	huma huma.API
}

// New mounts the interface on a mux.
func New(mux *http.ServeMux, o Options) (*API, error) {
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base URL %q: %w", o.BaseURL, err)
	}
	if o.Title == "" {
		o.Title = "Shiplog"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &API{o: o, base: base.EscapedPath()}
	a.huma = humago.New(&reads{mux: mux, gate: o.Gate}, a.config())
	a.addEvents()
	a.addTools()
	a.addMatchups()
	a.addReviewers()
	if o.Write != nil {
		a.addWrite(mux)
	}
	if err := a.addSchemas(mux); err != nil {
		return nil, err
	}
	if err := a.addDocument(mux); err != nil {
		return nil, err
	}
	a.addMissing(mux)
	return a, nil
}

// Document is the OpenAPI document as it is served.
func (a *API) Document() ([]byte, error) {
	// Huma describes its own form of error too, which is never sent.
	schemas := a.huma.OpenAPI().Components.Schemas.Map()
	delete(schemas, "ErrorModel")
	delete(schemas, "ErrorDetail")
	doc, err := json.Marshal(a.huma.OpenAPI())
	if err != nil {
		return nil, fmt.Errorf("write the OpenAPI document: %w", err)
	}
	return append(doc, '\n'), nil
}

func (a *API) addDocument(mux *http.ServeMux) error {
	doc, err := a.Document()
	if err != nil {
		return err
	}
	mux.Handle("GET /api/openapi.json", static("application/openapi+json", doc))
	return nil
}

// static serves bytes that never change while the program runs.
func static(contentType string, body []byte) http.Handler {
	return readhttp.Tagged(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body) // it is collected, and cannot fail
	}))
}

// reads is a mux that puts the gate before every route registered through it.
type reads struct {
	mux  *http.ServeMux
	gate *readhttp.Gate
}

// HandleFunc implements [humago.Mux].
func (m *reads) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	m.mux.Handle(pattern, m.gate.Handler(http.HandlerFunc(handler), func(w http.ResponseWriter, _ *http.Request, r *readhttp.Refusal) {
		writeProblem(w, newProblem(r.Status, "%s", r.Detail))
	}))
}

// ServeHTTP implements [humago.Mux].
func (m *reads) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.mux.ServeHTTP(w, r) }
