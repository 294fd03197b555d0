package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/pages"
)

// listRows is how many rows a page of a list has.
const listRows = 50

func (h *Handler) tools(_ *http.Request, q query) (target, error) {
	page, err := q.page()
	if err != nil {
		return target{}, err
	}
	label, err := labelOf(q.Get("verdict"))
	if err != nil {
		return target{}, err
	}
	category := strings.ToLower(q.Get("category"))
	if category != "" && !events.IsSlug(category) {
		return target{}, badRequest("category must be the short name of a category, as in its address; got %q", short(category))
	}
	verdict := strings.ToLower(string(label))
	return target{
		path: "/tools", query: encode("verdict", verdict, "category", category, "page", numbered(page)),
		find: func(ctx context.Context, r *reading) (draw, error) { return h.findTools(ctx, r, label, category, page) },
	}, nil
}

// labelOf reads a label in any case.
func labelOf(text string) (events.Label, error) {
	if text == "" {
		return "", nil
	}
	for _, label := range []events.Label{events.LabelShip, events.LabelSkip, events.LabelSplit, events.LabelPending} {
		if strings.EqualFold(text, string(label)) {
			return label, nil
		}
	}
	return "", badRequest("verdict must be ship, skip, split or pending; got %q", short(text))
}

func (h *Handler) findTools(ctx context.Context, r *reading, label events.Label, category string, page int) (draw, error) {
	list, total, err := r.Tools(ctx, projections.ToolFilter{
		Label: label, Category: category, Offset: (page - 1) * listRows, Limit: listRows,
	})
	if err != nil {
		return nil, err
	}
	v := pages.ToolsView{Tools: toolRows(list), Verdict: strings.ToLower(string(label)), Category: category}
	if v.Paging, err = place(page, listRows, total); err != nil {
		return nil, err
	}
	labels, err := r.Labels(ctx, category)
	if err != nil {
		return nil, err
	}
	for _, l := range labels {
		v.Verdicts = append(v.Verdicts, pages.Count{Key: string(l.Label), N: l.Tools})
		v.Total += l.Tools
	}
	categories, err := r.Categories(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range categories {
		v.Categories = append(v.Categories, pages.Count{Key: c.Slug, N: c.Tools})
	}
	for i := range list {
		r.shows(list[i].Changed())
	}
	r.watches(projections.ScopeTools, "")
	if err := r.showsFacts(ctx); err != nil {
		return nil, err
	}
	v.Page, err = r.page(ctx)
	return func(w io.Writer) error { return h.o.Pages.Tools(w, v) }, err
}

func (h *Handler) category(req *http.Request, q query) (target, error) {
	return paged(req, q, "category", "/categories/", h.findCategory)
}

func (h *Handler) findCategory(ctx context.Context, r *reading, slug string, page int) (draw, error) {
	err := r.follows(ctx, projections.ScopeCategory, slug)
	if errors.Is(err, projections.ErrNotFound) || err == nil && r.changed.Seq == 0 {
		return nil, &missing{detail: "No tool was ever in a category “" + slug + "”.", like: slug}
	}
	if err != nil {
		return nil, err
	}
	list, total, err := r.Tools(ctx, projections.ToolFilter{Category: slug, Offset: (page - 1) * listRows, Limit: listRows})
	if err != nil {
		return nil, err
	}
	v := pages.CategoryView{Slug: slug, Tools: toolRows(list)}
	if v.Paging, err = place(page, listRows, total); err != nil {
		return nil, err
	}
	for i := range list {
		r.shows(list[i].Changed())
	}
	matchups, total, err := r.Matchups(ctx, projections.MatchupFilter{Category: slug, Limit: listRows})
	if err != nil {
		return nil, err
	}
	v.Matchups, v.MatchupTotal = r.matchupRows(matchups), total
	v.Page, err = r.page(ctx)
	return func(w io.Writer) error { return h.o.Pages.Category(w, v) }, err
}
