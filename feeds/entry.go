package feeds

import (
	"fmt"
	"maps"
	"reflect"
	"sync"
	"time"

	"shiplog/projections/kept"
)

// An entry is one feed as built at a position, with its documents as they are
// asked for.
type entry struct {
	kept.Standing
	updated time.Time // zero where something else changed it later, and no date tells of that
	feed    *Feed     // nil for a list of feeds
	render  func(Format) ([]byte, error)
	link    func(Format) string // the header of that name; nil for none
	watch   kept.Parts
	kept    map[uint64]keptItem
	weight  int64 // of the items
	total   int   // items the feed has ever had

	mu        sync.Mutex
	documents map[Format]*document
}

// entrySize is about what an entry takes beside its items and documents.
const entrySize = 2 << 10

func (e *entry) size() int64 { return entrySize + e.weight + e.watch.Size() }

// document is the entry in one format; grown is how much larger it made the
// entry.
func (e *entry) document(format Format) (d *document, grown int64, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if d := e.documents[format]; d != nil {
		return d, 0, nil
	}
	body, err := e.render(format)
	if err != nil {
		return nil, 0, err
	}
	link := ""
	if e.link != nil {
		link = e.link(format)
	}
	d = newDocument(body, contentType(format), e.updated, link)
	if e.documents == nil {
		e.documents = make(map[Format]*document, len(Formats()))
	}
	e.documents[format] = d
	return d, d.Size(), nil
}

// inherit takes over the documents of the entry before where both are of the
// same feed, so that what is not changed is not rendered again either. It
// returns how much larger that made the entry.
func (e *entry) inherit(old *entry) (grown int64) {
	if old == nil || e.feed == nil || !reflect.DeepEqual(e.feed, old.feed) {
		return 0
	}
	old.mu.Lock()
	defer old.mu.Unlock()
	e.documents = maps.Clone(old.documents)
	for _, d := range e.documents {
		grown += d.Size()
	}
	return grown
}

// A document is a feed in one format as it is sent.
type document struct {
	*kept.Document
	told
	contentType []string
}

func newDocument(body []byte, contentType string, modified time.Time, link string) *document {
	d := &document{Document: kept.NewDocument(body), contentType: kept.One(contentType)}
	d.tell("", d.Tag, modified, link)
	return d
}

// contentType is exact: readers and validators compare it.
func contentType(format Format) string {
	if format == opml {
		return "text/x-opml; charset=utf-8"
	}
	return fmt.Sprintf("%s; charset=utf-8", format.mediaType())
}
