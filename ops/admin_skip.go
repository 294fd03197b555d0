package ops

import (
	"context"
	"errors"
	"net/http"
	"strings"
)

// A Refusal is why a node does not do what its operator asks for, as an answer
// of HTTP.
type Refusal struct {
	Status int
	Detail string
}

func (r *Refusal) Error() string { return r.Detail }

// A Skip asks to have an event ignored by every node and every rebuild.
type Skip struct {
	Seq    uint64 `json:"seq"`
	Reason string `json:"reason"`
}

// A Skipped says what became of that.
type Skipped struct {
	Seq      uint64 `json:"seq"`                   // the event that is ignored
	Recorded uint64 `json:"recorded_as,omitempty"` // the event that says so; 0 where one did before
}

// skipForm shows how a skip is asked for.
const skipForm = `{"seq":42,"reason":"…"}`

func (a *Admin) skip(w http.ResponseWriter, r *http.Request) {
	var ask Skip
	err := readAsk(w, r, &ask, skipForm)
	if err == nil && (ask.Seq == 0 || strings.TrimSpace(ask.Reason) == "") {
		err = &Refusal{http.StatusBadRequest, "seq and reason are both needed; send " + skipForm}
	}
	if err != nil {
		problem(w, err)
		return
	}
	at, err := a.Operations.Skip(r.Context(), ask)
	if err != nil {
		problem(w, err)
		return
	}
	writeJSON(w, http.StatusOK, Skipped{Seq: ask.Seq, Recorded: at})
}

// Operations are what an operator may have a node do.
type Operations struct {
	// Skip has an event ignored and returns the sequence of the record, 0 where
	// there was one.
	Skip func(ctx context.Context, ask Skip) (uint64, error)
	// Rebuild begins to make everything anew that was made from the ledger.
	Rebuild func() error
	// Rebuilt is how far that has come.
	Rebuilt func() Rebuilding
}

func statusOf(err error) int {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal.Status
	}
	return http.StatusServiceUnavailable
}
