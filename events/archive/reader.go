package archive

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"shiplog/events/ledger"
)

// maxLine is above every stored event.
const maxLine = ledger.MaxMessage

// A LineError is something wrong with a line of a file.
type LineError struct {
	Line  uint64
	Cause string // to be read behind "line 7"
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d %s", e.Line, e.Cause) }

// A Reader reads the lines of an export.
type Reader struct {
	lines *bufio.Reader
	line  uint64
	zip   bool
}

// NewReader reads from r, which may be compressed.
func NewReader(r io.Reader) (*Reader, error) {
	plain := bufio.NewReaderSize(r, maxLine+1)
	if !zipped(plain) {
		return &Reader{lines: plain}, nil
	}
	z, err := gzip.NewReader(plain)
	if err != nil {
		return nil, &LineError{1, "cannot be read: the file is damaged, or was cut off within its first bytes"}
	}
	return &Reader{lines: bufio.NewReaderSize(z, maxLine+1), zip: true}, nil
}

// zipped reports whether what comes is gzip.
func zipped(r *bufio.Reader) bool {
	start, _ := r.Peek(2)
	return len(start) == 2 && start[0] == 0x1f && start[1] == 0x8b
}

// Line is the number of the last line returned.
func (r *Reader) Line() uint64 { return r.line }

// Next is the next line without its end, valid until the next call, or [io.EOF]
// behind the last. What is wrong with the file is a [LineError].
func (r *Reader) Next() ([]byte, error) {
	part, err := r.lines.ReadSlice('\n')
	switch {
	case err == nil:
		r.line++
		if len(part) == 1 {
			return nil, &LineError{r.line, "is empty; each line is an event"}
		}
		return part[:len(part)-1], nil
	case errors.Is(err, io.EOF) && len(part) == 0:
		return nil, io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &LineError{r.line + 1, "is cut off: the file ends within it; take a whole copy, or export again"}
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, &LineError{r.line + 1, fmt.Sprintf("is longer than any event (%d bytes); is this an exported ledger?", maxLine)}
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), r.zip:
		return nil, &LineError{r.line + 1, fmt.Sprintf("cannot be read: the file is damaged near it (%v); take another copy", err)}
	}
	return nil, fmt.Errorf("read line %d: %w", r.line+1, err)
}
