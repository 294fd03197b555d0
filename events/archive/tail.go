package archive

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
)

// A Tail is how a file ends, not counting what is behind its last whole line,
// or its last whole gzip member.
type Tail struct {
	Lines uint64
	Last  []byte // the last line, nil where there is none
	Zip   bool

	end int64 // where that is, in bytes
}

// tailOf reads a file to its last whole line. What comes after that is no error.
func tailOf(file *os.File) (Tail, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Tail{}, err
	}
	counted := &counter{r: file}
	in := bufio.NewReaderSize(counted, maxLine+1)
	if !zipped(in) {
		t, _, err := plainTail(in)
		return t, err
	}
	z := new(gzip.Reader)
	t := Tail{Zip: true}
	for {
		// From a bufio.Reader gzip takes no byte more than it needs.
		if err := z.Reset(in); err != nil {
			return t, fault(err)
		}
		z.Multistream(false)
		member, whole, err := plainTail(bufio.NewReaderSize(z, maxLine+1))
		if err != nil || !whole {
			return t, fault(err)
		}
		if t.Lines += member.Lines; member.Lines > 0 {
			t.Last = member.Last
		}
		t.end = counted.n - int64(in.Buffered())
	}
}

// fault is nil for what an interrupted export leaves.
func fault(err error) error {
	if perr, ok := errors.AsType[*os.PathError](err); ok {
		return perr
	}
	return nil
}

// plainTail reads lines to the end. It is whole if nothing is behind the last.
func plainTail(in *bufio.Reader) (t Tail, whole bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		switch {
		case err == nil:
			t.Lines++
			t.Last = append(t.Last[:0], part[:len(part)-1]...)
			t.end += int64(len(part))
		case errors.Is(err, io.EOF), errors.Is(err, bufio.ErrBufferFull):
			return t, errors.Is(err, io.EOF) && len(part) == 0, nil
		default:
			return t, false, err
		}
	}
}

// A counter counts the bytes that were read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
