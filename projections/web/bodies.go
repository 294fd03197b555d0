package web

import (
	"container/list"
	"html/template"
	"sync"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/pages"
)

// bodiesLimit bounds the memory for rendered reviews.
const bodiesLimit = 8 << 20

// bodies renders the texts of reviews and keeps those in Markdown by the event
// that brought them: an event never says anything else.
type bodies struct {
	markdown *pages.Markdown

	mu    sync.Mutex
	size  int
	order *list.List // of rendered, newest use first
	kept  map[uint64]*list.Element
}

type rendered struct {
	seq  uint64
	html template.HTML
}

func newBodies(m *pages.Markdown) *bodies {
	return &bodies{markdown: m, order: list.New(), kept: map[uint64]*list.Element{}}
}

// of is the text of a review.
func (b *bodies) of(v *projections.Review) (pages.Body, error) {
	body := pages.Body{Text: v.Body}
	if v.Format != events.FormatMarkdown {
		return body, nil
	}
	if html, ok := b.get(v.Event.Seq); ok {
		body.HTML = html
		return body, nil
	}
	html, err := b.markdown.Render(v.Body)
	if err != nil {
		return body, err
	}
	b.put(rendered{v.Event.Seq, html})
	body.HTML = html
	return body, nil
}

func (b *bodies) get(seq uint64) (template.HTML, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.kept[seq]
	if at == nil {
		return "", false
	}
	b.order.MoveToFront(at)
	return at.Value.(rendered).html, true
}

func (b *bodies) put(r rendered) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept[r.seq] != nil {
		return
	}
	b.kept[r.seq] = b.order.PushFront(r)
	b.size += r.size()
	for b.size > bodiesLimit {
		last := b.order.Remove(b.order.Back()).(rendered)
		delete(b.kept, last.seq)
		b.size -= last.size()
	}
}

func (r rendered) size() int { return len(r.html) + 128 }
