package feeds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	gorilla "github.com/gorilla/feeds"
)

// stamp is how Atom and JSON dates are written: RFC 3339 in UTC with
// milliseconds, so that events of one second keep different dates.
const stamp = "2006-01-02T15:04:05.000Z"

// Render writes the feed in one format. The same feed gives the same bytes.
func Render(feed *Feed, format Format) ([]byte, error) {
	f := feed.cleaned()
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("render %s: %w", format, err)
	}
	var buf bytes.Buffer
	var err error
	switch format {
	case Atom:
		err = gorilla.WriteXML(newAtomFeed(f), &buf)
	case RSS:
		err = gorilla.WriteXML(newRSSFeed(f), &buf)
	case JSON:
		err = writeJSON(&buf, newJSONFeed(f))
	default:
		err = fmt.Errorf("unknown format %q", format)
	}
	if err != nil {
		return nil, fmt.Errorf("render %s of %q: %w", format, f.ID, err)
	}
	if format != JSON {
		buf.WriteByte('\n')
	}
	return buf.Bytes(), nil
}

// generic hands the feed to the library, which does the mapping common to the
// formats. What it cannot say is filled in by each format.
func generic(f *Feed) *gorilla.Feed {
	g := &gorilla.Feed{
		Title:       f.Title,
		Link:        &gorilla.Link{Href: f.Home},
		Description: f.Description,
		Updated:     f.Updated.UTC(),
		Id:          f.ID,
	}
	for i := range f.Items {
		item := &f.Items[i]
		g.Add(&gorilla.Item{
			Title:       item.Title,
			Link:        &gorilla.Link{Href: item.Link, Type: "text/html"},
			Description: item.Summary,
			Content:     item.Content,
			Id:          item.ID,
			IsPermaLink: "false",
			Created:     item.Published.UTC().Truncate(time.Millisecond),
			Updated:     item.Updated.UTC().Truncate(time.Millisecond),
		})
	}
	return g
}

func writeJSON(buf *bytes.Buffer, v any) error {
	e := json.NewEncoder(buf)
	// The type is application/feed+json with nosniff: nothing takes it for HTML,
	// and markup stays readable.
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
