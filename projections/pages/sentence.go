package pages

import (
	"html/template"
	"strings"
)

// Sentence is running text that knows which of its parts are names, marks or
// links. [Sentence.String] gives it as plain text for titles and descriptions,
// [Sentence.HTML] for the page, with every name isolated from the direction of
// the text around it.
type Sentence []Span

// Span is one part of a sentence.
type Span struct {
	Text   string
	Name   bool   // chosen by a publisher: isolated, wraps anywhere
	Strong bool   // the answer itself
	Mark   bool   // a verdict, drawn with its shape
	Was    string // with Mark: the verdict before it, drawn with an arrow between
	Href   string // a path on this site
}

// String gives the sentence as plain text.
func (s Sentence) String() string {
	var b strings.Builder
	for _, span := range s {
		if span.Was != "" {
			b.WriteString(span.Was + " → ")
		}
		b.WriteString(span.Text)
	}
	return b.String()
}

// HTML gives the sentence as markup.
func (s Sentence) HTML() template.HTML {
	var b strings.Builder
	stopped := false
	for i, span := range s {
		strong := span.Strong && (i == 0 || !s[i-1].Strong)
		if strong {
			b.WriteString("<strong>")
		}
		if span.Mark && i+1 < len(s) && strings.HasPrefix(s[i+1].Text, ".") {
			// A line must not begin with the full stop after a mark.
			b.WriteString(`<span class="nw">`)
			span.write(&b)
			b.WriteString(`.</span>`)
			stopped = true
			continue
		}
		if stopped {
			span.Text, stopped = span.Text[1:], false
		}
		span.write(&b)
		if span.Strong && (i == len(s)-1 || !s[i+1].Strong) {
			b.WriteString("</strong>")
		}
	}
	return template.HTML(b.String())
}

func (s Span) write(b *strings.Builder) {
	if s.Href != "" {
		b.WriteString(`<a href="` + escape(s.Href) + `">`)
	}
	switch {
	case s.Mark && s.Was != "":
		b.WriteString(`<span class="nw">` + string(mark(s.Was)+arrowHTML+mark(s.Text)) + `</span>`)
	case s.Mark:
		b.WriteString(string(mark(s.Text)))
	case s.Name:
		b.WriteString("<bdi>" + escape(s.Text) + "</bdi>")
	default:
		b.WriteString(escape(s.Text))
	}
	if s.Href != "" {
		b.WriteString("</a>")
	}
}

// strong returns a copy of the sentence that is stressed as a whole.
func (s Sentence) strong() Sentence {
	out := make(Sentence, len(s))
	for i, span := range s {
		span.Strong = true
		out[i] = span
	}
	return out
}

// say joins texts, spans and sentences into one sentence.
func say(parts ...any) Sentence {
	var out Sentence
	for _, part := range parts {
		switch p := part.(type) {
		case string:
			out = append(out, Span{Text: p})
		case Span:
			out = append(out, p)
		case Sentence:
			out = append(out, p...)
		}
	}
	return out
}

// arrowHTML stands between a verdict and the one after it: an arrow for the eye,
// "to" for the ear.
const arrowHTML template.HTML = ` <span class="arrow" aria-hidden="true">→</span><span class="vh"> to</span> `

func nameOf(r Ref) Span { return Span{Text: r.display(), Name: true} }

func linkTo(r Ref) Span { return Span{Text: r.display(), Name: true, Href: toolPath(r.Slug)} }

func linkEvent(seq uint64) Span { return Span{Text: "#" + seqText(seq), Href: eventPath(seq)} }

// display is the name, or the slug of a thing whose name is not known.
func (r Ref) display() string {
	if r.Name == "" {
		return r.Slug
	}
	return r.Name
}

func (r Reviewer) display() string { return Ref{r.Slug, r.Name}.display() }

// first and inner name a reviewer at the head of a sentence and within one: a
// reviewer called "The Skeptic" is "the Skeptic" there.
func (r Reviewer) first() Span { return Span{Text: r.display(), Name: true} }

func (r Reviewer) inner() Span { return Span{Text: lowerThe(r.display()), Name: true} }

func lowerThe(name string) string {
	if rest, ok := strings.CutPrefix(name, "The "); ok {
		return "the " + rest
	}
	return name
}

// listOf joins spans as "a", "a and b", "a, b and c".
func listOf(spans []Span) Sentence {
	var out Sentence
	for i, span := range spans {
		switch {
		case i == 0:
		case i == len(spans)-1:
			out = append(out, Span{Text: " and "})
		default:
			out = append(out, Span{Text: ", "})
		}
		out = append(out, span)
	}
	return out
}

// innerList names reviewers within a sentence, at most five of them.
func innerList(rs []Reviewer) Sentence {
	const most = 5
	var spans []Span
	for i, r := range rs {
		if i == most-1 && len(rs) > most {
			spans = append(spans, Span{Text: words(len(rs)-i) + " others"})
			break
		}
		spans = append(spans, r.inner())
	}
	return listOf(spans)
}

// firstList is innerList for the head of a sentence.
func firstList(rs []Reviewer) Sentence {
	out := innerList(rs)
	if len(out) > 0 {
		out[0] = rs[0].first()
	}
	return out
}
