package pages

import (
	"html/template"
	"net/url"
	"strings"
	"time"
)

// Small fragments are written in Go rather than in templates: they occur by the
// hundred on one page, and no white space may slip into them.

func toolPath(slug string) string     { return "/tools/" + url.PathEscape(slug) }
func reviewerPath(slug string) string { return "/reviewers/" + url.PathEscape(slug) }
func categoryPath(slug string) string { return "/categories/" + url.PathEscape(slug) }
func eventPath(seq uint64) string     { return "/events/" + seqText(seq) }

func comparePath(left, right string) string {
	return "/compare/" + url.PathEscape(left) + "-vs-" + url.PathEscape(right)
}

// matrixPath is the address of tools side by side.
func matrixPath(slugs ...string) string {
	escaped := make([]string, len(slugs))
	for i, slug := range slugs {
		escaped[i] = url.QueryEscape(slug)
	}
	return "/compare?tools=" + strings.Join(escaped, ",")
}

// escape makes text safe in markup and in quoted attributes. A carriage return
// is written as a reference, since a parser would turn a plain one into a line
// feed and the text would no longer be what was sent.

func escape(s string) string { return textEscaper.Replace(s) }

var textEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\r", "&#13;")

func verbatim(s string) template.HTML { return template.HTML(escape(s)) }

func bdi(r Ref) template.HTML {
	return template.HTML("<bdi>" + escape(r.display()) + "</bdi>")
}

func bdiText(s string) template.HTML { return template.HTML("<bdi>" + escape(s) + "</bdi>") }

func toolLink(r Ref) template.HTML {
	return template.HTML(`<a href="` + toolPath(r.Slug) + `">` + string(bdi(r)) + `</a>`)
}

func reviewerLink(r Reviewer) template.HTML {
	return template.HTML(`<a href="` + reviewerPath(r.Slug) + `"><bdi>` + escape(r.display()) + `</bdi></a>`)
}

func versus(left, right Ref) template.HTML {
	return bdi(left) + ` <span class="vs">vs</span> ` + bdi(right)
}

func compareLink(left, right Ref) template.HTML {
	return template.HTML(`<a href="`+comparePath(left.Slug, right.Slug)+`">`) + versus(left, right) + `</a>`
}

// eventLink names an event by its number.
func eventLink(e Event) template.HTML {
	n := seqText(e.Seq)
	return template.HTML(`<a href="/events/` + n + `"><span class="vh">Event </span>#` + n + `</a>`)
}

// bareEvent is eventLink where the word "event" stands before it already.
func bareEvent(e Event) template.HTML {
	n := seqText(e.Seq)
	return template.HTML(`<a href="/events/` + n + `">#` + n + `</a>`)
}

func numbered(e Event) template.HTML { return bareEvent(e) + ", " + dayHTML(e.Time) }

func dayHTML(t time.Time) template.HTML { return timeHTML(t, dayLayout) }

func timeHTML(t time.Time, layout string) template.HTML {
	t = t.UTC()
	stamp := t.Format(time.DateOnly)
	if layout == fullLayout {
		stamp = t.Format(time.RFC3339)
	}
	return template.HTML(`<time datetime="` + stamp + `">` + t.Format(layout) + `</time>`)
}

// stamp is an event with its day, as below a quote.
func stamp(e Event) template.HTML {
	if e.Time.IsZero() {
		return eventLink(e)
	}
	return eventLink(e) + ", " + dayHTML(e.Time)
}

// eventCell is the first column of a list: number and day. The year is left out
// where it is that of the last event on the page.
func eventCell(e Event, year int) template.HTML {
	if e.Seq == 0 {
		return `<td class="no"><span class="vh">Never opened</span><span aria-hidden="true">–</span></td>`
	}
	var b strings.Builder
	b.WriteString(`<td class="no">`)
	b.WriteString(string(eventLink(e)))
	if !e.Time.IsZero() {
		b.WriteString(`<span class="sub">` + string(timeHTML(e.Time, shortLayout)) + `</span>`)
		if y := e.Time.UTC().Year(); y != year {
			b.WriteString(`<span class="sub">` + number4(y) + `</span>`)
		}
	}
	b.WriteString(`</td>`)
	return template.HTML(b.String())
}

func number4(year int) string { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006") }

// outside is a link to a place off this site, or only its text when the address
// is neither http nor https. The scheme is not shown.
func outside(address string) template.HTML {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return template.HTML(`<span class="addr">` + escape(address) + `</span>`)
	}
	shown := strings.TrimSuffix(strings.TrimPrefix(address, u.Scheme+"://"), "/")
	return template.HTML(`<a class="addr" rel="nofollow ugc noopener" href="` + escape(u.String()) + `">` + escape(shown) + `</a>`)
}

// shortLeaf shows the ends of a hash.
func shortLeaf(leaf string) string {
	if len(leaf) <= 12 {
		return leaf
	}
	return leaf[:8] + "…" + leaf[len(leaf)-4:]
}

// clockHTML and fullHTML give a time to the minute and to the second.
func clockHTML(t time.Time) string { return t.UTC().Format(clockLayout) }

func fullHTML(t time.Time) template.HTML { return timeHTML(t, fullLayout) }

// breakable lets an address wrap after its slashes.
func breakable(address string) template.HTML {
	_, rest, _ := strings.Cut(address, "://")
	return template.HTML(strings.ReplaceAll(escape(rest), "/", "/<wbr>"))
}
