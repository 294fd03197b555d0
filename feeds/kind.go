package feeds

import "strconv"

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

// path names the key among all keys.
func (k Key) path() string { return string(k.Kind) + "/" + k.Slug + "/" + strconv.Itoa(k.Archive) }
