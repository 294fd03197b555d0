package kept

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"sync"

	"shiplog/projections/readhttp"
)

// A Document is a body as it is sent: its bytes, its validator and the values of
// its headers, made once and shared by all answers. Nobody changes them.
type Document struct {
	Body []byte
	// Tag is the weak validator, taken before any coding, so that one value serves
	// all codings.
	Tag string
	// ETag and Length are values of headers.
	ETag, Length []string

	zip       sync.Once
	zipped    []byte
	zipLength []string
}

// NewDocument makes a document of a body, which is not copied.
func NewDocument(body []byte) *Document {
	tag := readhttp.ETag(body)
	return &Document{Body: body, Tag: tag, ETag: One(tag), Length: One(strconv.Itoa(len(body)))}
}

// One is the value of a header. It has no room, so that code which adds to it
// cannot write into what other answers share.
func One(value string) []string { return []string{value}[:1:1] }

// gzipEncoding is the value of a header and never changed.
var gzipEncoding = One("gzip")

// Send answers with the whole document; headers beside its length and coding are
// the caller's. It is compressed where that is worth it and the client takes it.
func (d *Document) Send(w http.ResponseWriter, r *http.Request, compress bool) {
	header, body, length := w.Header(), d.Body, d.Length
	if compress && readhttp.AcceptsGzip(r) {
		header["Content-Encoding"] = gzipEncoding
		body, length = d.gzipped()
	}
	header["Content-Length"] = length
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that went away is no fault
	}
}

// gzipped is the body compressed, once and only when somebody asks.
func (d *Document) gzipped() ([]byte, []string) {
	d.zip.Do(func() {
		var buf bytes.Buffer
		w := gzip.NewWriter(&buf)
		_, _ = w.Write(d.Body) // a buffer takes everything
		_ = w.Close()
		d.zipped = bytes.Clone(buf.Bytes())
		d.zipLength = One(strconv.Itoa(len(d.zipped)))
	})
	return d.zipped, d.zipLength
}

// zipShare is the part of a body that is left of it compressed, at most: bodies
// are text. It counts bytes that may come to be.
const zipShare = 2

// documentSize is about what a document takes beside its bytes.
const documentSize = 512

// Size is what the document takes in memory, compressed form included.
func (d *Document) Size() int64 { return int64(len(d.Body)+len(d.Body)/zipShare) + documentSize }
