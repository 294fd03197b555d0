package web

import (
	"fmt"
	"net/http"
	"time"

	"shiplog/projections/readhttp"
)

// moved says where a page is to be found instead.
type moved struct {
	status int
	to     string
}

func (m *moved) Error() string { return "moved to " + m.to }

// missing says that there is no such page.
type missing struct {
	detail string
	like   string // what it may have been meant to be called; empty for no guess
}

func (m *missing) Error() string { return m.detail }

// failure is an error with the position it is told as of.
type failure struct {
	seq uint64
	err error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

func badRequest(format string, args ...any) error {
	return &readhttp.Refusal{Status: http.StatusBadRequest, Detail: fmt.Sprintf(format, args...)}
}

func unavailable(detail string, err error) error {
	return &readhttp.Refusal{Status: http.StatusServiceUnavailable, Detail: detail, RetryAfter: time.Second, Err: err}
}
