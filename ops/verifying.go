package ops

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"shiplog/events/audit"
	"shiplog/ops/verify"
)

// A VerifyLine is one line of the answer to GET /admin/v1/verify: progress, then
// a report or what is wrong.
type VerifyLine struct {
	Progress *verify.Progress `json:"progress,omitempty"`
	Report   *verify.Report   `json:"report,omitempty"`
	Fault    *VerifyFault     `json:"fault,omitempty"`
	Error    string           `json:"error,omitempty"` // what kept it from finding out
}

// A VerifyFault is the first thing that is wrong.
type VerifyFault struct {
	Seq   uint64 `json:"seq"`
	Text  string `json:"text"`
	Chain bool   `json:"chain"` // it is the ledger itself, not what was made from it
}

// VerifyResult is the last line: how a verification ended.
func VerifyResult(report verify.Report, err error) VerifyLine {
	var fault *audit.Fault
	var difference *verify.Difference
	switch {
	case err == nil:
		return VerifyLine{Report: &report}
	case errors.As(err, &fault):
		return VerifyLine{Fault: &VerifyFault{fault.Seq, fault.Error(), true}}
	case errors.As(err, &difference):
		return VerifyLine{Fault: &VerifyFault{difference.Seq, difference.Error(), false}}
	}
	return VerifyLine{Error: err.Error()}
}

// progressEvery is how often a verification is heard of.
const progressEvery = 200 * time.Millisecond

// verify re-reads everything and tells how it goes.
func (a *Admin) verify(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := a.long(r)
	defer cancel()
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("Cache-Control", "no-store")
	control, lines := http.NewResponseController(w), json.NewEncoder(w)
	var last time.Time
	report, err := a.Verify(ctx, r.URL.Query().Get("chain") == "1", func(p verify.Progress) {
		if time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		_ = lines.Encode(VerifyLine{Progress: &p}) // a client that has gone ends the context
		_ = control.Flush()
	})
	_ = lines.Encode(VerifyResult(report, err)) // likewise
}

// long is the context of a request that may take long: it ends with the node,
// too.
func (a *Admin) long(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(r.Context())
	if a.Ending == nil {
		return ctx, func() { cancel(nil) }
	}
	stop := context.AfterFunc(a.Ending, func() { cancel(errEnding) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

var errEnding = errors.New("the node is stopping")

func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}
