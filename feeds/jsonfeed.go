package feeds

import (
	gorilla "github.com/gorilla/feeds"
)

// jsonFeed completes the library's feed: its items are there even when there
// are none, as JSON Feed 1.1 demands.
type jsonFeed struct {
	*gorilla.JSONFeed
	Items []*gorilla.JSONItem `json:"items"`
}

func newJSONFeed(f *Feed) *jsonFeed {
	base := (&gorilla.JSON{Feed: generic(f)}).JSONFeed()
	base.FeedUrl = f.Self(JSON)
	base.Language = language
	base.Icon, base.Favicon = f.Icon, f.Icon
	for _, link := range f.links(JSON) {
		switch link.Rel {
		case "hub":
			base.Hubs = append(base.Hubs, &gorilla.JSONHub{Type: "WebSub", Url: link.Href})
		case "prev-archive":
			base.NextUrl = link.Href
		}
	}
	items := make([]*gorilla.JSONItem, 0, len(f.Items))
	for i, item := range base.Items {
		items = append(items, newJSONItem(item, &f.Items[i]))
	}
	base.Items = nil
	return &jsonFeed{JSONFeed: base, Items: items}
}

func newJSONItem(base *gorilla.JSONItem, item *Item) *gorilla.JSONItem {
	for _, author := range item.Authors {
		base.Authors = append(base.Authors, &gorilla.JSONAuthor{Name: author.Name, Url: author.URL})
	}
	base.Image = item.Picture
	for _, category := range item.Categories {
		base.Tags = append(base.Tags, category.Name)
	}
	return base
}
