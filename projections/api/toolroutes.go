package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"shiplog/events"
	"shiplog/projections"
)

const (
	// textsPerReviewer is how many revisions of each reviewer a tool is sent with
	// in full.
	textsPerReviewer = 10
	// matchupsPerTool is how many matchups a tool is sent with.
	matchupsPerTool = 50
)

// ToolPage is a page of tools.
type ToolPage struct {
	Tools []Tool  `json:"tools" nullable:"false" doc:"by slug"`
	Total int     `json:"total" doc:"how many there are on all pages"`
	Next  *string `json:"next" doc:"what to send as after for the next page; null when there is no more"`
}

// ToolDetail is a tool with everything its page shows.
type ToolDetail struct {
	Tool
	Description    string          `json:"description,omitempty"`
	Aliases        []string        `json:"aliases" nullable:"false" doc:"other slugs that mean this tool"`
	Reviews        []Review        `json:"reviews" nullable:"false" doc:"the current ones and tombstones, in panel order"`
	Revisions      []Review        `json:"revisions" nullable:"false" doc:"all ever recorded, newest first. Of each reviewer's the newest 10 have their texts; for older ones read the event."`
	VerdictHistory []VerdictChange `json:"verdict_history" nullable:"false" doc:"every change of the label, newest first"`
	Replies        []Reply         `json:"replies" nullable:"false" doc:"current replies to the panel, newest first"`
	MergedFrom     []MergedFrom    `json:"merged_from" nullable:"false" doc:"duplicates of this tool"`
	Matchups       []Matchup       `json:"matchups" nullable:"false" doc:"the newest 50; for all see /api/v1/matchups?tool="`
	MatchupsTotal  int             `json:"matchups_total"`
}

// MergedFrom is a duplicate with its reviews, which do not count.
type MergedFrom struct {
	Tool    Tool     `json:"tool"`
	Reviews []Review `json:"reviews" nullable:"false" doc:"in panel order"`
}

type toolsInput struct {
	AsOf
	Category string `query:"category" doc:"only tools of this category (slug)"`
	Label    string `query:"label" enum:"ship,skip,split,pending" doc:"only tools with this label"`
	All      bool   `query:"all" doc:"merged and retired tools too"`
	After    string `query:"after" doc:"only slugs after this one"`
	Page
}

type toolInput struct {
	AsOf
	Tool string `path:"tool" example:"tidegate" doc:"slug or alias of a tool"`
}

func (a *API) addTools() {
	read(a, huma.Operation{
		OperationID: "listTools", Path: "/api/v1/tools", Tags: []string{tagTools},
		Summary:     "List tools",
		Description: "Tools by slug; those that are merged or retired only with all=true.",
	}, a.tools)
	read(a, huma.Operation{
		OperationID: "getTool", Path: "/api/v1/tools/{tool}", Tags: []string{tagTools}, Responses: movable(),
		Summary:     "Read a tool",
		Description: "The verdict, every review with its revisions, replies and matchups. An alias or a duplicate is answered with 301.",
	}, a.tool)
}

func (a *API) tools(ctx context.Context, s *projections.Snapshot, in toolsInput) (*ToolPage, error) {
	list, total, err := s.Tools(ctx, projections.ToolFilter{
		Category: in.Category, Label: labelOf(in.Label), All: in.All, After: in.After, Limit: in.Limit + 1,
	})
	if err != nil {
		return nil, err
	}
	list, more := cut(list, in.Limit)
	page := &ToolPage{Tools: a.toolsOf(list), Total: total}
	if more {
		page.Next = &list[len(list)-1].Slug
	}
	return page, nil
}

func labelOf(s string) events.Label {
	for _, label := range []events.Label{events.LabelShip, events.LabelSkip, events.LabelSplit, events.LabelPending} {
		if s == lower(label) {
			return label
		}
	}
	return ""
}

func (a *API) tool(ctx context.Context, s *projections.Snapshot, in toolInput) (*ToolDetail, error) {
	t, err := a.findTool(ctx, s, in.Tool)
	if err != nil {
		return nil, err
	}
	if to := canonical(t); to != in.Tool {
		return nil, a.redirect(in, "/api/v1/tools/"+to)
	}
	return a.toolDetail(ctx, s, t)
}

// canonical is the slug that a tool is to be asked for by.
func canonical(t *projections.Tool) string {
	if t.Merged != nil {
		return t.Merged.Into.Slug
	}
	return t.Slug
}

func (a *API) toolDetail(ctx context.Context, s *projections.Snapshot, t *projections.Tool) (*ToolDetail, error) {
	reviews, err1 := s.ToolReviews(ctx, t.Slug)
	revisions, err2 := s.Revisions(ctx, t.Slug, "", textsPerReviewer)
	history, err3 := s.VerdictHistory(ctx, t.Slug)
	replies, err4 := s.Replies(ctx, t.Slug)
	merged, err5 := s.MergedFrom(ctx, t.Slug)
	matchups, total, err6 := s.Matchups(ctx, projections.MatchupFilter{Tool: t.Slug, Limit: matchupsPerTool})
	changed, err7 := s.LastChange(ctx, projections.ScopeTool, t.Slug)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7); err != nil {
		return nil, err
	}
	d := &ToolDetail{
		Tool: a.toolOf(t), Description: t.Description, Aliases: append([]string{}, t.Aliases...),
		Reviews: reviewsOf(reviews), Revisions: reviewsOf(revisions), VerdictHistory: changesOf(history),
		Replies: repliesOf(replies), MergedFrom: make([]MergedFrom, len(merged)),
		Matchups: a.matchupsOf(matchups), MatchupsTotal: total,
	}
	for i := range merged {
		d.MergedFrom[i] = MergedFrom{Tool: a.toolOf(&merged[i].Tool), Reviews: reviewsOf(merged[i].Reviews)}
	}
	d.Seq = max(d.Seq, changed.Seq)
	return d, nil
}

// findTool finds a tool by slug or alias, or says what is near.
func (a *API) findTool(ctx context.Context, s *projections.Snapshot, slug string) (*projections.Tool, error) {
	t, err := s.Tool(ctx, slug)
	if !errors.Is(err, projections.ErrNotFound) {
		return t, err
	}
	return nil, newProblem(http.StatusNotFound, "there is no tool %s%s; %sGET %s/api/v1/tools lists all",
		quoted(slug), asOfText(s), a.near(ctx, s, slug, toolNames), a.base)
}
