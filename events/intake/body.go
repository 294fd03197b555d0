package intake

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"shiplog/events"
)

// bodies reads the bodies of requests within a bound on what is held at once
// and on how long one may take: neither many clients nor slow ones can fill the
// memory.
type bodies struct {
	most    int64
	timeout time.Duration
	held    atomic.Int64
}

// chunk is what a body of unknown length is let grow by.
const chunk = 256 << 10

// limit bounds the time for the body, also for one that is refused unread: the
// server reads a little on before it gives a connection up.
func (b *bodies) limit(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(b.timeout)) // a recorder has none
}

// read reads a body. Release gives its bytes free; it is nil with a failure.
func (b *bodies) read(w http.ResponseWriter, r *http.Request) (body []byte, release func(), fail *failure) {
	if r.ContentLength > events.MaxRequest {
		return nil, nil, requestTooLarge()
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, nil, fault(http.StatusUnsupportedMediaType, events.CodeInvalidValue,
			"content-encoding %q is not taken; send the events uncompressed", encoding)
	}
	a := allowance{of: b}
	if !a.grow(max(r.ContentLength, chunk)) {
		return nil, nil, refusal(busy())
	}
	body, fail = a.readAll(http.MaxBytesReader(w, r.Body, events.MaxRequest), r.ContentLength)
	if fail != nil {
		a.release()
		return nil, nil, fail
	}
	// The limit was for the body: it must not end the wait for the answer.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return body, a.release, nil
}

// mostSwallowed bounds what is read of a body only to throw it away.
const mostSwallowed = 4 * events.MaxRequest

// swallow reads what is left of a body that is refused. Many clients send all of
// it before they read the answer, and would meet a closed connection instead.
// Those that ask before they send are answered at once.
func swallow(r *http.Request) {
	if r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, mostSwallowed) // the answer is the same
	}
}

// An allowance is what one body may hold.
type allowance struct {
	of   *bodies
	size int64
}

// grow reports false, and gives nothing, when there is no more to give.
func (a *allowance) grow(n int64) bool {
	if held := a.of.held.Add(n); held > a.of.most && held > n {
		a.of.held.Add(-n)
		return false
	}
	a.size += n
	return true
}

func (a *allowance) release() { a.of.held.Add(-a.size) }

func (a *allowance) readAll(r io.Reader, length int64) ([]byte, *failure) {
	var b bytes.Buffer
	b.Grow(int(max(length, 0)) + bytes.MinRead)
	for {
		_, err := io.CopyN(&b, r, chunk)
		switch {
		case errors.Is(err, io.EOF):
			return b.Bytes(), nil
		case err != nil:
			return nil, unreadable(err)
		}
		if length < 0 && int64(b.Len())+chunk > a.size && !a.grow(chunk) {
			return nil, refusal(busy())
		}
	}
}

func requestTooLarge() *failure {
	return fault(http.StatusRequestEntityTooLarge, events.CodeTooLarge,
		"a request may have %d bytes (8 MiB); send the events in several", events.MaxRequest)
}

// unreadable says why a body could not be read to its end.
func unreadable(err error) *failure {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return requestTooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault(http.StatusRequestTimeout, events.CodeUnavailable, "the body did not arrive in time; nothing was recorded, send it again")
	}
	return fault(http.StatusBadRequest, events.CodeInvalidJSON, "the body ended too early; nothing was recorded, send it again")
}
