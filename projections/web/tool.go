package web

import (
	"context"
	"errors"
	"io"
	"net/http"

	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
)

const (
	// toolMatchups is how many matchups a tool's page lists.
	toolMatchups = 20
	// revisionsShown is how many texts a review's history holds; older ones are
	// linked.
	revisionsShown = 3
)

func (h *Handler) tool(req *http.Request, _ query) (target, error) {
	slug, err := slugOf(req, "tool", "/tools/")
	if err != nil {
		return target{}, err
	}
	return target{
		path: "/tools/" + slug,
		find: func(ctx context.Context, r *reading) (draw, error) { return h.findTool(ctx, r, slug) },
	}, nil
}

// known finds a tool, or says that there is none or where it went.
func (r *reading) known(ctx context.Context, slug string) (*projections.Tool, error) {
	t, err := r.Tool(ctx, slug)
	switch {
	case errors.Is(err, projections.ErrNotFound):
		return nil, &missing{detail: "There is no tool “" + slug + "”.", like: slug}
	case err != nil:
		return nil, err
	case t.Merged != nil:
		return nil, &moved{status: http.StatusMovedPermanently, to: "/tools/" + t.Merged.Into.Slug}
	case t.Slug != slug:
		return nil, &moved{status: http.StatusMovedPermanently, to: "/tools/" + t.Slug}
	}
	return t, nil
}

func (h *Handler) findTool(ctx context.Context, r *reading, slug string) (draw, error) {
	t, err := r.known(ctx, slug)
	if err != nil {
		return nil, err
	}
	if err := r.follows(ctx, projections.ScopeTool, slug); err != nil {
		return nil, err
	}
	r.watches(kept.ScopePanel, "")
	r.shows(t.Changed())
	v := toolViewOf(t)
	for _, add := range []func(context.Context, *projections.Tool, *pages.ToolView) error{
		r.addHistory, r.addReviews, r.addReplies, r.addMatchups, r.addMerged,
	} {
		if err := add(ctx, t, &v); err != nil {
			return nil, err
		}
	}
	v.Page, err = r.page(ctx)
	return func(w io.Writer) error { return h.o.Pages.Tool(w, v) }, err
}

func toolViewOf(t *projections.Tool) pages.ToolView {
	v := pages.ToolView{
		Tool: refOf(t.Ref), Tagline: t.Tagline, Description: t.Description, Category: t.Category, Homepage: t.Homepage,
		Pricing: t.Pricing, PricingNote: t.PricingNote, Aliases: t.Aliases,
		Registered: eventOf(t.Registered), Publisher: t.Publisher,
		Verdict: verdictOf(t.Verdict), Since: eventOf(t.Since), Before: string(t.Before),
		Unanimous: t.Verdict.Unanimous(t.Verdict.Quorum), Retired: removalOf(t.Retired),
	}
	v.Controversy, _ = t.Verdict.Controversy(t.Verdict.Quorum)
	return v
}

// addHistory tells how the verdict came to be.
func (r *reading) addHistory(ctx context.Context, t *projections.Tool, v *pages.ToolView) error {
	changes, err := r.VerdictChanges(ctx, projections.ChangeFilter{Tool: t.Slug, Limit: 2})
	if err != nil {
		return err
	}
	if len(changes) == 2 {
		v.BeforeSince = eventOf(changes[1].Event)
	}
	steps, err := r.Steps(ctx, t.Slug)
	if err != nil {
		return err
	}
	v.Steps = make([]pages.Step, len(steps))
	for i := range steps {
		v.Steps[i] = stepOf(&steps[i])
		r.shows(steps[i].Cause.Reviewer.Named)
	}
	return nil
}

func stepOf(s *projections.Step) pages.Step {
	out := pages.Step{Event: eventOf(s.Event), Verdict: verdictOf(s.Verdict), Reviewer: criticOf(s.Cause.Reviewer)}
	switch s.Cause.Kind {
	case projections.CauseReview:
		out.Cause = string(s.Cause.Now)
	case projections.CauseRevision:
		out.Cause, out.Now = "revised", string(s.Cause.Now)
	case projections.CauseWithdrawal:
		out.Cause = "withdrawn"
	case projections.CauseRules:
		out.Cause = "rules"
	}
	return out
}

// addReviews fills one place for each reviewer, with what was said before.
func (r *reading) addReviews(ctx context.Context, t *projections.Tool, v *pages.ToolView) error {
	current, err := r.ToolReviews(ctx, t.Slug)
	if err != nil {
		return err
	}
	all, err := r.Revisions(ctx, t.Slug, "", revisionsShown)
	if err != nil {
		return err
	}
	by := make(map[string][]*projections.Review)
	for i := range all {
		if !all[i].Gone() {
			by[all[i].Reviewer.Slug] = append(by[all[i].Reviewer.Slug], &all[i])
		}
	}
	for i := range current {
		place, err := r.toolReview(&current[i], by[current[i].Reviewer.Slug])
		if err != nil {
			return err
		}
		v.Reviews = append(v.Reviews, place)
		if t.Lone != nil && t.Lone.Slug == place.Reviewer.Slug {
			v.Dissent = place.Review
		}
	}
	return nil
}

func (r *reading) toolReview(now *projections.Review, revisions []*projections.Review) (pages.ToolReview, error) {
	side, err := r.side(now)
	if err != nil {
		return pages.ToolReview{}, err
	}
	place := pages.ToolReview{Reviewer: criticOf(now.Reviewer), Review: side.Review, Gone: side.Gone}
	if len(revisions) == 1 && !now.Gone() {
		return place, nil
	}
	for i, v := range revisions {
		if i >= revisionsShown {
			place.Older = append(place.Older, eventOf(v.Event))
			continue
		}
		review, err := r.review(v)
		if err != nil {
			return place, err
		}
		place.Revisions = append(place.Revisions, *review)
	}
	return place, nil
}

func (r *reading) addReplies(ctx context.Context, t *projections.Tool, v *pages.ToolView) error {
	list, err := r.Replies(ctx, t.Slug)
	for _, reply := range list {
		v.Replies = append(v.Replies, pages.Reply{
			Event: eventOf(reply.Event), Author: reply.Author, Body: pages.Body{Text: reply.Body}, Publisher: reply.Publisher,
		})
		r.shows(reply.Event)
	}
	return err
}

func (r *reading) addMatchups(ctx context.Context, t *projections.Tool, v *pages.ToolView) error {
	list, total, err := r.Matchups(ctx, projections.MatchupFilter{Tool: t.Slug, Limit: toolMatchups})
	if err != nil {
		return err
	}
	v.Matchups, v.MatchTotal = r.matchupRows(list), total
	r.watches(kept.ScopeOpened, t.Slug)
	for i := range list {
		for _, tool := range []string{list[i].Left.Slug, list[i].Right.Slug} {
			r.watches(projections.ScopeTool, tool)
		}
	}
	return nil
}

func (r *reading) addMerged(ctx context.Context, t *projections.Tool, v *pages.ToolView) error {
	list, err := r.MergedFrom(ctx, t.Slug)
	if err != nil {
		return err
	}
	for i := range list {
		from := &list[i]
		r.shows(from.Tool.Facts)
		r.watches(projections.ScopeTool, from.Tool.Slug)
		out := pages.MergedFrom{Tool: refOf(from.Tool.Ref)}
		if m := from.Tool.Merged; m != nil {
			out.Event, out.Reason = eventOf(m.Event), m.Reason
		}
		for k := range from.Reviews {
			if from.Reviews[k].Gone() {
				continue
			}
			review, err := r.review(&from.Reviews[k])
			if err != nil {
				return err
			}
			out.Reviews = append(out.Reviews, *review)
		}
		v.MergedFrom = append(v.MergedFrom, out)
	}
	return nil
}

// sameCategory is the category that tools share, or nothing.
func sameCategory(tools []projections.Tool) string {
	for i := range tools {
		if tools[i].Category != tools[0].Category {
			return ""
		}
	}
	return tools[0].Category
}
