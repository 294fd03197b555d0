package intake

import (
	"time"

	"shiplog/events"
	"shiplog/events/decide"
)

// The statuses of a receipt.
const (
	StatusAccepted  = string(decide.Accepted)
	StatusDuplicate = string(decide.Duplicate)
	StatusRejected  = string(decide.Rejected)
	StatusError     = "error"
)

// A Receipt says what became of one submission.
type Receipt struct {
	Status   string          `json:"status" enum:"accepted,duplicate,rejected,error" doc:"what became of the event"`
	Recorded bool            `json:"recorded" doc:"whether the ledger holds this event under its source and id"`
	ID       string          `json:"id,omitempty" doc:"the event's id, as sent"`
	Source   string          `json:"source,omitempty" doc:"the event's source, as sent"`
	Seq      uint64          `json:"seq,omitempty" doc:"sequence in the ledger; of a duplicate, that of the event it repeats"`
	Type     string          `json:"type,omitempty" doc:"type it was recorded as"`
	Also     []Also          `json:"also,omitempty" doc:"events recorded with it, such as a registration or a matchup"`
	Problems events.Problems `json:"problems,omitempty" doc:"what is wrong and what would mend it"`
}

// Also is an event that was recorded with a submission.
type Also struct {
	Seq  uint64 `json:"seq,omitempty"`
	Type string `json:"type"`
}

// OK reports whether the ledger holds what was sent.
func (r Receipt) OK() bool { return r.Status == StatusAccepted || r.Status == StatusDuplicate }

// Conflict reports whether the identity was used before with other content.
func (r Receipt) Conflict() bool { return r.Problems.Has(events.CodeConflict) }

// waits reports whether the event may be accepted once an unknown tool or
// reviewer is registered.
func (r Receipt) waits() bool {
	return r.Status == StatusRejected && decide.Decision{Problems: r.Problems}.Waits()
}

// as is the receipt with another submission's name.
func (r Receipt) as(s *events.Submission) Receipt {
	r.ID, r.Source = s.ID, s.Source
	return r
}

// A Refusal says that the intake takes nothing now. It is no judgement of what
// was sent: the same can be sent again later.
type Refusal struct {
	// Busy tells that there is too much to do (HTTP 429); otherwise something
	// is out of order (HTTP 503).
	Busy       bool
	Reason     string
	RetryAfter time.Duration
}

// Error is the reason.
func (r *Refusal) Error() string { return r.Reason }

func busy() *Refusal {
	return &Refusal{Busy: true, Reason: "too many events wait to be recorded; send again later", RetryAfter: time.Second}
}

func unavailable(reason string) *Refusal {
	return &Refusal{Reason: reason, RetryAfter: 5 * time.Second}
}

// reject is the receipt of a submission that cannot be decided at all.
func reject(s *events.Submission, ps events.Problems) Receipt {
	r := Receipt{Status: StatusRejected, Problems: ps}
	if s != nil {
		r.ID, r.Source = s.ID, s.Source
	}
	return r
}

// failed is the receipt of a submission whose outcome is not known, or that
// was not decided.
func failed(s *events.Submission, reason string) Receipt {
	r := reject(s, events.Problems{{Code: events.CodeUnavailable, Detail: reason}})
	r.Status = StatusError
	return r
}
