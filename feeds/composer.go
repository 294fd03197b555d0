package feeds

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/pages"
)

// A Composer makes items of what the read model tells. It is a pure function of
// what it is given, and safe for use by many goroutines.
type Composer struct {
	base     string // without a slash at its end
	mint     Mint
	markdown func(source string) (template.HTML, error)
}

// NewComposer returns a composer for the site at an absolute address. Markdown
// makes safe markup of a review's source.
func NewComposer(base string, mint Mint, markdown func(source string) (template.HTML, error)) *Composer {
	return &Composer{base: strings.TrimSuffix(base, "/"), mint: mint, markdown: markdown}
}

// How much of what was written an item holds, in bytes. A feed is to stay under
// 512 KiB with as many of its newest 50 items as can be; the page has the rest.
const (
	bodyLimit   = 32 << 10 // a review in its own item
	quotesLimit = 48 << 10 // all quotes of one matchup
	quoteMost   = 4 << 10  // each of them, and the quote of a verdict change
	quoteLeast  = 280
	noteLimit   = 2 << 10  // a condition, a reason, a disclosure
	listLimit   = 4 << 10  // pros, cons, evidence, each as a whole
	rowsMost    = 60       // reviewers of one matchup
	gistLimit   = 280      // of a body in a summary
	plainLimit  = 16 << 10 // of an item whose markup is too much
)

func (c *Composer) home() string { return c.base + "/" }

func (c *Composer) tool(slug string) string { return c.base + "/tools/" + url.PathEscape(slug) }

func (c *Composer) reviewer(slug string) string { return c.base + "/reviewers/" + url.PathEscape(slug) }

func (c *Composer) category(slug string) string {
	return c.base + "/categories/" + url.PathEscape(slug)
}

func (c *Composer) event(seq uint64) string { return c.base + "/events/" + decimal(seq) }

func (c *Composer) compare(left, right string) string {
	return c.base + "/compare/" + url.PathEscape(left) + "-vs-" + url.PathEscape(right)
}

// review is the place of a reviewer's review on the tool's page.
func (c *Composer) review(tool, reviewer string) string {
	return c.tool(tool) + "#by-" + url.PathEscape(reviewer)
}

func (c *Composer) author(critic projections.Critic) Author {
	return Author{Name: display(critic.Ref), URL: c.reviewer(critic.Slug)}
}

// critic adds a reviewer's name, marked where the seat is given up.
func (c *Composer) critic(m *markup, critic projections.Critic) {
	m.linkedName(c.reviewer(critic.Slug), display(critic.Ref))
	if critic.Former {
		m.text(" (former)")
	}
}

// labels files an item under its category, if it has one.
func labels(category string) []Label {
	if category == "" {
		return nil
	}
	return []Label{{Term: category, Name: pages.CategoryName(category)}}
}

// display is the name, or the slug of a thing whose name is not known.
func display(r projections.Ref) string {
	if r.Name == "" {
		return r.Slug
	}
	return r.Name
}

// said is a reviewer's verdict as a word of its own.
func said(v events.Verdict) string {
	switch v {
	case events.Ship:
		return "Ship"
	case events.Skip:
		return "Skip"
	case events.Abstain:
		return "Abstains"
	}
	return "No verdict"
}

// quote adds the body of a review as a quotation that holds it and nothing
// else, cut to the limit with a link to the rest.
func (c *Composer) quote(m *markup, r *projections.Review, limit int) error {
	body, cut := excerpt(clean(r.Body), limit)
	m.raw(`<blockquote dir="auto">`)
	if err := c.body(m, body, r.Format); err != nil {
		return fmt.Errorf("body of event %d: %w", r.Event.Seq, err)
	}
	m.raw("</blockquote>\n")
	if cut {
		m.raw("<p>" + ellipsis + " ")
		m.link(c.event(r.Event.Seq), "The rest of the review")
		m.raw("</p>\n")
	}
	return nil
}

// body adds a text as written. Markdown of which nothing would be seen, such as
// a rule alone, is shown as its source rather than as nothing.
func (c *Composer) body(m *markup, body, format string) error {
	if format == events.FormatMarkdown {
		html, err := c.markdown(body)
		if err != nil {
			return err
		}
		if html != "" {
			m.raw(string(html))
			return nil
		}
	}
	m.plain(body)
	return nil
}

// note adds a short text under a word that says what it is.
func (c *Composer) note(m *markup, word, text string) {
	if text == "" {
		return
	}
	head, cut := excerpt(clean(text), noteLimit)
	m.raw("<p>")
	m.text(word + ": ")
	m.raw(isolate, strings.ReplaceAll(escape(head), "\n", "<br>\n"), "</span>")
	if cut {
		m.text(ellipsis)
	}
	m.raw("</p>\n")
}

// foot ends an item: where it comes from, who sent it, what it is filed under.
func (c *Composer) foot(m *markup, seq uint64, publisher, category string) {
	m.raw("<p>")
	m.link(c.event(seq), "Event "+decimal(seq))
	if publisher != "" && publisher != "local" {
		m.text(", sent by ")
		m.name(publisher)
	}
	if category != "" {
		m.text(" · ")
		m.link(c.category(category), pages.CategoryName(category))
	}
	m.raw("</p>\n")
}

// finish gives an item its content. Markup can be many times as long as what
// was written: a line of ">" is as many quotations. An item that no feed could
// hold is shown as the beginning of its text, in every feed alike.
func (c *Composer) finish(item Item, m *markup) Item {
	item.Content = m.String()
	if headWeight+item.size() <= windowBytes {
		return item
	}
	head, _ := excerpt(clean(strings.TrimSpace(textOf(item.Content))), plainLimit)
	var short markup
	short.plain(head)
	short.raw("\n<p>" + ellipsis + " ")
	short.link(item.Link, "The whole of it")
	short.raw("</p>\n")
	item.Content, item.weight = short.String(), 0
	return item
}
