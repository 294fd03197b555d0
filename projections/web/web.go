package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"sync/atomic"

	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
	"shiplog/projections/pictures"
	"shiplog/projections/readhttp"
)

// DefaultCacheBytes bounds the memory for pages unless told otherwise.
const DefaultCacheBytes = 64 << 20

// Options are what a [Handler] is made of.
type Options struct {
	// Model is where pages come from. Required.
	Model *projections.Model
	// Pages draws them. Required.
	Pages *pages.Pages
	// Gate opens the model and waits for the event a request names. Required.
	Gate *readhttp.Gate
	// Event reads one stored event from the ledger; see
	// [shiplog/events/ledger.Ledger.Get]. The request is answered with its error
	// where that is a [*readhttp.Refusal]. Required.
	Event func(ctx context.Context, seq uint64) ([]byte, error)
	// Markdown renders reviews; nil makes a renderer. See [kept.Texts].
	Markdown func(source string) (template.HTML, error)
	// CacheBytes bounds the memory for pages, DefaultCacheBytes when zero.
	CacheBytes int64
	// Log takes faults; nil discards them.
	Log *slog.Logger
}

// Handler serves the pages. It is safe for use by many goroutines.
type Handler struct {
	o       Options
	cache   *kept.Cache[key, *entry]
	effects atomic.Pointer[lastEffects]
	headers headers
	painter *pictures.Painter
	files   map[string]*file

	positions kept.Positions
}

// New returns a handler.
func New(o Options) (*Handler, error) {
	if o.Model == nil || o.Pages == nil || o.Gate == nil || o.Event == nil {
		return nil, errors.New("web: Model, Pages, Gate and Event are required")
	}
	if o.Markdown == nil {
		o.Markdown = kept.Texts(pages.NewMarkdown().Render, kept.TextsLimit)
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = DefaultCacheBytes
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	painter, err := pictures.New(pictures.Options{Title: o.Pages.Site().Title})
	if err != nil {
		return nil, fmt.Errorf("prepare pictures: %w", err)
	}
	files, err := newFiles(o)
	if err != nil {
		return nil, fmt.Errorf("prepare files: %w", err)
	}
	return &Handler{
		o: o, cache: kept.NewCache[key, *entry](o.CacheBytes), headers: newHeaders(), painter: painter, files: files,
	}, nil
}

// A parser finds out what page a request asks for.
type parser func(h *Handler, r *http.Request, q query) (target, error)

// route is a pattern of the mux with what answers it.
type route struct {
	pattern string
	parse   parser
}

func routes() []route {
	return []route{
		{"/{$}", (*Handler).home},
		{"/search", (*Handler).search},
		{"/rules", (*Handler).rules},
		{"/tools", (*Handler).tools},
		{"/tools/{tool}", (*Handler).tool},
		{"/compare", (*Handler).compareAny},
		{"/compare/{pair}", (*Handler).compare},
		{"/reviewers", (*Handler).reviewers},
		{"/reviewers/{reviewer}", (*Handler).reviewer},
		{"/categories/{category}", (*Handler).category},
		{"/events/{seq}", (*Handler).event},
		{"/feeds", (*Handler).feeds},
	}
}

// The patterns that are no pages.
const (
	staticPattern  = "/static/"
	faviconPattern = "/favicon.ico"
	robotsPattern  = "/robots.txt"
	otherPattern   = "/"
)

// Register adds the pages to a mux, and an answer to every address that is left.
func (h *Handler) Register(mux *http.ServeMux) {
	for _, route := range routes() {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, route.parse, h.send) })
	}
	for _, route := range pictureRoutes() {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, route.parse, h.sendPicture) })
	}
	for _, pattern := range []string{staticPattern, faviconPattern, robotsPattern} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if h.reads(w, r) {
				h.file(w, r)
			}
		})
	}
	mux.HandleFunc(otherPattern, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, (*Handler).other, h.send) })
}

// Routes are the patterns that [Handler.Register] adds, without a method.
func (h *Handler) Routes() []string {
	patterns := []string{staticPattern, faviconPattern, robotsPattern, otherPattern}
	for _, route := range append(routes(), pictureRoutes()...) {
		patterns = append(patterns, route.pattern)
	}
	return patterns
}
