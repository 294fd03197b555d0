package feeds

import (
	"encoding/xml"
	"strings"

	gorilla "github.com/gorilla/feeds"
)

const (
	contentNamespace = "http://purl.org/rss/1.0/modules/content/"
	atomNamespace    = "http://www.w3.org/2005/Atom"
	dcNamespace      = "http://purl.org/dc/elements/1.1/"
	rssDocs          = "https://www.rssboard.org/rss-specification"
)

// rssRoot takes the place of the library's root element, which declares the
// content namespace alone.
type rssRoot struct {
	XMLName xml.Name `xml:"rss"`
	Version string   `xml:"version,attr"`
	Content string   `xml:"xmlns:content,attr"`
	Atom    string   `xml:"xmlns:atom,attr"`
	DC      string   `xml:"xmlns:dc,attr"`
	History string   `xml:"xmlns:fh,attr,omitempty"`
	Media   string   `xml:"xmlns:media,attr"`
	Channel *rssChannel
}

// FeedXml lets the library write the completed feed.
func (r *rssRoot) FeedXml() any { return r } //nolint:revive // the library's name

// rssChannel completes the library's channel; see [atomFeed] for how.
type rssChannel struct {
	*gorilla.RssFeed
	Links   []rssLink
	Archive *archiveMark
	Items   []*rssItem `xml:"item"`
}

type rssLink struct {
	XMLName xml.Name `xml:"atom:link"`
	Href    string   `xml:"href,attr"`
	Rel     string   `xml:"rel,attr"`
	Type    string   `xml:"type,attr,omitempty"`
}

// rssItem completes the library's item. Its author is left empty, since RSS
// wants an e-mail address there.
type rssItem struct {
	*gorilla.RssItem
	Creator    string   `xml:"dc:creator,omitempty"`
	Categories []string `xml:"category"`
	Updated    string   `xml:"atom:updated"`
	Thumbnail  *thumbnail
}

func newRSSFeed(f *Feed) *rssRoot {
	base := (&gorilla.Rss{Feed: generic(f)}).RssFeed()
	base.Language = language
	base.Generator = generator
	base.Docs = rssDocs
	channel := &rssChannel{
		RssFeed: base,
		Links:   []rssLink{{Href: f.Self(RSS), Rel: "self", Type: RSS.mediaType()}},
	}
	for _, link := range f.links(RSS) {
		channel.Links = append(channel.Links, rssLink{Href: link.Href, Rel: link.Rel, Type: link.Type})
	}
	for i, item := range base.Items {
		channel.Items = append(channel.Items, newRSSItem(item, &f.Items[i]))
	}
	base.Items = nil
	root := &rssRoot{Version: "2.0", Content: contentNamespace, Atom: atomNamespace, DC: dcNamespace, Media: mediaNamespace, Channel: channel}
	if f.archived() {
		root.History, channel.Archive = historyNamespace, &archiveMark{}
	}
	return root
}

func newRSSItem(base *gorilla.RssItem, item *Item) *rssItem {
	// The description of RSS is markup: plain text is escaped into it.
	base.Description = escape(item.Summary)
	out := &rssItem{RssItem: base, Updated: item.Updated.UTC().Format(stamp), Thumbnail: newThumbnail(item)}
	names := make([]string, len(item.Authors))
	for i, author := range item.Authors {
		names[i] = author.Name
	}
	// One element with all names: readers keep only one.
	out.Creator = strings.Join(names, ", ")
	for _, category := range item.Categories {
		out.Categories = append(out.Categories, category.Name)
	}
	return out
}
