package pages

import (
	"io"
	"strings"
)

// ToolsView lists the tools, one page of them, filtered or not.
type ToolsView struct {
	Page
	Tools      []ToolRow
	Paging     Paging
	Verdict    string  // the label filtered by, in lower case, or empty
	Category   string  // the slug filtered by, or empty
	Verdicts   []Count // Ship, Skip, Split, Pending, within the category if one is chosen
	Categories []Count // by slug
	Total      int     // without the verdict filter
}

// CategoryView is the page of one category.
type CategoryView struct {
	Page
	Slug         string
	Tools        []ToolRow
	Paging       Paging // of the tools
	Matchups     []MatchupRow
	MatchupTotal int // the page shows the newest of them
}

// Tools draws the list of tools.
func (p *Pages) Tools(w io.Writer, v ToolsView) error {
	return p.draw(w, "tools", frame{
		Page: v.Page, V: v, Nav: "tools", Here: true, Path: withPage(v.Path(), v.Paging.Number),
		Title:       v.Paging.titled(v.Heading()),
		Description: capital(plural(v.Paging.Total, "tool")) + " with the panel’s verdict on each.",
		Feeds:       append(v.own(), generalFeeds()...),
		Travel:      travel{Action: "/tools", Keep: v.query()},
	})
}

func (v ToolsView) own() []Feed {
	if v.Category == "" {
		return nil
	}
	return []Feed{CategoryFeed(v.Category)}
}

// Heading says which tools are listed: "Tools", "Split in Databases".
func (v ToolsView) Heading() string {
	what := "Tools"
	if v.Verdict != "" {
		what = "Tools with the verdict " + capital(v.Verdict)
	}
	if v.Category != "" {
		what += " in " + CategoryName(v.Category)
	}
	return what
}

func (v ToolsView) query() []field {
	var out []field
	if v.Verdict != "" {
		out = append(out, field{"verdict", v.Verdict})
	}
	if v.Category != "" {
		out = append(out, field{"category", v.Category})
	}
	return out
}

// Path is the address of this list with its filters.
func (v ToolsView) Path() string {
	path := "/tools"
	for _, f := range v.query() {
		path = withQuery(path, f.Name, f.Value)
	}
	return path
}

// WithVerdict is the address of the list with another verdict, or with none.
func (v ToolsView) WithVerdict(label string) string {
	v.Verdict = strings.ToLower(label)
	return v.Path()
}

// WithCategory is the address of the list with another category, or with none.
func (v ToolsView) WithCategory(slug string) string {
	v.Category = slug
	return v.Path()
}

// Links are the ways to the other parts of the list.
func (v ToolsView) Links() []pageLink { return pageLinks(v.Paging, v.Path(), "tool") }

// Category draws the page of one category.
func (p *Pages) Category(w io.Writer, v CategoryView) error {
	name := CategoryName(v.Slug)
	return p.draw(w, "category", frame{
		Page: v.Page, V: v, Nav: "tools", Path: withPage(categoryPath(v.Slug), v.Paging.Number),
		Title:       v.Paging.titled(name),
		Description: name + ": " + plural(v.Paging.Total, "tool") + " and " + plural(v.MatchupTotal, "matchup") + ".",
		Feeds:       []Feed{CategoryFeed(v.Slug), MatchupsFeed(), VerdictsFeed()},
		Outline:     &outline{"feeds of " + CategoryName(v.Slug), CategoryOPMLURL(p.site.BaseURL, v.Slug)},
		Travel:      travel{Action: categoryPath(v.Slug)},
	})
}

// Name is the category's name.
func (v CategoryView) Name() string { return CategoryName(v.Slug) }

// Links are the ways to the other parts of the list.
func (v CategoryView) Links() []pageLink { return pageLinks(v.Paging, categoryPath(v.Slug), "tool") }

// Side is the address of the category's first tools side by side.
func (v CategoryView) Side() string {
	var slugs []string
	for _, t := range v.Tools {
		if !t.Retired && len(slugs) < 5 {
			slugs = append(slugs, t.Slug)
		}
	}
	if len(slugs) < 2 {
		return ""
	}
	return matrixPath(slugs...)
}
