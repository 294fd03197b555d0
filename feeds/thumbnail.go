package feeds

import (
	"encoding/xml"

	"shiplog/projections/pages"
)

const mediaNamespace = "http://search.yahoo.com/mrss/"

// thumbnail is an item's picture in Atom and RSS (Media RSS, media:thumbnail):
// readers show it beside the item. An enclosure would be offered for download,
// and RSS wants its size in bytes, which is not known before somebody asks.
type thumbnail struct {
	XMLName xml.Name `xml:"media:thumbnail"`
	URL     string   `xml:"url,attr"`
	Width   int      `xml:"width,attr"`
	Height  int      `xml:"height,attr"`
}

func newThumbnail(item *Item) *thumbnail {
	if item.Picture == "" {
		return nil
	}
	return &thumbnail{URL: item.Picture, Width: pages.PictureWidth, Height: pages.PictureHeight}
}
