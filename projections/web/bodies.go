package web

import (
	"html/template"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
)

// bodiesLimit bounds the memory for rendered reviews.
const bodiesLimit = 8 << 20

// bodies renders the texts of reviews and keeps those in Markdown by the event
// that brought them: an event never says anything else.
type bodies struct {
	markdown *pages.Markdown
	rendered *kept.Cache[uint64, template.HTML]
}

func newBodies(m *pages.Markdown) *bodies {
	return &bodies{markdown: m, rendered: kept.NewCache[uint64, template.HTML](bodiesLimit)}
}

// of is the text of a review.
func (b *bodies) of(v *projections.Review) (pages.Body, error) {
	body := pages.Body{Text: v.Body}
	if v.Format != events.FormatMarkdown {
		return body, nil
	}
	if html, ok := b.rendered.Get(v.Event.Seq); ok {
		body.HTML = html
		return body, nil
	}
	html, err := b.markdown.Render(v.Body)
	if err != nil {
		return body, err
	}
	b.rendered.Put(v.Event.Seq, html, int64(len(html)))
	body.HTML = html
	return body, nil
}
