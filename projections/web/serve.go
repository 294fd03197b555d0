package web

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"shiplog/projections/kept"
	"shiplog/projections/pages"
	"shiplog/projections/readhttp"
)

// headers are values of headers that all answers share.
type headers struct {
	contentType, cacheControl, noStore, vary, allow []string
	nosniff, policy, referrer                       []string
}

func newHeaders() headers {
	return headers{
		contentType:  kept.One("text/html; charset=utf-8"),
		cacheControl: kept.One("no-cache"),
		noStore:      kept.One("no-store"),
		vary:         kept.One("Accept-Encoding"),
		allow:        kept.One("GET, HEAD"),
		nosniff:      kept.One("nosniff"),
		policy:       kept.One(pages.ContentSecurityPolicy),
		referrer:     kept.One("strict-origin-when-cross-origin"),
	}
}

// sender answers a request with what was found for it.
type sender func(w http.ResponseWriter, r *http.Request, e *entry)

// serve answers one request for a page or a picture.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, parse parser, send sender) {
	if !h.reads(w, r) {
		return
	}
	if refusal := h.o.Gate.Admit(r); refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	if r.URL.RawQuery == "" {
		// The address of a page is its key, so a kept page is found without reading it.
		if e, ok := h.cache.Get(key{path: r.URL.Path}); ok && e.Holds(h.now()) {
			send(w, r, e)
			return
		}
	}
	if refusal := readhttp.CheckAt(r.URL.RawQuery); refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	q := query{r.URL.Query()}
	t, err := parse(h, r, q)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	t.at = q.Get("at")
	e, err := h.find(r.Context(), t)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	send(w, r, e)
}

// reads reports whether a request reads, and answers one that does not.
func (h *Handler) reads(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header()["Allow"] = h.headers.allow
	h.problem(w, r, pages.ProblemView{Status: http.StatusMethodNotAllowed, Detail: "Pages are read with GET or HEAD; this was " + short(r.Method) + "."})
	return false
}

// send answers with a page, or with the word that the client has it.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, e *entry) {
	d, header := e.document, w.Header()
	header["Etag"] = d.ETag
	header["Cache-Control"] = h.headers.cacheControl
	header["Vary"] = h.headers.vary
	header["Shiplog-Seq"] = e.At().Header
	h.guard(header)
	if readhttp.Matches(r, d.Tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header["Content-Type"] = h.headers.contentType
	d.Send(w, r, true)
}

// guard sets what keeps a browser from doing more with an answer than show it.
func (h *Handler) guard(header http.Header) {
	header["Content-Security-Policy"] = h.headers.policy
	header["X-Content-Type-Options"] = h.headers.nosniff
	header["Referrer-Policy"] = h.headers.referrer
}

// refuse answers a request that has no page.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	ctx := r.Context()
	h.tellPosition(w.Header(), err)
	if m, ok := errors.AsType[*moved](err); ok {
		h.redirect(w, r, m)
		return
	}
	if m, ok := errors.AsType[*missing](err); ok {
		h.problem(w, r, pages.ProblemView{Status: http.StatusNotFound, Detail: m.detail, Near: h.near(ctx, m.like)})
		return
	}
	refusal, ok := errors.AsType[*readhttp.Refusal](err)
	if !ok && ctx.Err() != nil {
		refusal, ok = readhttp.GivenUp(), true
	}
	if ok {
		refusal.SetHeader(w.Header())
		h.problem(w, r, pages.ProblemView{Status: refusal.Status, Detail: refusal.Sentence()})
		return
	}
	h.o.Log.LogAttrs(ctx, slog.LevelError, "page not drawn", slog.String("path", r.URL.Path), slog.Any("error", err))
	h.problem(w, r, pages.ProblemView{Status: http.StatusInternalServerError})
}

// tellPosition says as of what an answer without a page speaks.
func (h *Handler) tellPosition(header http.Header, err error) {
	seq := h.now().Seq
	if f, ok := errors.AsType[*failure](err); ok {
		seq = f.seq
	}
	header["Shiplog-Seq"] = kept.One(strconv.FormatUint(seq, 10))
}

// redirect sends to another address, as of the same time. It may be kept like a
// page, no longer: a merge can be taken back.
func (h *Handler) redirect(w http.ResponseWriter, r *http.Request, m *moved) {
	to := join(m.to, encode("at", r.URL.Query().Get("at")))
	w.Header()["Cache-Control"] = h.headers.cacheControl
	h.guard(w.Header())
	http.Redirect(w, r, to, m.status)
}

// problem answers with an error page.
func (h *Handler) problem(w http.ResponseWriter, r *http.Request, v pages.ProblemView) {
	header := w.Header()
	var buf bytes.Buffer
	if err := h.o.Pages.Problem(&buf, v); err != nil {
		h.o.Log.LogAttrs(r.Context(), slog.LevelError, "error page not drawn", slog.Any("error", err))
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	header["Content-Type"] = h.headers.contentType
	header["Cache-Control"] = h.headers.noStore
	header["Content-Length"] = kept.One(strconv.Itoa(buf.Len()))
	h.guard(header)
	w.WriteHeader(v.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(buf.Bytes()) // a client that went away is no fault
	}
}

// nearMost is how many tools an error page offers.
const nearMost = 5

// near finds tools that may have been meant.
func (h *Handler) near(ctx context.Context, like string) []pages.ToolRow {
	words := strings.ReplaceAll(short(like), "-", " ")
	if strings.TrimSpace(words) == "" {
		return nil
	}
	s, err := h.o.Model.At(ctx, 0)
	if err != nil {
		return nil // the page says enough without
	}
	found, err := s.Search(ctx, words, nearMost)
	if errClose := s.Close(); err != nil || errClose != nil {
		if ctx.Err() == nil { // else the client hung up, which is no fault
			h.o.Log.LogAttrs(ctx, slog.LevelError, "nothing near looked up", slog.Any("error", errors.Join(err, errClose)))
		}
		return nil
	}
	return toolRows(found.Tools)
}
