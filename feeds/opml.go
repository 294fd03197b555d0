package feeds

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"time"
)

// An Outline is one line of an OPML document: a feed, or a group of them.
type Outline struct {
	Title    string
	Address  string // of the feed
	Home     string // of the page it follows
	Outlines []Outline
}

type opmlDocument struct {
	XMLName  xml.Name      `xml:"opml"`
	Version  string        `xml:"version,attr"`
	Title    string        `xml:"head>title"`
	Modified string        `xml:"head>dateModified"`
	Docs     string        `xml:"head>docs"`
	Outlines []opmlOutline `xml:"body>outline"`
}

// opmlOutline always has type rss: that is what OPML calls every feed, whatever
// its format.
type opmlOutline struct {
	Text     string        `xml:"text,attr"`
	Title    string        `xml:"title,attr,omitempty"`
	Type     string        `xml:"type,attr,omitempty"`
	XMLURL   string        `xml:"xmlUrl,attr,omitempty"`
	HTMLURL  string        `xml:"htmlUrl,attr,omitempty"`
	Outlines []opmlOutline `xml:"outline"`
}

// RenderOPML writes a list of feeds as OPML 2.0.
func RenderOPML(title string, modified time.Time, outlines []Outline) ([]byte, error) {
	doc := opmlDocument{
		Version:  "2.0",
		Title:    line(title),
		Modified: modified.UTC().Format(time.RFC1123Z),
		Docs:     "https://opml.org/spec2.opml",
		Outlines: newOutlines(outlines),
	}
	var buf bytes.Buffer
	buf.WriteString(xml.Header)
	e := xml.NewEncoder(&buf)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("render opml: %w", err)
	}
	buf.WriteByte('\n')
	return buf.Bytes(), nil
}

func newOutlines(outlines []Outline) []opmlOutline {
	out := make([]opmlOutline, 0, len(outlines))
	for _, o := range outlines {
		made := opmlOutline{Text: line(o.Title), Outlines: newOutlines(o.Outlines)}
		if o.Address != "" {
			made.Title, made.Type, made.XMLURL, made.HTMLURL = made.Text, "rss", o.Address, o.Home
		}
		out = append(out, made)
	}
	return out
}
