// Package logtest has the log of a test: it is written by what is tested, and read
// by the test meanwhile.
package logtest

import (
	"bytes"
	"sync"
)

// A Book keeps what is logged. The zero value is an empty one; it is safe for use by
// many goroutines.
type Book struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *Book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String is all that was written so far.
func (b *Book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
