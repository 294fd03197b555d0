package feeds

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// The window of a feed: its newest items. A count keeps slow feeds useful, the
// days cover a burst that a reader which polls seldom would miss, and the two
// caps keep every document below what readers and proxies accept.
const (
	windowItems = 50
	windowAge   = 14 * 24 * time.Hour
	windowMost  = 200
	windowBytes = 512 << 10
)

// Sort puts items in the order of every feed: published, then sequence,
// descending. Items of one event keep the order of their ids.
func Sort(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(b.Published.Compare(a.Published), cmp.Compare(b.Seq, a.Seq), cmp.Compare(a.ID, b.ID))
	})
}

// Window cuts sorted items to the newest 50 and all within 14 days of the
// newest, at most 200 items and 512 KiB. The size is that of the largest of the
// three formats, so that all three hold the same items. A [Composer] makes no
// item that would not fit alone.
func Window(items []Item) []Item {
	if len(items) == 0 {
		return items
	}
	oldest := items[0].Published.Add(-windowAge)
	size := headWeight
	for i := range items {
		size += items[i].size()
		full := i >= windowMost || size > windowBytes
		if full || i >= windowItems && items[i].Published.Before(oldest) {
			return items[:i]
		}
	}
	return items
}

const (
	// headWeight is more than what stands around the items.
	headWeight = 8 << 10
	// itemWeight is more than the elements and dates of one item.
	itemWeight = 1 << 10
	// listWeight is more than the elements of one author or category.
	listWeight = 100
)

// size is [weight], worked out once.
func (i *Item) size() int {
	if i.weight == 0 {
		i.weight = weight(i)
	}
	return i.weight
}

// weight is at least the bytes an item takes in any of the formats.
func weight(i *Item) int {
	n := itemWeight + 2*len(i.ID) + 2*worst(i.Title) + 2*worst(i.Link) + 2*worst(i.Picture)
	// The summary is escaped twice in RSS; the content is escaped once in Atom.
	n += 2*worst(i.Summary) + worst(i.Content)
	for _, author := range i.Authors {
		n += listWeight + worst(author.Name) + worst(author.URL)
	}
	for _, category := range i.Categories {
		n += listWeight + worst(category.Term) + worst(category.Name)
	}
	return n
}

// worst is the length of a text escaped the way that makes it longest: XML
// writes five bytes for a quote, a tab, a line end or an ampersand, JSON six
// for the separators of lines and paragraphs, U+2028 and U+2029.
func worst(s string) int {
	n := len(s)
	for i := range len(s) {
		switch s[i] {
		case '&', '\'', '"', '\n', '\t', '<', '>':
			n += 4
		case '\\':
			n++
		case 0xE2:
			if strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029") {
				n += 3
			}
		}
	}
	return n
}
