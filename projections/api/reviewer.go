package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"shiplog/projections"
)

// Reviewer is a member of the panel as lists show it.
type Reviewer struct {
	Reviewer     string   `json:"reviewer" example:"builder" doc:"slug"`
	Name         string   `json:"name" example:"The Builder"`
	Kind         string   `json:"kind" enum:"human,ai,team"`
	Motto        string   `json:"motto,omitempty"`
	Lens         string   `json:"lens,omitempty" doc:"what this reviewer looks at"`
	Seq          uint64   `json:"seq" doc:"the last event that changed the reviewer: facts or reviews"`
	URL          string   `json:"url" format:"uri-reference" doc:"the reviewer's page"`
	Seated       Stamp    `json:"seated" doc:"when the reviewer joined the panel first"`
	Publisher    string   `json:"publisher" doc:"who sent that event"`
	Unseated     *Removal `json:"unseated,omitempty" doc:"for a former reviewer; what was said before keeps counting"`
	Ships        int      `json:"ships" doc:"current reviews that say ship"`
	N            int      `json:"n" doc:"current reviews that say ship or skip"`
	Percent      *int     `json:"percent" doc:"ships of n in percent, rounded half up; null while n is 0"`
	Abstains     int      `json:"abstains" doc:"current reviews that abstain"`
	LoneDissents int      `json:"lone_dissents" doc:"how often this reviewer alone disagrees with two or more"`
}

// ReviewerPage is a page of the panel.
type ReviewerPage struct {
	Reviewers []Reviewer `json:"reviewers" nullable:"false" doc:"in panel order, former ones too"`
	Total     int        `json:"total" doc:"how many there are on all pages"`
	Next      *string    `json:"next" doc:"what to send as after for the next page; null when there is no more"`
}

// ReviewerDetail is a reviewer with a page of reviews.
type ReviewerDetail struct {
	Reviewer
	Revisions    int              `json:"revisions" doc:"revisions ever"`
	Withdrawn    int              `json:"withdrawn" doc:"withdrawals ever"`
	Flips        int              `json:"flips" doc:"labels of tools that this reviewer's events changed"`
	Agreement    []Agreement      `json:"agreement" nullable:"false" doc:"with the others, in panel order"`
	Reviews      []ReviewerReview `json:"reviews" nullable:"false" doc:"current reviews and tombstones, newest first, without their bodies"`
	ReviewsTotal int              `json:"reviews_total" doc:"how many there are on all pages"`
	Next         *uint64          `json:"next" doc:"what to send as before for the next page of reviews; null when there is no more"`
}

// Agreement is how often two reviewers gave the same verdict.
type Agreement struct {
	Reviewer string `json:"reviewer" doc:"slug of the other one"`
	Name     string `json:"name"`
	Same     int    `json:"same" doc:"tools on which both say the same"`
	Of       int    `json:"of" doc:"tools that both judged"`
}

// ReviewerReview is a review beside what the panel says.
type ReviewerReview struct {
	Review
	ToolName    string  `json:"tool_name"`
	Panel       Verdict `json:"panel" doc:"the verdict of the panel"`
	LoneDissent bool    `json:"lone_dissent" doc:"whether this review alone disagrees with two or more"`
}

type reviewersInput struct {
	AsOf
	After string `query:"after" doc:"only reviewers after this one (slug) in panel order"`
	Page
}

type reviewerInput struct {
	AsOf
	Reviewer string `path:"reviewer" example:"builder" doc:"slug of a reviewer"`
	Before   uint64 `query:"before" doc:"only reviews recorded before this event"`
	Page
}

func (a *API) addReviewers() {
	read(a, huma.Operation{
		OperationID: "listReviewers", Path: "/api/v1/reviewers", Tags: []string{tagReviewers},
		Summary:     "List reviewers",
		Description: "The panel in its order, former members too.",
	}, a.reviewers)
	read(a, huma.Operation{
		OperationID: "getReviewer", Path: "/api/v1/reviewers/{reviewer}", Tags: []string{tagReviewers},
		Summary:     "Read a reviewer",
		Description: "What a reviewer says and how often the others agree.",
	}, a.reviewer)
}

func (a *API) reviewerOf(r *projections.Reviewer) Reviewer {
	out := Reviewer{
		Reviewer: r.Slug, Name: r.Name, Kind: r.Kind, Motto: r.Motto, Lens: r.Lens,
		Seq: r.Facts.Later(r.Judged).Seq, URL: a.o.BaseURL + "/reviewers/" + r.Slug,
		Seated: stampOf(r.Seated), Publisher: r.Publisher, Unseated: removalOf(r.Former),
		Ships: r.Tally.Ships, N: r.Tally.N(), Abstains: r.Abstains, LoneDissents: r.LoneDissents,
	}
	if out.N > 0 {
		percent := r.Percent()
		out.Percent = &percent
	}
	return out
}

func (a *API) reviewers(ctx context.Context, s *projections.Snapshot, in reviewersInput) (*ReviewerPage, error) {
	list, err := s.Reviewers(ctx)
	if err != nil {
		return nil, err
	}
	page := &ReviewerPage{Reviewers: []Reviewer{}, Total: len(list)}
	if in.After != "" {
		at := slices.IndexFunc(list, func(r projections.Reviewer) bool { return r.Slug == in.After })
		if at < 0 {
			return nil, newProblem(http.StatusBadRequest, "after: there is no reviewer %s%s; send what next said", quoted(in.After), asOfText(s))
		}
		list = list[at+1:]
	}
	list, more := cut(list, in.Limit)
	for i := range list {
		page.Reviewers = append(page.Reviewers, a.reviewerOf(&list[i]))
	}
	if more {
		page.Next = &list[len(list)-1].Slug
	}
	return page, nil
}

func (a *API) reviewer(ctx context.Context, s *projections.Snapshot, in reviewerInput) (*ReviewerDetail, error) {
	r, err := s.ReviewerDetail(ctx, in.Reviewer)
	if errors.Is(err, projections.ErrNotFound) {
		return nil, newProblem(http.StatusNotFound, "there is no reviewer %s%s; %sGET %s/api/v1/reviewers lists all",
			quoted(in.Reviewer), asOfText(s), a.near(ctx, s, in.Reviewer, reviewerNames), a.base)
	}
	if err != nil {
		return nil, err
	}
	list, total, err1 := s.ReviewerReviews(ctx, r.Slug, projections.ReviewerFilter{Before: in.Before, Limit: in.Limit + 1})
	changed, err2 := s.LastChange(ctx, projections.ScopeReviewer, r.Slug)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	list, more := cut(list, in.Limit)
	d := &ReviewerDetail{
		Reviewer: a.reviewerOf(&r.Reviewer), Revisions: r.Revisions, Withdrawn: r.Withdrawn, Flips: r.Flips,
		Agreement: agreementOf(r.Agreement), Reviews: make([]ReviewerReview, len(list)), ReviewsTotal: total,
	}
	d.Seq = max(d.Seq, changed.Seq)
	for i := range list {
		e := &list[i]
		d.Reviews[i] = ReviewerReview{Review: reviewOf(&e.Review), ToolName: e.Tool.Name, Panel: verdictOf(e.Panel), LoneDissent: e.LoneDissent}
	}
	if more {
		d.Next = &list[len(list)-1].Event.Seq
	}
	return d, nil
}

func agreementOf(list []projections.Agreement) []Agreement {
	out := make([]Agreement, len(list))
	for i, g := range list {
		out[i] = Agreement{Reviewer: g.With.Slug, Name: g.With.Name, Same: g.Same, Of: g.Of}
	}
	return out
}
