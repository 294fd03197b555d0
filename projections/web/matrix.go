package web

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
)

// Bounds of a matrix.
const (
	matrixLeast = 2
	matrixMost  = 5
	// candidatesMost is how many tools are offered to be added.
	candidatesMost = 8
)

// A choice is what of a matrix is asked for.
type choice struct {
	tools        []string
	quotes, only bool
}

func (c choice) query() string {
	q := "tools=" + strings.Join(c.tools, ",")
	if c.quotes {
		q += "&quotes=1"
	}
	if c.only {
		q += "&only=" + differences
	}
	return q
}

func (h *Handler) matrix(_ *http.Request, q query) (target, error) {
	c := choice{quotes: q.Get("quotes") == "1", only: q.Get("only") == differences}
	for _, list := range q.Values["tools"] {
		for slug := range strings.SplitSeq(list, ",") {
			if slug = strings.ToLower(strings.TrimSpace(slug)); slug != "" {
				c.tools = appendOnce(c.tools, slug)
			}
		}
	}
	if n := len(c.tools); n < matrixLeast || n > matrixMost {
		return target{}, badRequest("tools must name two to five tools by their short names, with commas between them; this names %d", n)
	}
	for _, slug := range c.tools {
		if !events.IsSlug(slug) {
			return target{}, &missing{detail: "There is no tool “" + short(slug) + "”.", like: slug}
		}
	}
	return target{
		path: "/compare", query: c.query(),
		find: func(ctx context.Context, r *reading) (draw, error) { return h.findMatrix(ctx, r, c) },
	}, nil
}

func (h *Handler) findMatrix(ctx context.Context, r *reading, c choice) (draw, error) {
	standing, err := r.standing(ctx, c.tools)
	if err != nil {
		return nil, err
	}
	if len(standing) < matrixLeast {
		return nil, &moved{status: http.StatusMovedPermanently, to: "/tools/" + standing[0]}
	}
	if !slices.Equal(standing, c.tools) {
		c.tools = standing
		return nil, &moved{status: http.StatusMovedPermanently, to: "/compare?" + c.query()}
	}
	m, err := r.Compare(ctx, c.tools)
	if err != nil {
		return nil, err
	}
	v := pages.MatrixView{Category: sameCategory(m.Tools), Quotes: c.quotes, Only: c.only}
	for i := range m.Tools {
		v.Tools = append(v.Tools, contenderOf(&m.Tools[i]))
		r.shows(m.Tools[i].Changed())
		r.watches(projections.ScopeTool, m.Tools[i].Slug)
		r.watches(kept.ScopeOpened, m.Tools[i].Slug)
	}
	r.watches(kept.ScopePanel, "")
	if v.Rows, err = r.matrixRows(m.Rows); err != nil {
		return nil, err
	}
	for _, p := range m.Pairs {
		v.Pairs = append(v.Pairs, pairOf(p))
		r.shows(p.Opened)
	}
	if len(c.tools) < matrixMost {
		if v.Candidates, err = r.candidates(ctx, c.tools); err != nil {
			return nil, err
		}
	}
	v.Page, err = r.page(ctx)
	return func(w io.Writer) error { return h.o.Pages.Matrix(w, v) }, err
}

func (r *reading) matrixRows(rows []projections.MatrixRow) ([]pages.MatrixRow, error) {
	out := make([]pages.MatrixRow, len(rows))
	for i, row := range rows {
		out[i].Reviewer = criticOf(row.Reviewer)
		for _, v := range row.Reviews {
			side, err := r.side(v)
			if err != nil {
				return nil, err
			}
			out[i].Sides = append(out[i].Sides, side)
		}
	}
	return out, nil
}

func pairOf(p projections.Pair) pages.PairRow {
	return pages.PairRow{
		Opened: eventOf(p.Opened), Left: refOf(p.Left), Right: refOf(p.Right), Result: resultOf(p.Result, p.Left, p.Right),
		ToLeft: criticsOf(p.ToLeft), ToRight: criticsOf(p.ToRight),
	}
}

// candidates are tools that could be added: those that some of the tools are
// matched with, newest matchups first.
func (r *reading) candidates(ctx context.Context, tools []string) ([]pages.Ref, error) {
	taken := slices.Clone(tools)
	var out []pages.Ref
	for _, tool := range tools {
		list, _, err := r.Matchups(ctx, projections.MatchupFilter{Tool: tool, Limit: candidatesMost})
		if err != nil {
			return nil, err
		}
		for i := range list {
			if len(out) == candidatesMost {
				return out, nil
			}
			other := &list[i].Right
			if other.Slug == tool {
				other = &list[i].Left
			}
			if slices.Contains(taken, other.Slug) {
				continue
			}
			taken = append(taken, other.Slug)
			r.shows(list[i].Event, other.Facts)
			r.watches(projections.ScopeTool, other.Slug)
			if other.Merged == nil && other.Retired == nil {
				out = append(out, refOf(other.Ref))
			}
		}
	}
	return out, nil
}
