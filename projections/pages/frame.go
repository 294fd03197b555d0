package pages

import (
	"html/template"
	"net/http"
)

// frame is what the layout around every page needs. V is the view inside.
type frame struct {
	Page
	Site        Site
	Title       string // without the site's title
	Description string
	Path        string // canonical, with the query that belongs to it
	Nav         string // matchups, tools, reviewers, rules, feeds, home or none
	Here        bool   // the page is that of the navigation's entry itself
	Feeds       []Feed // the page's own first
	Outline     *outline
	Hidden      bool   // search engines should leave it alone
	Query       string // stands in the search box
	Travel      travel
	Picture     *Picture // shown where the address is shared
	V           any
}

// outline is a list of feeds (OPML) that the head of a page names.
type outline struct{ Title, Address string }

// travel is the form in the footer that asks for a page as of a past event.
type travel struct {
	Action string
	Keep   []field // the page's own query, kept by the form
}

type field struct{ Name, Value string }

// FullTitle is the text of the title element.
func (f frame) FullTitle() string {
	if f.Nav == "home" {
		return f.Site.Title + ": " + f.Title
	}
	if f.At != nil {
		return f.Title + ", as of event " + seqText(f.At.Seq) + " · " + f.Site.Title
	}
	return f.Title + " · " + f.Site.Title
}

// Year is the year that short dates leave out.
func (f frame) Year() int { return f.Changed.Time.UTC().Year() }

// Canonical is the page's one absolute address.
func (f frame) Canonical() string { return f.Site.BaseURL + f.Path }

// PictureAddress is the absolute address of the page's picture.
func (f frame) PictureAddress() string { return f.Site.BaseURL + f.Picture.Path }

// NoIndex keeps past states, searches and errors out of search engines.
func (f frame) NoIndex() bool { return f.Hidden || f.At != nil }

// Alternates are the feeds as the head announces them.
func (f frame) Alternates() template.HTML {
	var out template.HTML
	for _, feed := range f.Feeds {
		title := escape(feed.Title(f.Site.Title))
		for _, format := range FeedFormats() {
			out += template.HTML(`<link rel="alternate" type="` + format.MediaType + `" title="` + title + `" href="` + escape(feed.URL(f.Site.BaseURL, format)) + `">` + "\n")
		}
	}
	if f.Outline != nil {
		title := escape(f.Site.Title + ": " + f.Outline.Title)
		out += template.HTML(`<link rel="outline" type="text/x-opml" title="` + title + `" href="` + escape(f.Outline.Address) + `">` + "\n")
	}
	return out
}

// Current marks an entry of the navigation.
func (f frame) Current(nav string) template.HTMLAttr {
	switch {
	case f.Nav != nav:
		return ""
	case f.Here:
		return ` aria-current="page"`
	}
	return ` aria-current="true"`
}

// feedLinks lists the three forms of a feed. Named adds the feed's name for
// those who hear the links one by one.
func feedLinks(site Site, feed Feed, between string, named bool) template.HTML {
	var out template.HTML
	for i, format := range FeedFormats() {
		if i > 0 {
			out += template.HTML(between)
		}
		out += template.HTML(`<a href="` + escape(feed.URL(site.BaseURL, format)) + `">` + format.Name)
		if named {
			out += template.HTML(`<span class="vh">: ` + escape(feed.Name) + `</span>`)
		}
		out += `</a>`
	}
	return out
}

// subscribeLink hands a feed to the reader that the device has for it. Browsers
// show or save what lies at its address itself.
func subscribeLink(site Site, feed Feed) template.HTML {
	return template.HTML(`<a class="subscribe" href="feed:` + escape(feed.URL(site.BaseURL, FeedFormats()[0])) + `">Subscribe<span class="vh"> to ` + escape(feed.Name) + `</span></a>`)
}

// statusText names an HTTP status for people.
func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "Error"
}
