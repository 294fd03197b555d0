package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"shiplog/projections"
)

// MatchupPage is a page of matchups.
type MatchupPage struct {
	Matchups []Matchup `json:"matchups" nullable:"false" doc:"newest first"`
	Total    int       `json:"total" doc:"how many there are on all pages"`
	Next     *uint64   `json:"next" doc:"what to send as before for the next page; null when there is no more"`
}

type matchupsInput struct {
	AsOf
	Tool     string `query:"tool" doc:"only matchups of this tool (slug or alias)"`
	Category string `query:"category" doc:"only matchups of tools of this category (slug)"`
	Before   uint64 `query:"before" doc:"only matchups opened before this event"`
	Page
}

type matchupInput struct {
	AsOf
	Left  string `path:"left" example:"hullmark" doc:"slug or alias of a tool"`
	Right string `path:"right" example:"tidegate" doc:"slug or alias of another"`
}

func (a *API) addMatchups() {
	read(a, huma.Operation{
		OperationID: "listMatchups", Path: "/api/v1/matchups", Tags: []string{tagMatchups},
		Summary:     "List matchups",
		Description: "Matchups with their results, newest first.",
	}, a.matchups)
	read(a, huma.Operation{
		OperationID: "getMatchup", Path: "/api/v1/matchups/{left}/{right}", Tags: []string{tagMatchups}, Responses: movable(),
		Summary:     "Read a matchup",
		Description: "The result and what each reviewer says of both tools. The other order, or an alias, is answered with 301.",
	}, a.matchup)
}

func (a *API) matchups(ctx context.Context, s *projections.Snapshot, in matchupsInput) (*MatchupPage, error) {
	f := projections.MatchupFilter{Category: in.Category, Before: in.Before, Limit: in.Limit + 1}
	if in.Tool != "" {
		t, err := a.findTool(ctx, s, in.Tool)
		if err != nil {
			return nil, err
		}
		f.Tool = t.Slug
	}
	list, total, err := s.Matchups(ctx, f)
	if err != nil {
		return nil, err
	}
	list, more := cut(list, in.Limit)
	page := &MatchupPage{Matchups: a.matchupsOf(list), Total: total}
	if more {
		page.Next = &list[len(list)-1].Event.Seq
	}
	return page, nil
}

func (a *API) matchup(ctx context.Context, s *projections.Snapshot, in matchupInput) (*MatchupDetail, error) {
	c, err := s.Comparison(ctx, in.Left, in.Right)
	if errors.Is(err, projections.ErrNotFound) {
		return nil, a.noMatchup(ctx, s, in)
	}
	if err != nil {
		return nil, err
	}
	if c.Left.Slug != in.Left || c.Right.Slug != in.Right {
		return nil, a.redirect(in, fmt.Sprintf("/api/v1/matchups/%s/%s", c.Left.Slug, c.Right.Slug))
	}
	return a.comparisonOf(c), nil
}

// noMatchup says which of the two is unknown, or that the pair was never opened.
func (a *API) noMatchup(ctx context.Context, s *projections.Snapshot, in matchupInput) error {
	left, err := a.findTool(ctx, s, in.Left)
	if err != nil {
		return err
	}
	right, err := a.findTool(ctx, s, in.Right)
	if err != nil {
		return err
	}
	if left.Slug == right.Slug {
		return newProblem(http.StatusNotFound, "%s and %s are the same tool; a matchup is of two", in.Left, in.Right)
	}
	return newProblem(http.StatusNotFound, "there is no matchup of %s and %s%s; the matchmaker opens one when both have enough reviews in one category, and an event shiplog.matchup.opened.v1 at once. GET %s/api/v1/matchups lists all",
		left.Slug, right.Slug, asOfText(s), a.base)
}
