package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
)

// compareAny is the list of matchups, or with ?tools= any tools side by side.
func (h *Handler) compareAny(req *http.Request, q query) (target, error) {
	if q.Has("tools") {
		return h.matrix(req, q)
	}
	page, err := q.page()
	if err != nil {
		return target{}, err
	}
	return target{
		path: "/compare", query: encode("page", numbered(page)),
		find: func(ctx context.Context, r *reading) (draw, error) { return h.findMatchups(ctx, r, page) },
	}, nil
}

func (h *Handler) findMatchups(ctx context.Context, r *reading, page int) (draw, error) {
	list, total, err := r.Matchups(ctx, projections.MatchupFilter{Offset: (page - 1) * listRows, Limit: listRows})
	if err != nil {
		return nil, err
	}
	v := pages.MatchupsView{Matchups: r.matchupRows(list)}
	if v.Paging, err = place(page, listRows, total); err != nil {
		return nil, err
	}
	categories, err := r.Categories(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range categories {
		if c.Matchups > 0 {
			v.Categories = append(v.Categories, pages.Count{Key: c.Slug, N: c.Matchups})
		}
	}
	r.watches(projections.ScopeMatchups, "")
	for _, note := range []func(context.Context) error{r.showsFacts, r.showsOpened} {
		if err := note(ctx); err != nil {
			return nil, err
		}
	}
	v.Page, err = r.page(ctx)
	return func(w io.Writer) error { return h.o.Pages.Matchups(w, v) }, err
}

const between = "-vs-"

// compare is the page of a pair. No slug holds what stands between the two.
func (h *Handler) compare(req *http.Request, q query) (target, error) {
	pair := req.PathValue("pair")
	left, right, found := strings.Cut(pair, between)
	if small := strings.ToLower(pair); small != pair && found {
		return target{}, &moved{status: http.StatusMovedPermanently, to: withQuery("/compare/"+small, req)}
	}
	if !events.IsSlug(left) || !events.IsSlug(right) {
		return target{}, &missing{detail: "A comparison has the address of two tools with “-vs-” between them; “" + short(pair) + "” is none.", like: left}
	}
	only := ""
	if q.Get("only") == differences {
		only = differences
	}
	t := target{path: "/compare/" + pair, query: encode("only", only)}
	t.find = func(ctx context.Context, r *reading) (draw, error) {
		return h.findCompare(ctx, r, left, right, only != "")
	}
	return t, nil
}

const differences = "differences"

func (h *Handler) findCompare(ctx context.Context, r *reading, left, right string, only bool) (draw, error) {
	c, err := r.Comparison(ctx, left, right)
	if errors.Is(err, projections.ErrNotFound) {
		return nil, r.unopened(ctx, left, right)
	}
	if err != nil {
		return nil, err
	}
	if c.Left.Slug != left || c.Right.Slug != right {
		to := "/compare/" + c.Left.Slug + between + c.Right.Slug
		if only {
			to = join(to, encode("only", differences))
		}
		return nil, &moved{status: http.StatusMovedPermanently, to: to}
	}
	v := pages.CompareView{
		Left: contenderOf(&c.Left), Right: contenderOf(&c.Right), Category: c.Category,
		Opened: eventOf(c.Event), Matchmade: c.Matchmade, Publisher: c.Publisher,
		Result: resultOf(c.Result, c.Left.Ref, c.Right.Ref), Since: eventOf(c.Since), OnlyDifferences: only,
	}
	if c.Before != nil {
		before := resultOf(*c.Before, c.Left.Ref, c.Right.Ref)
		v.Before = &before
	}
	r.shows(c.Changed)
	for _, t := range []*projections.Tool{&c.Left, &c.Right} {
		if t.Merged != nil {
			r.shows(t.Merged.Named)
			r.watches(projections.ScopeTool, t.Merged.Into.Slug)
		}
	}
	for _, tool := range []string{left, right} {
		r.watches(projections.ScopeTool, tool)
	}
	r.watches(kept.ScopePanel, "")
	if err := r.addScorecard(&v, &c.Scorecard); err != nil {
		return nil, err
	}
	r.addNeighbours(&v, c)
	v.Page, err = r.page(ctx)
	return func(w io.Writer) error { return h.o.Pages.Compare(w, v) }, err
}

func (r *reading) addScorecard(v *pages.CompareView, card *projections.Scorecard) (err error) {
	if v.Shared, err = r.compareRows(card.Common); err != nil {
		return err
	}
	if v.One, err = r.compareRows(card.One); err != nil {
		return err
	}
	v.Abstained, err = r.compareRows(card.Abstained)
	return err
}

func (r *reading) compareRows(rows []projections.Row) ([]pages.CompareRow, error) {
	var out []pages.CompareRow
	for _, row := range rows {
		left, err := r.side(row.Left)
		if err != nil {
			return nil, err
		}
		right, err := r.side(row.Right)
		if err != nil {
			return nil, err
		}
		out = append(out, pages.CompareRow{Reviewer: criticOf(row.Reviewer), Left: left, Right: right})
	}
	return out, nil
}

// addNeighbours links the matchups opened before and after.
func (r *reading) addNeighbours(v *pages.CompareView, c *projections.Comparison) {
	link := func(m *projections.Neighbour) *pages.MatchupLink {
		if m == nil {
			return nil
		}
		r.shows(m.Event, m.Named)
		for _, tool := range []string{m.Left.Slug, m.Right.Slug} {
			r.watches(projections.ScopeTool, tool)
		}
		return &pages.MatchupLink{Left: refOf(m.Left), Right: refOf(m.Right)}
	}
	v.Prev, v.Next = link(c.Older), link(c.Newer)
	if c.Newer == nil {
		r.watches(kept.ScopeOpened, "")
	}
}

// unopened says where two tools that were never paired are to be seen.
func (r *reading) unopened(ctx context.Context, left, right string) error {
	slugs, err := r.standing(ctx, []string{left, right})
	if err != nil {
		return err
	}
	if len(slugs) < 2 {
		return &moved{status: http.StatusFound, to: "/tools/" + slugs[0]}
	}
	return &moved{status: http.StatusFound, to: "/compare?tools=" + strings.Join(slugs, ",")}
}

// standing replaces aliases and duplicates by the tools they mean, each once.
func (r *reading) standing(ctx context.Context, slugs []string) ([]string, error) {
	var out []string
	for _, slug := range slugs {
		name := slug
		for range mergesMost {
			t, err := r.Tool(ctx, name)
			if errors.Is(err, projections.ErrNotFound) {
				return nil, &missing{detail: "There is no tool “" + slug + "”.", like: slug}
			}
			if err != nil {
				return nil, err
			}
			name = t.Slug
			if t.Merged == nil {
				break
			}
			name = t.Merged.Into.Slug
		}
		out = appendOnce(out, name)
	}
	return out, nil
}

// mergesMost is how far merges of merges are followed.
const mergesMost = 8

func appendOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
