package web

import (
	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/pages"
)

// body is the text of a review.
func (h *Handler) body(v *projections.Review) (body pages.Body, err error) {
	body.Text = v.Body
	if v.Format == events.FormatMarkdown {
		body.HTML, err = h.o.Markdown(v.Body)
	}
	return body, err
}
