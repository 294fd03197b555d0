package feeds

import (
	"strconv"

	"shiplog/projections/pages"
)

// Kind says what a feed follows. It is part of the feed's id and a label of the
// metrics.
type Kind string

// The kinds of feed.
const (
	Matchups Kind = "matchups"
	Verdicts Kind = "verdicts"
	Reviews  Kind = "reviews"
	Tool     Kind = "tool"
	Reviewer Kind = "reviewer"
	Category Kind = "category"
)

// Kinds lists the kinds of feed.
func Kinds() []Kind { return []Kind{Matchups, Verdicts, Reviews, Tool, Reviewer, Category} }

// listPath is where the list of all feeds is.
const listPath = "/feeds.opml"

// folder is the path below which the feeds of a kind are.
func (k Kind) folder() string {
	switch k {
	case Tool:
		return "/feeds/tools/"
	case Reviewer:
		return "/feeds/reviewers/"
	case Category:
		return "/feeds/categories/"
	}
	return "/feeds/"
}

// A Key names one feed: its kind and, for the narrowed ones, the slug of what
// it is narrowed to. Of its archive the key names the document that ends with
// the item of a number; 0 is the feed itself.
type Key struct {
	Kind    Kind
	Slug    string
	Archive int
}

// address is the path below the address of the site, without the extension of
// a format.
func (k Key) address() string {
	var place pages.Feed
	switch k.Kind {
	case Tool:
		place = pages.ToolFeed(k.Slug, "")
	case Reviewer:
		place = pages.ReviewerFeed(k.Slug, "")
	case Category:
		place = pages.CategoryFeed(k.Slug)
	default:
		place.Path = "/feeds/" + string(k.Kind)
	}
	if k.Archive > 0 {
		return archiveStem(place.Path, k.Archive)
	}
	return place.Path
}

// route is where a feed that is there, or a list of feeds, is: the path and the
// pattern of a mux that matches it.
func (k Key) route(format Format) (pattern, path string) {
	kind, name := k.Kind, k.Slug
	switch {
	case kind == opml && name == "":
		return listPath, listPath
	case kind == opml:
		kind = Category
	case name == "":
		name = string(kind)
	}
	return kind.folder() + "{file}", kind.folder() + name + "." + string(format)
}

// path names the key among all keys.
func (k Key) path() string { return string(k.Kind) + "/" + k.Slug + "/" + strconv.Itoa(k.Archive) }
