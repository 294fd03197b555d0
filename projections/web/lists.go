package web

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
)

func (h *Handler) rules(*http.Request, query) (target, error) {
	return target{path: "/rules", find: h.findRules}, nil
}

func (h *Handler) findRules(ctx context.Context, r *reading) (draw, error) {
	history, err := r.RulesHistory(ctx)
	if err != nil {
		return nil, err
	}
	v := pages.RulesView{}
	for _, rules := range history {
		v.History = append(v.History, rulesOf(rules))
	}
	v.Page, err = r.page(ctx)
	return func(w io.Writer) error { return h.o.Pages.Rules(w, v) }, err
}

func (h *Handler) feeds(_ *http.Request, q query) (target, error) {
	page, err := q.page()
	if err != nil {
		return target{}, err
	}
	return target{
		path: "/feeds", query: encode("page", numbered(page)),
		find: func(ctx context.Context, r *reading) (draw, error) { return h.findFeeds(ctx, r, page) },
	}, nil
}

func (h *Handler) findFeeds(ctx context.Context, r *reading, page int) (draw, error) {
	list, total, err := r.Tools(ctx, projections.ToolFilter{Offset: (page - 1) * listRows, Limit: listRows})
	if err != nil {
		return nil, err
	}
	v := pages.FeedsView{}
	if v.Paging, err = place(page, listRows, total); err != nil {
		return nil, err
	}
	for i := range list {
		v.Tools = append(v.Tools, pages.FeedRow{Ref: refOf(list[i].Ref), Note: list[i].Tagline})
	}
	if page == 1 {
		if err := r.addNarrowFeeds(ctx, &v); err != nil {
			return nil, err
		}
	}
	if err := r.showsFacts(ctx); err != nil {
		return nil, err
	}
	v.Page, err = r.page(ctx)
	return func(w io.Writer) error { return h.o.Pages.FeedList(w, v) }, err
}

func (r *reading) addNarrowFeeds(ctx context.Context, v *pages.FeedsView) error {
	categories, err := r.Categories(ctx)
	if err != nil {
		return err
	}
	for _, c := range categories {
		note := strconv.Itoa(c.Tools) + " tools"
		if c.Tools == 1 {
			note = "1 tool"
		}
		v.Categories = append(v.Categories, pages.FeedRow{Ref: pages.Ref{Slug: c.Slug}, Note: note})
	}
	reviewers, err := r.Reviewers(ctx)
	if err != nil {
		return err
	}
	for i := range reviewers {
		v.Reviewers = append(v.Reviewers, pages.FeedRow{Ref: refOf(reviewers[i].Ref), Note: kindNote(&reviewers[i])})
		r.shows(reviewers[i].Facts)
	}
	r.watches(kept.ScopePanel, "")
	return nil
}

func kindNote(r *projections.Reviewer) string {
	note := map[string]string{"ai": "AI persona", "team": "Team"}[r.Kind]
	if note == "" {
		note = "Human"
	}
	if r.Former != nil {
		note += ", former"
	}
	return note
}

const (
	// searchRows is how many of a kind a search lists.
	searchRows = 20
	// queryMost is how much of a search is looked at, in characters.
	queryMost = 100
)

func (h *Handler) search(_ *http.Request, q query) (target, error) {
	text := firstRunes(strings.Join(strings.Fields(strings.ToValidUTF8(q.Get("q"), "")), " "), queryMost)
	return target{
		path: "/search", query: encode("q", text),
		find: func(ctx context.Context, r *reading) (draw, error) { return h.findSearch(ctx, r, text) },
	}, nil
}

// firstRunes is the beginning of a text, of at most so many characters.
func firstRunes(text string, most int) string {
	for i := range text {
		if most == 0 {
			return text[:i]
		}
		most--
	}
	return text
}

func (h *Handler) findSearch(ctx context.Context, r *reading, text string) (draw, error) {
	v := pages.SearchView{Query: text}
	if text != "" {
		found, err := r.Search(ctx, text, searchRows)
		if err != nil {
			return nil, err
		}
		v.Tools, v.ToolTotal = toolRows(found.Tools), found.ToolTotal
		v.Matchups, v.MatchupTotal = r.matchupRows(found.Matchups), found.MatchupTotal
		v.ReviewerTotal = found.ReviewerTotal
		for i := range found.Reviewers {
			v.Reviewers = append(v.Reviewers, reviewerRowOf(&found.Reviewers[i]))
			r.shows(found.Reviewers[i].Judged)
		}
		for i := range found.Tools {
			r.shows(found.Tools[i].Changed())
		}
		// A new name or matchup may be found, or push out what was.
		r.watches(projections.ScopeMatchups, "")
		r.watches(projections.ScopeReviewers, "")
		for _, note := range []func(context.Context) error{r.showsFacts, r.showsOpened, r.showsPanel} {
			if err := note(ctx); err != nil {
				return nil, err
			}
		}
	}
	page, err := r.page(ctx)
	v.Page = page
	return func(w io.Writer) error { return h.o.Pages.Search(w, v) }, err
}
