package feeds

import (
	"slices"
	"strings"
	"unicode/utf8"

	"shiplog/events"
)

// clean leaves of a text what every feed format can carry unchanged: valid
// UTF-8 without the characters XML 1.0 forbids, its line ends line feeds.
// Forbidden characters are removed, not replaced: a replacement character is a
// blemish that validators point at. Intake cleans as well; this guards against
// what was recorded before it did, since one bad byte inside CDATA would make a
// whole document unreadable.
func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "")
	}
	s = events.CleanText(s)
	if strings.ContainsRune(s, '\r') {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return s
}

// line is clean for a text of one line, such as a title.
func line(s string) string {
	s = clean(s)
	if strings.ContainsAny(s, "\n\t") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return s
}

// cleaned is a copy of the feed in which every text is clean.
func (f *Feed) cleaned() *Feed {
	c := *f
	c.Title, c.Description = line(f.Title), line(f.Description)
	c.Author.Name = line(f.Author.Name)
	c.Items = make([]Item, len(f.Items))
	for i := range f.Items {
		c.Items[i] = f.Items[i].cleaned()
	}
	return &c
}

func (i Item) cleaned() Item {
	i.Title, i.Summary, i.Content = line(i.Title), clean(i.Summary), clean(i.Content)
	i.Authors = slices.Clone(i.Authors)
	for n := range i.Authors {
		i.Authors[n].Name = line(i.Authors[n].Name)
	}
	i.Categories = slices.Clone(i.Categories)
	for n := range i.Categories {
		i.Categories[n].Name = line(i.Categories[n].Name)
	}
	return i
}
