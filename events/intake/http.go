package intake

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/events/tracing"
)

// via names for shiplog_submissions_total.
const (
	viaHTTP  = "http"
	viaNATS  = "nats"
	viaInbox = "inbox"
)

// HTTPOptions configure [NewHTTP]. The zero value takes writes from this
// machine only.
type HTTPOptions struct {
	// Token is asked for the write token at each request that brings one; "" or
	// a nil function mean that there is none. See [TokenFile].
	Token func() string
	// BodyBytes bounds the bodies that are held at once, 64 MiB when zero.
	BodyBytes int64
	// ReadTimeout bounds how long one body may take to arrive, 30 s when zero.
	ReadTimeout time.Duration
}

// NewHTTP is the handler of POST /api/v1/events: it takes one CloudEvent or a
// batch and answers with a receipt or an array of receipts, or with
// application/problem+json (RFC 9457). With ?dry_run=1 it decides and records
// nothing.
//
// Who may write is decided before the body is read: see access.go.
func NewHTTP(in Recorder, o HTTPOptions) http.Handler {
	if o.BodyBytes == 0 {
		o.BodyBytes = 64 << 20
	}
	if o.ReadTimeout == 0 {
		o.ReadTimeout = 30 * time.Second
	}
	return &httpIntake{
		in:     in,
		access: access{token: o.Token, origins: http.NewCrossOriginProtection()},
		bodies: bodies{most: o.BodyBytes, timeout: o.ReadTimeout},
	}
}

// Recorder has submissions recorded: an [Intake] itself, or a [Forwarder].
type Recorder interface {
	Submit(ctx context.Context, items []Item, dryRun bool) ([]Receipt, error)
	Count(via string, receipts ...Receipt)
	Position() uint64
}

type httpIntake struct {
	in     Recorder
	access access
	bodies bodies
}

// ServeHTTP implements [http.Handler].
func (h *httpIntake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	h.bodies.limit(w)
	if fail := h.serve(w, r); fail != nil {
		swallow(r)
		h.position(w)
		fail.write(w)
	}
}

// serve answers a request that could be read, and returns why another could
// not.
func (h *httpIntake) serve(w http.ResponseWriter, r *http.Request) *failure {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return fault(http.StatusMethodNotAllowed, events.CodeNotAllowed, "events are sent with POST")
	}
	writer, fail := h.access.judge(r)
	if fail != nil {
		return fail
	}
	dry, fail := dryRun(r)
	if fail != nil {
		return fail
	}
	form, fail := formOf(r.Header)
	if fail != nil {
		return fail
	}
	body, release, fail := h.bodies.read(w, r)
	if fail != nil {
		h.refused(fail, 1)
		return fail
	}
	defer release()
	m := form.parse(r.Header, body)
	if m.fail != nil {
		h.refused(m.fail, 1)
		return m.fail
	}
	writer.restrict(m.items)
	return h.submit(w, r, m, dry)
}

// submit has the events recorded and answers with what became of them. What was
// sent in full is recorded or not whether or not the client waits for the answer,
// so the end of the request does not end the wait: what is counted is what became
// of the events.
func (h *httpIntake) submit(w http.ResponseWriter, r *http.Request, m message, dry bool) *failure {
	m.follow(tracing.Of(r.Context()))
	for _, item := range m.items {
		item.Submission.Publisher = ledger.LocalPublisher
	}
	receipts, err := h.in.Submit(context.WithoutCancel(r.Context()), m.items, dry)
	if err != nil {
		fail := refusal(err)
		h.refused(fail, len(m.items))
		return fail
	}
	if !dry {
		h.in.Count(viaHTTP, receipts...)
	}
	if m.batch {
		h.answer(w, batchStatus(receipts), receipts)
		return nil
	}
	receipt := receipts[0]
	status := singleStatus(receipt, m.syntax)
	if status >= http.StatusBadRequest {
		return failureOf(status, receipt)
	}
	if status == http.StatusOK && receipt.Status == StatusAccepted && !dry {
		status = http.StatusCreated
		w.Header().Set("Location", "/events/"+strconv.FormatUint(receipt.Seq, 10))
	}
	h.answer(w, status, receipt)
	return nil
}

// refused counts events that were not looked at.
func (h *httpIntake) refused(f *failure, n int) {
	r := Receipt{Status: StatusError}
	if f.Status < 500 && f.Status != http.StatusTooManyRequests {
		r.Status = StatusRejected
	}
	for range n {
		h.in.Count(viaHTTP, r)
	}
}

func (h *httpIntake) position(w http.ResponseWriter) {
	w.Header().Set("Shiplog-Seq", strconv.FormatUint(h.in.Position(), 10))
}

func (h *httpIntake) answer(w http.ResponseWriter, status int, body any) {
	h.position(w)
	w.Header().Set("Content-Type", "application/json")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	w.WriteHeader(status)
	writeJSON(w, body)
}

// writeJSON writes a body. What cannot be sent cannot be told either.
func writeJSON(w http.ResponseWriter, body any) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(body)
}

// dryRun reads the only parameter of the route. Another is refused: where it was
// meant to be this one, the event would be recorded for ever.
func dryRun(r *http.Request) (bool, *failure) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return false, fault(http.StatusBadRequest, events.CodeInvalidValue, "the query cannot be read: %v; names and values must be percent-encoded", err)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if name != "dry_run" {
			return false, fault(http.StatusBadRequest, events.CodeUnknownField, "there is no parameter %.80q here; there is dry_run", name)
		}
	}
	values, asked := query["dry_run"]
	if !asked {
		return false, nil
	}
	dry, err := strconv.ParseBool(values[0])
	if err != nil || len(values) > 1 {
		return false, fault(http.StatusBadRequest, events.CodeInvalidValue, "dry_run must be 1 or 0, once; got %q", values)
	}
	return dry, nil
}

// singleStatus is the status of the answer to one event. Syntax tells that it
// was no JSON.
func singleStatus(r Receipt, syntax bool) int {
	switch {
	case r.OK():
		return http.StatusOK
	case r.Status == StatusError:
		return http.StatusServiceUnavailable
	case syntax:
		return http.StatusBadRequest
	case r.Conflict():
		return http.StatusConflict
	case r.Problems.Has(events.CodeTooLarge):
		return http.StatusRequestEntityTooLarge
	case r.Problems.Has(events.CodeNotAllowed):
		return http.StatusForbidden
	}
	return http.StatusUnprocessableEntity
}

// batchStatus is the status of the answer to a batch. Where nothing was
// recorded and some might be, sent again, that is what the status says.
func batchStatus(receipts []Receipt) int {
	good, failed := 0, 0
	for _, r := range receipts {
		switch {
		case r.OK():
			good++
		case r.Status == StatusError:
			failed++
		}
	}
	switch {
	case good == len(receipts):
		return http.StatusOK
	case good > 0:
		return http.StatusMultiStatus
	case failed > 0:
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}
