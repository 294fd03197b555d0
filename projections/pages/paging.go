package pages

import (
	"net/url"
	"strconv"
)

// pageLink is a way to another part of a long list.
type pageLink struct {
	Rel, Text, Href string
}

// pageLinks are the ways to the parts before and after this one. Path may carry
// a query.
func pageLinks(p Paging, path, noun string) []pageLink {
	var out []pageLink
	if p.Number > 1 {
		out = append(out, pageLink{"prev", "Page " + number(p.Number-1) + " of " + number(p.Last), withPage(path, p.Number-1)})
	}
	if p.Number < p.Last {
		out = append(out, pageLink{"next", "Page " + number(max(p.Number, 1)+1) + " of " + number(p.Last), withPage(path, max(p.Number, 1)+1)})
	}
	return out
}

// withPage adds the number of a part to a path; the first needs none.
func withPage(path string, n int) string {
	if n <= 1 {
		return path
	}
	return withQuery(path, "page", strconv.Itoa(n))
}

// withQuery adds a field to a path's query.
func withQuery(path, name, value string) string {
	between := "?"
	for i := range len(path) {
		if path[i] == '?' {
			between = "&"
			break
		}
	}
	return path + between + name + "=" + url.QueryEscape(value)
}

// titled adds the number of the part to a title.
func (p Paging) titled(title string) string {
	if p.Number <= 1 {
		return title
	}
	return title + ", page " + number(p.Number)
}

// table hands rows to a template together with what draws their dates.
type table struct {
	Rows any
	Year int
	// Of is the tool whose page the table stands on, so that only the other is
	// named.
	Of string
}

func tableOf(rows any, year int, of string) table { return table{rows, year, of} }

// sides lists the slugs for an address of tools side by side.
func sides(tools []Contender, more ...string) string {
	slugs := make([]string, 0, len(tools)+len(more))
	for _, t := range tools {
		slugs = append(slugs, t.Slug)
	}
	return matrixPath(append(slugs, more...)...)
}
