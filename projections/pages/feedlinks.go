package pages

import (
	"net/url"
	"slices"
	"strings"

	"shiplog/events"
)

// Feed names one feed: its place on the site and what it is about. The feeds
// themselves use it too, so that the title a page announces is the title a
// reader finds.
type Feed struct {
	// Path is the address below the base URL, without the format's extension.
	Path string
	// Name is what the feed is about: "Matchups", a tool's name.
	Name string

	kind, slug string // of a narrowed feed
}

// FeedFormat is one of the forms every feed is offered in.
type FeedFormat struct {
	Name      string // Atom
	Extension string // atom
	MediaType string // application/atom+xml
}

// FeedFormats lists the forms, the one to prefer first: a title that looks like
// markup survives in Atom, while readers of RSS may strip it.
func FeedFormats() []FeedFormat {
	return []FeedFormat{
		{Name: "Atom", Extension: "atom", MediaType: "application/atom+xml"},
		{Name: "RSS", Extension: "rss", MediaType: "application/rss+xml"},
		{Name: "JSON", Extension: "json", MediaType: "application/feed+json"},
	}
}

// MatchupsFeed is the feed of all matchups.
func MatchupsFeed() Feed { return Feed{Path: "/feeds/matchups", Name: "Matchups"} }

// VerdictsFeed is the feed of all verdict changes.
func VerdictsFeed() Feed { return Feed{Path: "/feeds/verdicts", Name: "Verdict changes"} }

// ReviewsFeed is the feed of all reviews.
func ReviewsFeed() Feed { return Feed{Path: "/feeds/reviews", Name: "Reviews"} }

// ToolFeed is the feed of one tool.
func ToolFeed(slug, name string) Feed {
	return Feed{Path: "/feeds/tools/" + url.PathEscape(slug), Name: name, kind: "tool", slug: slug}
}

// ReviewerFeed is the feed of one reviewer.
func ReviewerFeed(slug, name string) Feed {
	return Feed{Path: "/feeds/reviewers/" + url.PathEscape(slug), Name: name, kind: "reviewer", slug: slug}
}

// CategoryFeed is the feed of one category.
func CategoryFeed(slug string) Feed {
	return Feed{Path: "/feeds/categories/" + url.PathEscape(slug), Name: CategoryName(slug), kind: "category", slug: slug}
}

// Title is the feed's title on a site with that title. It says what kind of
// thing the name is of, since a tool can be called like a reviewer, or
// "Reviews". The slug is added where the name does not tell it: names are
// chosen freely, and two tools may choose the same.
func (f Feed) Title(site string) string {
	title := site + ": " + f.Name
	switch {
	case f.kind == "":
		return title
	case f.nameTellsSlug():
		return title + " (" + f.kind + ")"
	}
	return title + " (" + f.kind + " " + f.slug + ")"
}

// nameTellsSlug reports whether each word of the slug is a word of the name:
// "skeptic" of "The Skeptic".
func (f Feed) nameTellsSlug() bool {
	words := strings.Split(events.ProposeSlug(f.Name), "-")
	for word := range strings.SplitSeq(f.slug, "-") {
		if !slices.Contains(words, word) {
			return false
		}
	}
	return true
}

// URL is the absolute address of the feed in one format.
func (f Feed) URL(base string, format FeedFormat) string {
	return strings.TrimSuffix(base, "/") + f.Path + "." + format.Extension
}

// OPMLURL is the absolute address of the list of all feeds.
func OPMLURL(base string) string { return strings.TrimSuffix(base, "/") + "/feeds.opml" }

// CategoryOPMLURL is the absolute address of the list of a category's feeds: its
// own and those of its tools.
func CategoryOPMLURL(base, slug string) string {
	return strings.TrimSuffix(base, "/") + CategoryFeed(slug).Path + ".opml"
}

// CategoryName makes the name of a category from its slug, since a category has
// no other: "ai-agents" becomes "AI agents".
func CategoryName(slug string) string {
	words := strings.Split(slug, "-")
	for i, word := range words {
		switch word {
		case "ai", "api", "cd", "ci", "cli", "css", "dns", "html", "http", "ide", "llm", "sdk", "sql", "tls", "ui", "ux", "vm":
			words[i] = strings.ToUpper(word)
		case "apis", "ides", "llms", "sdks", "vms":
			words[i] = strings.ToUpper(word[:len(word)-1]) + "s"
		default:
			if i == 0 && word != "" {
				words[i] = strings.ToUpper(word[:1]) + word[1:]
			}
		}
	}
	return strings.Join(words, " ")
}
