package feeds

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"shiplog/projections/pages"
)

// generator names the program, without its version: an upgrade must not change
// the bytes of every feed.
const generator = "Shiplog"

// language is that of the titles and the words around what reviewers wrote.
const language = "en"

// escape makes markup of plain text. It leaves quotes alone: no text made here
// stands in an attribute but addresses, which [attribute] escapes.
func escape(s string) string { return textEscaper.Replace(s) }

// textEscaper is never changed and safe for use by many goroutines.
var textEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func attribute(s string) string {
	return strings.ReplaceAll(escape(s), `"`, "&#34;")
}

// A markup collects the markup of an item's content.
type markup struct {
	strings.Builder
}

// raw adds markup as it is.
func (m *markup) raw(parts ...string) {
	for _, part := range parts {
		m.WriteString(part)
	}
}

// text adds plain text.
func (m *markup) text(parts ...string) {
	for _, part := range parts {
		m.WriteString(escape(part))
	}
}

// link adds a link with plain text.
func (m *markup) link(href, text string) {
	m.raw(`<a href="`, attribute(href), `">`)
	m.text(text)
	m.raw("</a>")
}

// isolate is how a name somebody chose is kept from turning the direction of
// the words around it. Readers' sanitisers know this and not the bdi element.
const isolate = `<span dir="auto">`

// name adds a name somebody chose.
func (m *markup) name(name string) {
	m.raw(isolate)
	m.text(name)
	m.raw("</span>")
}

// linkedName adds a name that links.
func (m *markup) linkedName(href, name string) {
	m.raw(`<a href="`, attribute(href), `">`)
	m.name(name)
	m.raw("</a>")
}

// sentence adds a sentence of the pages, stressed as there.
func (m *markup) sentence(s pages.Sentence) {
	html := strings.ReplaceAll(string(s.HTML()), "<bdi>", isolate)
	m.raw("<p>", strings.ReplaceAll(html, "</bdi>", "</span>"), "</p>\n")
}

// paragraph adds one paragraph of plain text.
func (m *markup) paragraph(parts ...string) {
	m.raw("<p>")
	m.text(parts...)
	m.raw("</p>\n")
}

// list adds a list of plain texts under a heading, or nothing when it is empty.
// What goes beyond the limit of bytes is counted instead.
func (m *markup) list(heading string, entries []string, limit int) {
	if len(entries) == 0 {
		return
	}
	m.paragraph(heading)
	m.raw("<ul>\n")
	for i, entry := range entries {
		if limit -= len(entry); limit < 0 {
			m.raw("<li>", plural(len(entries)-i, "more", "more"), "</li>\n")
			break
		}
		m.raw(`<li dir="auto">`)
		m.text(entry)
		m.raw("</li>\n")
	}
	m.raw("</ul>\n")
}

// plain adds a text of many lines: paragraphs where it has empty lines, breaks
// where it has line ends. The line ends themselves stay, so that the text
// inside the result, tags taken out, is the text that was written.
func (m *markup) plain(s string) {
	for s != "" {
		lead, rest := splitLeading(s)
		m.raw(lead)
		if rest == "" {
			return
		}
		end := paragraphEnd(rest)
		m.raw("<p>")
		m.raw(strings.ReplaceAll(escape(rest[:end]), "\n", "<br>\n"))
		m.raw("</p>")
		s = rest[end:]
	}
}

// splitLeading splits off line ends before the first line with text.
func splitLeading(s string) (lead, rest string) {
	n := len(s) - len(strings.TrimLeft(s, "\n"))
	return s[:n], s[n:]
}

// paragraphEnd is where the first paragraph ends: at an empty line, or before
// the line ends at the end of the text.
func paragraphEnd(s string) int {
	if i := strings.Index(s, "\n\n"); i >= 0 {
		return i
	}
	return len(strings.TrimRight(s, "\n"))
}

// plural writes a count and its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// textOf is the text inside markup.
func textOf(markup string) string {
	var text strings.Builder
	for z := html.NewTokenizer(strings.NewReader(markup)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return text.String()
		case html.TextToken:
			text.Write(z.Text())
		case html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); !inline(string(name)) {
				text.WriteByte(' ')
			}
		}
	}
}

func inline(tag string) bool {
	return tag == "a" || tag == "em" || tag == "strong" || tag == "code"
}
