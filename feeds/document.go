package feeds

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A document is a feed in one format as it is sent: its bytes, its validators
// and the values of its headers, made once.
type document struct {
	body     []byte
	tag      string // without quotes
	modified time.Time

	contentType, etag, lastModified, length []string
	link                                    []string // nil without a hub

	zip       sync.Once
	zipped    []byte
	zipLength []string
}

// newDocument makes a document. Its validator is weak and taken over the bytes
// before any coding, so that one value serves all codings.
func newDocument(body []byte, contentType string, modified time.Time) *document {
	sum := sha256.Sum256(body)
	tag := base64.RawURLEncoding.EncodeToString(sum[:16])
	modified = modified.UTC().Truncate(time.Second)
	return &document{
		body:         body,
		tag:          tag,
		modified:     modified,
		contentType:  one(contentType),
		etag:         one(`W/"` + tag + `"`),
		lastModified: one(modified.Format(http.TimeFormat)),
		length:       one(strconv.Itoa(len(body))),
	}
}

// one is the value of a header. It has no room, so that code which adds to it
// cannot write into what other answers share.
func one(value string) []string { return []string{value}[:1:1] }

// gzipped is the body compressed, once and only when somebody asks.
func (d *document) gzipped() ([]byte, []string) {
	d.zip.Do(func() {
		var buf bytes.Buffer
		w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
		if err != nil {
			panic(fmt.Sprintf("gzip: %v", err)) // the level is a constant
		}
		_, _ = w.Write(d.body) // a buffer takes everything
		_ = w.Close()
		d.zipped = buf.Bytes()
		d.zipLength = one(strconv.Itoa(len(d.zipped)))
	})
	return d.zipped, d.zipLength
}

// zipShare is what compression makes of a feed, at most: feeds are text. It
// lets the cache count a body that may be compressed later.
const zipShare = 2

func (d *document) size() int64 { return int64(len(d.body)) + int64(len(d.body))/zipShare }
