package pages

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"shiplog/events"
)

// Markdown turns the source of a review in the format markdown into markup that
// may stand on a page. It is safe for use by many goroutines.
type Markdown struct {
	parser goldmark.Markdown
	policy *bluemonday.Policy
	text   *bluemonday.Policy // leaves no markup
}

// NewMarkdown returns a renderer.
func NewMarkdown() *Markdown {
	return &Markdown{
		parser: goldmark.New(
			goldmark.WithExtensions(extension.Linkify),
			goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(quoted{}, 100))),
		),
		policy: markdownPolicy(),
		text:   bluemonday.StrictPolicy(),
	}
}

// Render renders CommonMark. Raw HTML is shown as the text it is. Links lead to http, https
// and mailto only and are marked as a stranger's; images become links with
// their description; headings become stressed paragraphs and quotations plain
// divisions, so that neither the page's outline nor its quotes are disturbed.
// A source of which nothing would be left to read, such as a rule or a picture
// without a description, gives nothing: it is to be shown as it is.
// The result depends on the source alone, so it may be kept.
func (m *Markdown) Render(source string) (template.HTML, error) {
	if laborious(source) {
		return plain(source), nil
	}
	out := bounded{most: len(source)*mostGrowth + leastGrowth}
	err := m.parser.Convert([]byte(source), &out)
	if errors.Is(err, errTooLong) {
		return plain(source), nil
	}
	if err != nil {
		return "", fmt.Errorf("render markdown: %w", err)
	}
	markup := bytes.TrimSpace(m.policy.SanitizeBytes(out.buf.Bytes()))
	if !events.Visible(html.UnescapeString(m.text.Sanitize(string(markup)))) {
		return "", nil
	}
	return template.HTML(markup), nil
}

const (
	// deepest is how many quotations and lists may stand in one another, and
	// marksMost how many marks of emphasis, or of links, in one paragraph. The
	// parser holds each against all before it, which takes seconds where there are
	// thousands.
	deepest   = 64
	marksMost = 1000
)

// laborious reports whether a text was made to be hard to read. It looks at
// nothing but the text, so that every node shows it alike.
func laborious(source string) bool {
	stresses, links := 0, 0
	for line := range strings.Lines(source) {
		if strings.TrimSpace(line) == "" {
			stresses, links = 0, 0
			continue
		}
		before := byte(0)
		for i := range len(line) {
			switch c := line[i]; {
			case c == '[':
				links++
			case (c == '*' || c == '_') && c != before:
				stresses++
			}
			before = line[i]
		}
		if stresses > marksMost || links > marksMost || depth(line) > deepest {
			return true
		}
	}
	return false
}

// depth is how many quotations and lists a line opens.
func depth(line string) (n int) {
	for i := range len(line) {
		switch c := line[i]; {
		case c == '>', i > 0 && (c == ' ' || c == '\t') && strings.IndexByte("-*+.)", line[i-1]) >= 0:
			n++
		case strings.IndexByte(" \t-*+.)0123456789", c) < 0:
			return n
		}
	}
	return n
}

// How much longer than its source the markup of a review may be. A line of
// links is some eight times its source; far more comes only of a text that
// names one long link a thousand times, to make a page of megabytes.
const (
	mostGrowth  = 12
	leastGrowth = 4 << 10
)

var errTooLong = errors.New("the markup is too long for its source")

// bounded is a buffer that takes so much and no more.
type bounded struct {
	buf  bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > b.most {
		return 0, errTooLong
	}
	return b.buf.Write(p)
}

// plain is the source as it stands.
func plain(source string) template.HTML {
	return template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>")
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
