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

// path names the key among all keys.
func (k Key) path() string { return string(k.Kind) + "/" + k.Slug + "/" + strconv.Itoa(k.Archive) }
