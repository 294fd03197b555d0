package feeds

import (
	"encoding/xml"

	gorilla "github.com/gorilla/feeds"
)

// atomFeed completes the library's feed. In encoding/xml the shallower of two
// fields with one name wins, so Links, Author and Entries here take the place
// of the embedded ones.
type atomFeed struct {
	*gorilla.AtomFeed
	Lang      string `xml:"xml:lang,attr"`
	History   string `xml:"xmlns:fh,attr,omitempty"`
	Media     string `xml:"xmlns:media,attr"`
	Links     []gorilla.AtomLink
	Generator atomGenerator
	Archive   *archiveMark
	Entries   []*atomEntry `xml:"entry"`
}

// FeedXml lets the library write the completed feed.
func (f *atomFeed) FeedXml() any { return f } //nolint:revive // the library's name

const historyNamespace = "http://purl.org/syndication/history/1.0"

// archiveMark says that a document is of the archive (RFC 5005, 4).
type archiveMark struct {
	XMLName xml.Name `xml:"fh:archive"`
}

type atomGenerator struct {
	XMLName xml.Name `xml:"generator"`
	Name    string   `xml:",chardata"`
}

// atomEntry completes the library's entry with several authors and with
// categories as RFC 4287 writes them.
type atomEntry struct {
	*gorilla.AtomEntry
	Authors    []gorilla.AtomAuthor
	Categories []atomCategory
	Thumbnail  *thumbnail
}

type atomCategory struct {
	XMLName xml.Name `xml:"category"`
	Term    string   `xml:"term,attr"`
	Label   string   `xml:"label,attr,omitempty"`
}

func newAtomFeed(f *Feed) *atomFeed {
	base := (&gorilla.Atom{Feed: generic(f)}).AtomFeed()
	base.Id = f.ID
	base.Updated = f.Updated.UTC().Format(stamp)
	base.Link = nil
	base.Icon = f.Icon
	base.Author = atomPerson(f.Author)
	out := &atomFeed{
		AtomFeed: base,
		Lang:     language,
		Media:    mediaNamespace,
		Links: []gorilla.AtomLink{
			{Href: f.Self(Atom), Rel: "self", Type: Atom.mediaType()},
			{Href: f.Home, Rel: "alternate", Type: "text/html"},
		},
		Generator: atomGenerator{Name: generator},
	}
	if f.archived() {
		out.History, out.Archive = historyNamespace, &archiveMark{}
	}
	for _, link := range f.links(Atom) {
		out.Links = append(out.Links, gorilla.AtomLink{Href: link.Href, Rel: link.Rel, Type: link.Type})
	}
	for i, entry := range base.Entries {
		out.Entries = append(out.Entries, newAtomEntry(entry, &f.Items[i]))
	}
	base.Entries = nil
	return out
}

func newAtomEntry(base *gorilla.AtomEntry, item *Item) *atomEntry {
	base.Published = item.Published.UTC().Format(stamp)
	base.Updated = item.Updated.UTC().Format(stamp)
	if base.Summary != nil {
		base.Summary.Type = "text"
	}
	entry := &atomEntry{AtomEntry: base, Thumbnail: newThumbnail(item)}
	for _, author := range item.Authors {
		entry.Authors = append(entry.Authors, *atomPerson(author))
	}
	for _, category := range item.Categories {
		entry.Categories = append(entry.Categories, atomCategory{Term: category.Term, Label: category.Name})
	}
	return entry
}

func atomPerson(a Author) *gorilla.AtomAuthor {
	return &gorilla.AtomAuthor{AtomPerson: gorilla.AtomPerson{Name: a.Name, Uri: a.URL}}
}
