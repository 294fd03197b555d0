package ops

import "net/http"

// The states of a rebuild.
const (
	RebuildNone    = "none"
	RebuildRunning = "running"
	RebuildDone    = "done"
	RebuildFailed  = "failed"
)

// A Rebuilding describes the rebuild under way, or the last one.
type Rebuilding struct {
	State   string        `json:"state"`
	Head    uint64        `json:"head"` // of the ledger
	Parts   []RebuildPart `json:"parts"`
	Seconds float64       `json:"seconds"`         // it takes, or has taken
	Error   string        `json:"error,omitempty"` // why it failed; parts that are not done are as they were
}

// A RebuildPart is one thing that is made anew.
type RebuildPart struct {
	Name     string `json:"name"`
	Position uint64 `json:"position"` // of the new one
	Done     bool   `json:"done"`     // it is in use

	// The new one is compared with the one that was in use, before it takes its
	// place: as of which event (0: not, or not yet), how many rows or keys were
	// wrong, and the first.
	Comparing bool   `json:"comparing"`
	Compared  uint64 `json:"compared"`
	Different uint64 `json:"different"`
	First     string `json:"first_difference,omitempty"`
}

// rebuild begins a rebuild. It goes on whether the caller waits or not.
func (a *Admin) rebuild(w http.ResponseWriter, _ *http.Request) {
	if err := a.Operations.Rebuild(); err != nil {
		problem(w, err)
		return
	}
	writeJSON(w, http.StatusAccepted, a.Operations.Rebuilt())
}

func (a *Admin) rebuilt(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, a.Operations.Rebuilt())
}
