package archive

import (
	"bufio"
	"compress/gzip"
	"io"
)

// memberBytes is about how much a gzip member holds before compression. It is
// what an interrupted export loses at most.
const memberBytes = 8 << 20

// A Writer writes the lines of an export.
type Writer struct {
	buf  *bufio.Writer
	zip  *gzip.Writer // nil for a plain file
	size int          // of the member at hand
}

// NewWriter writes to w. Close it when the last line is written.
func NewWriter(w io.Writer, zip bool) *Writer {
	out := &Writer{buf: bufio.NewWriterSize(w, 256<<10)}
	if zip {
		out.zip = gzip.NewWriter(out.buf)
	}
	return out
}

// Write writes one event as a line.
func (w *Writer) Write(raw []byte) error {
	var to io.Writer = w.buf
	if w.zip != nil {
		to = w.zip
	}
	if _, err := to.Write(raw); err != nil {
		return err
	}
	if _, err := to.Write([]byte{'\n'}); err != nil {
		return err
	}
	if w.size += len(raw) + 1; w.zip == nil || w.size < memberBytes {
		return nil
	}
	return w.endMember()
}

func (w *Writer) endMember() error {
	w.size = 0
	if err := w.zip.Close(); err != nil {
		return err
	}
	w.zip.Reset(w.buf)
	return w.buf.Flush()
}

// Close writes what is still in memory. It does not close what it writes to.
func (w *Writer) Close() error {
	if w.zip != nil && w.size > 0 {
		if err := w.zip.Close(); err != nil {
			return err
		}
	}
	return w.buf.Flush()
}
