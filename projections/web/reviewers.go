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

func (h *Handler) reviewers(*http.Request, query) (target, error) {
	return target{path: "/reviewers", find: h.findReviewers}, nil
}

func (h *Handler) findReviewers(ctx context.Context, r *reading) (draw, error) {
	list, err := r.Reviewers(ctx)
	if err != nil {
		return nil, err
	}
	v := pages.ReviewersView{}
	for i := range list {
		row := reviewerRowOf(&list[i])
		if row.Former {
			v.Former = append(v.Former, row)
		} else {
			v.Seated = append(v.Seated, row)
		}
	}
	if err := r.follows(ctx, projections.ScopeReviewers, ""); err != nil {
		return nil, err
	}
	v.Page, err = r.page(ctx)
	return func(w io.Writer) error { return h.o.Pages.Reviewers(w, v) }, err
}

func (h *Handler) reviewer(req *http.Request, q query) (target, error) {
	return paged(req, q, "reviewer", "/reviewers/", h.findReviewer)
}

func (h *Handler) findReviewer(ctx context.Context, r *reading, slug string, page int) (draw, error) {
	d, err := r.ReviewerDetail(ctx, slug)
	if errors.Is(err, projections.ErrNotFound) {
		return nil, &missing{detail: "There is no reviewer “" + slug + "”."}
	}
	if err != nil {
		return nil, err
	}
	v := reviewerViewOf(d)
	list, total, err := r.ReviewerReviews(ctx, slug, projections.ReviewerFilter{Offset: (page - 1) * listRows, Limit: listRows})
	if err != nil {
		return nil, err
	}
	if v.Paging, err = place(page, listRows, total); err != nil {
		return nil, err
	}
	for i := range list {
		v.Reviews = append(v.Reviews, reviewerReviewOf(&list[i]))
		r.shows(list[i].Changed(), list[i].Judged)
	}
	for _, a := range d.Agreement {
		v.Agreement = append(v.Agreement, pages.Agreement{With: criticOf(a.With), Same: a.Same, Of: a.Of})
		r.shows(a.With.Named)
	}
	// Whatever others say of a tool on the list changes what the panel says.
	r.watches(projections.ScopeTools, "")
	r.watches(kept.ScopePanel, "")
	if err := r.follows(ctx, projections.ScopeReviewer, slug); err != nil {
		return nil, err
	}
	if v.Paging.Last > 1 {
		// Agreement is counted over tools of which this page lists a part only.
		if err := r.follows(ctx, projections.ScopeTools, ""); err != nil {
			return nil, err
		}
	}
	v.Page, err = r.page(ctx)
	return func(w io.Writer) error { return h.o.Pages.Reviewer(w, v) }, err
}

func reviewerViewOf(d *projections.ReviewerDetail) pages.ReviewerView {
	v := pages.ReviewerView{
		Reviewer: reviewerOf(&d.Reviewer), Motto: d.Motto, Lens: d.Lens, Ships: d.Tally.Ships, N: d.Tally.N(),
		Seated: eventOf(d.Seated), Unseated: removalOf(d.Former), Publisher: d.Publisher,
		LoneDissents: d.LoneDissents, Revisions: d.Revisions, Flips: d.Flips, Withdrawn: d.Withdrawn,
	}
	for _, verdict := range d.Strip {
		v.Strip = append(v.Strip, string(verdict))
	}
	return v
}

func reviewerReviewOf(v *projections.ReviewerReview) pages.ReviewerReview {
	out := pages.ReviewerReview{
		Event: eventOf(v.Event), Tool: refOf(v.Tool), Verdict: string(v.Verdict), Revision: v.Revision,
		LoneDissent: v.LoneDissent, Panel: verdictOf(v.Panel), Gone: v.Gone(), Merged: v.Merged, Publisher: v.Publisher,
	}
	if v.Previous != v.Verdict && !v.Gone() {
		out.Was = string(v.Previous)
	}
	return out
}
