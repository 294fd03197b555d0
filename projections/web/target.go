package web

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"shiplog/events"
)

// A target is the page a request asks for.
type target struct {
	// path and query are the address in its one spelling, but for the time.
	path, query string
	// at is the past to show it as of, as the request gave it; empty means now.
	at string
	// find reads what the page shows.
	find func(ctx context.Context, r *reading) (draw, error)
}

// draw writes a page that was found.
type draw func(w io.Writer) error

// query is the parameters of a request.
type query struct{ url.Values }

// page is the number of a page of a list, from 1.
func (q query) page() (int, error) {
	text := q.Get("page")
	if text == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPage {
		return 0, badRequest("page must be a whole number from 1 on; got %q", short(text))
	}
	return n, nil
}

// maxPage keeps offsets within what a database counts.
const maxPage = 1 << 24

// encode writes parameters, names and values in turn, as a query. Those without
// a value are left out.
func encode(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(pairs[i] + "=" + url.QueryEscape(pairs[i+1]))
	}
	return b.String()
}

// numbered is the number of a page as a parameter; the first needs none.
func numbered(page int) string {
	if page == 1 {
		return ""
	}
	return strconv.Itoa(page)
}

// paged is a page about the one that a path names, with a list that has numbered
// pages.
func paged(req *http.Request, q query, name, prefix string,
	find func(ctx context.Context, r *reading, slug string, page int) (draw, error),
) (target, error) {
	slug, err := slugOf(req, name, prefix)
	if err != nil {
		return target{}, err
	}
	page, err := q.page()
	if err != nil {
		return target{}, err
	}
	return target{
		path: prefix + slug, query: encode("page", numbered(page)),
		find: func(ctx context.Context, r *reading) (draw, error) { return find(ctx, r, slug, page) },
	}, nil
}

// slugOf reads a slug out of a path. One with capital letters, which people make
// of names, is redirected to the one without.
func slugOf(r *http.Request, name, prefix string) (string, error) {
	slug := r.PathValue(name)
	if events.IsSlug(slug) {
		return slug, nil
	}
	if small := strings.ToLower(slug); events.IsSlug(small) {
		return "", &moved{status: http.StatusMovedPermanently, to: withQuery(prefix+small, r)}
	}
	return "", &missing{detail: "There is no " + name + " “" + short(slug) + "”.", like: slug}
}

// withQuery keeps the parameters of a request, all but the time, which every
// redirect keeps.
func withQuery(path string, r *http.Request) string {
	q := r.URL.Query()
	q.Del("at")
	return join(path, q.Encode())
}

func join(path, query string) string {
	switch {
	case query == "":
		return path
	case strings.Contains(path, "?"):
		return path + "&" + query
	}
	return path + "?" + query
}

// short keeps a value from a request short enough to be told.
func short(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// other answers addresses that nobody took. One that may be a page's but for a
// slash at its end leads there.
func (h *Handler) other(r *http.Request, _ query) (target, error) {
	if path := strings.TrimRight(r.URL.Path, "/"); path != r.URL.Path && isUnderPages(path) {
		to := url.URL{Path: path}
		return target{}, &moved{status: http.StatusMovedPermanently, to: withQuery(to.EscapedPath(), r)}
	}
	return target{}, &missing{detail: "There is no page at " + short(r.URL.Path) + "."}
}

// isUnderPages reports whether a path begins as that of some page does.
func isUnderPages(path string) bool {
	begins := func(p string) string {
		first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
		return first
	}
	return begins(path) != "" && slices.ContainsFunc(routes(), func(r route) bool { return begins(r.pattern) == begins(path) })
}
