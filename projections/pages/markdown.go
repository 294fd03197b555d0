package pages

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// Markdown turns the source of a review in the format markdown into markup that
// may stand on a page. It is safe for use by many goroutines.
type Markdown struct {
	parser goldmark.Markdown
	policy *bluemonday.Policy
}

// NewMarkdown returns a renderer.
func NewMarkdown() *Markdown {
	return &Markdown{
		parser: goldmark.New(
			goldmark.WithExtensions(extension.Linkify),
			goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(quoted{}, 100))),
		),
		policy: markdownPolicy(),
	}
}

// Render renders CommonMark. Raw HTML is left out. Links lead to http, https
// and mailto only and are marked as a stranger's; images become links with
// their description; headings become stressed paragraphs and quotations plain
// divisions, so that neither the page's outline nor its quotes are disturbed.
// The result depends on the source alone, so it may be kept.
func (m *Markdown) Render(source string) (template.HTML, error) {
	var buf bytes.Buffer
	if err := m.parser.Convert([]byte(source), &buf); err != nil {
		return "", fmt.Errorf("render markdown: %w", err)
	}
	return template.HTML(bytes.TrimSpace(m.policy.SanitizeBytes(buf.Bytes()))), nil
}

// markdownPolicy is the second wall: whatever the renderer let through, only
// these elements and attributes remain.
func markdownPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "strong", "em", "code", "pre", "ul", "ol", "li", "div")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^cited$`)).OnElements("div")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile(`^nofollow ugc$`)).OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	return p
}
