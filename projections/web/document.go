package web

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"sync"

	"shiplog/projections/readhttp"
)

// A document is a page as it is sent: its bytes, its validator and the values of
// its headers, made once.
type document struct {
	body         []byte
	tag          string
	etag, length []string

	zip       sync.Once
	zipped    []byte
	zipLength []string
}

func newDocument(body []byte) *document {
	tag := readhttp.ETag(body)
	return &document{body: body, tag: tag, etag: one(tag), length: one(strconv.Itoa(len(body)))}
}

// gzipped is the body compressed, once and only when somebody asks.
func (d *document) gzipped() ([]byte, []string) {
	d.zip.Do(func() {
		var buf bytes.Buffer
		w := gzip.NewWriter(&buf)
		_, _ = w.Write(d.body) // a buffer takes everything
		_ = w.Close()
		d.zipped = bytes.Clone(buf.Bytes())
		d.zipLength = one(strconv.Itoa(len(d.zipped)))
	})
	return d.zipped, d.zipLength
}

// zipShare is the part of a page that is left of it compressed, about. It lets
// the cache count bytes that may come to be.
const zipShare = 4

func (d *document) size() int64 { return int64(len(d.body) + len(d.body)/zipShare) }

// one is the value of a header. It has no room, so that code which adds to it
// cannot write into what other answers share.
func one(value string) []string { return []string{value}[:1:1] }
