package feeds

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"shiplog/projections/pages"
)

// Format is one of the three forms of a feed, named by its file extension.
type Format string

// The formats, the one to prefer first.
const (
	Atom Format = "atom"
	RSS  Format = "rss"
	JSON Format = "json"
)

// Formats lists the formats, the one to prefer first.
func Formats() []Format { return []Format{Atom, RSS, JSON} }

// mediaType is the type of the format without parameters.
func (f Format) mediaType() string {
	for _, known := range pages.FeedFormats() {
		if known.Extension == string(f) {
			return known.MediaType
		}
	}
	return ""
}

// Known reports whether f is one of the formats.
func (f Format) Known() bool { return f == Atom || f == RSS || f == JSON }

// A Feed is one feed before it has a format: what all three say alike.
type Feed struct {
	// ID is permanent and the feed's own, never the address of a page.
	ID          string
	Title       string
	Description string
	// Home is the absolute address of the page the feed follows.
	Home string
	// Stem is the absolute address of the feed without the dot and extension of
	// its format.
	Stem string
	// Author stands for items that have none of their own, in Atom only: a
	// reader of JSON would add it to every item.
	Author  Author
	Updated time.Time
	// Icon is the absolute address of a small square picture; empty for none.
	Icon string
	// Links are further links of the feed itself, such as a hub.
	Links []Link
	// Older, Newer and Current are the stems of the archive documents before and
	// after this one and of the feed that readers follow (RFC 5005). Empty ones
	// are left out; only an archive document names the current feed.
	Older, Newer, Current string
	Items                 []Item
}

// archived reports a document of the archive.
func (f *Feed) archived() bool { return f.Current != "" }

// links are those of the feed itself in one format. Its own address and its
// home page are not among them.
func (f *Feed) links(format Format) []Link {
	list := slices.Clone(f.Links)
	for _, link := range []Link{{Rel: "current", Href: f.Current}, {Rel: "prev-archive", Href: f.Older}, {Rel: "next-archive", Href: f.Newer}} {
		if link.Href != "" {
			list = append(list, Link{Rel: link.Rel, Href: link.Href + "." + string(format), Type: format.mediaType()})
		}
	}
	return list
}

// Self is the address of the feed in one format.
func (f *Feed) Self(format Format) string { return f.Stem + "." + string(format) }

// An Item is one entry before it has a format.
type Item struct {
	// Seq is the sequence of the event that made the item: the order of items
	// of one time.
	Seq uint64
	// ID is minted from the ledger; see [Mint].
	ID    string
	Title string // plain text
	// Summary is plain text of a line or two.
	Summary string
	// Content is markup that is safe to show: built here from escaped text, or
	// sanitised. Every address in it is absolute.
	Content    string
	Link       string // absolute
	Picture    string // absolute address of a PNG; empty for none
	Authors    []Author
	Categories []Label
	// Published never changes; Updated is when the last event was recorded that
	// changed what the item shows.
	Published time.Time
	Updated   time.Time

	weight int // once it was asked for; see [Item.size]
}

// An Author is somebody named as the author of an item.
type Author struct {
	Name string
	URL  string // absolute, may be empty
}

// A Label files an item under a category.
type Label struct {
	Term string // a slug
	Name string // of the category
}

// A Link is a link of a feed beside its own address and its home page.
type Link struct {
	Rel, Href, Type string
}

var errEmpty = errors.New("is empty")

// check refuses a feed that no reader could keep apart from others. The library
// would mint random ids in that case, new ones at every render.
func (f *Feed) check() error {
	if err := filled("id", f.ID, "title", f.Title, "home", f.Home, "stem", f.Stem); err != nil {
		return fmt.Errorf("feed %q: %w", f.ID, err)
	}
	if f.Updated.IsZero() {
		return fmt.Errorf("feed %q: updated %w", f.ID, errEmpty)
	}
	seen := make(map[string]bool, len(f.Items))
	for i := range f.Items {
		item := &f.Items[i]
		if err := item.check(); err != nil {
			return fmt.Errorf("feed %q: item of event %d: %w", f.ID, item.Seq, err)
		}
		if seen[item.ID] {
			return fmt.Errorf("feed %q: two items with the id %q", f.ID, item.ID)
		}
		seen[item.ID] = true
	}
	return nil
}

func (i *Item) check() error {
	if err := filled("id", i.ID, "title", i.Title, "content", i.Content, "link", i.Link); err != nil {
		return err
	}
	if i.Published.IsZero() || i.Updated.IsZero() {
		return fmt.Errorf("date %w", errEmpty)
	}
	return nil
}

// filled takes names and values in turn.
func filled(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if strings.TrimSpace(pairs[i+1]) == "" {
			return fmt.Errorf("%s %w", pairs[i], errEmpty)
		}
	}
	return nil
}
