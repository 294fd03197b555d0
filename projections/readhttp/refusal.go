package readhttp

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// StatusGivenUp is the status of an answer that the client did not wait for. Nobody
// is sent it: it is for metrics and traces, where it is no fault of the node. The
// number is the one that nginx has for it.
const StatusGivenUp = 499

// A Refusal is why a request to read cannot be answered.
type Refusal struct {
	Status     int           // 400, 404, 503 or StatusGivenUp
	Detail     string        // what is wrong and what would mend it, for people
	RetryAfter time.Duration // of a 503
	Err        error         // the cause, for the log; may be nil
}

// Error is the detail.
func (r *Refusal) Error() string { return r.Detail }

// Sentence is the detail as a sentence. The name of a parameter stays as it is
// written in an address.
func (r *Refusal) Sentence() string {
	first, _, _ := strings.Cut(r.Detail, " ")
	first, _, _ = strings.Cut(first, "=")
	switch first {
	case "", "at", "category", "page", "tools", "verdict":
		return r.Detail + "."
	}
	return strings.ToUpper(r.Detail[:1]) + r.Detail[1:] + "."
}

func (r *Refusal) Unwrap() error { return r.Err }

// SetHeader sets the headers that belong to the refusal.
func (r *Refusal) SetHeader(h http.Header) {
	if r.RetryAfter > 0 {
		seconds := (r.RetryAfter + time.Second - 1) / time.Second
		h.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
}

func badRequest(detail string) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Detail: detail}
}

func unavailable(detail string, err error) *Refusal {
	r := Unavailable(detail)
	r.Err = err
	return r
}

// GivenUp is the refusal of a request whose client went away.
func GivenUp() *Refusal {
	return &Refusal{Status: StatusGivenUp, Detail: "the request was given up"}
}

// Unavailable is a refusal of what can be asked again in a second.
func Unavailable(detail string) *Refusal {
	return &Refusal{Status: http.StatusServiceUnavailable, Detail: detail, RetryAfter: time.Second}
}
