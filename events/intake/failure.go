package intake

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"shiplog/events"
)

// A failure is an answer to one event, or to a request that could not be read:
// problem details (RFC 9457) with the members of a receipt that do not clash
// with them.
type failure struct {
	Type     string          `json:"type"`
	Title    string          `json:"title"`
	Status   int             `json:"status"`
	Detail   string          `json:"detail"`
	ID       string          `json:"id,omitempty"`
	Source   string          `json:"source,omitempty"`
	Recorded *bool           `json:"recorded,omitempty"`
	Problems events.Problems `json:"problems"`

	retryAfter time.Duration
}

// fault is a failure of the request as a whole.
func fault(status int, code events.Code, format string, args ...any) *failure {
	var ps events.Problems
	ps.Add("", code, format, args...)
	return failureWith(status, ps)
}

func failureWith(status int, ps events.Problems) *failure {
	f := &failure{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: ps.Error(), Problems: ps}
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		f.retryAfter = 5 * time.Second
	} else {
		f.Recorded = new(bool)
	}
	return f
}

// failureOf is a receipt that is no success.
func failureOf(status int, r Receipt) *failure {
	f := failureWith(status, r.Problems)
	f.ID, f.Source, f.Recorded = r.ID, r.Source, &r.Recorded
	return f
}

// refusal is the failure of a request that was not looked at, or that was
// not answered in time.
func refusal(err error) *failure {
	var r *Refusal
	if !errors.As(err, &r) {
		r = unavailable("the request ended before an answer; send it again, an event is recorded once however often it is sent")
	}
	status := http.StatusServiceUnavailable
	if r.Busy {
		status = http.StatusTooManyRequests
	}
	f := fault(status, events.CodeUnavailable, "%s", r.Reason)
	f.retryAfter = r.RetryAfter
	return f
}

func (f *failure) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if f.retryAfter > 0 {
		seconds := (f.retryAfter + time.Second - 1) / time.Second
		h.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
	w.WriteHeader(f.Status)
	writeJSON(w, f)
}

// Error makes a failure easy to read in a test.
func (f *failure) Error() string { return fmt.Sprintf("%d %s", f.Status, f.Detail) }
