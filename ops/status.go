package ops

import "time"

// Status describes a node to a person and to `shiplog status --json`.
type Status struct {
	Build
	// Starting tells that the ledger is not open yet: what is said of it is what
	// pages show, and of inbox and rejected events nothing is known.
	Starting    bool               `json:"starting"`
	Ready       bool               `json:"ready"`
	Checks      []Finding          `json:"checks"`
	Ledger      LedgerStatus       `json:"ledger"`
	NATS        NATSStatus         `json:"nats"`
	Projections []ProjectionStatus `json:"projections"`
	Inbox       InboxStatus        `json:"inbox"`
	Rejected    RejectedStatus     `json:"rejected"`
	HTTP        HTTPStatus         `json:"http"`
}

// LedgerStatus describes the ledger.
type LedgerStatus struct {
	ID         string     `json:"id"`
	Title      string     `json:"title"`
	Authority  string     `json:"authority"`
	Head       uint64     `json:"head"`
	Events     uint64     `json:"events"`
	Bytes      uint64     `json:"bytes"`
	MaxBytes   int64      `json:"max_bytes"`
	LastAppend *time.Time `json:"last_append"`
}

// NATSStatus describes the NATS server in use.
type NATSStatus struct {
	Embedded   bool   `json:"embedded"`
	Connected  bool   `json:"connected"`
	URL        string `json:"url"`
	Durability string `json:"durability"` // in words: who syncs what
}

// ProjectionStatus describes one projection.
type ProjectionStatus struct {
	Name       string  `json:"name"`
	State      string  `json:"state"`
	Position   uint64  `json:"position"`
	LagEvents  uint64  `json:"lag_events"`
	LagSeconds float64 `json:"lag_seconds"`
	Error      string  `json:"error,omitempty"`
}

// InboxStatus describes the inbox.
type InboxStatus struct {
	Pending *uint64 `json:"pending"` // nil while NATS gives no answer
}

// RejectedStatus describes what the inbox could not record.
type RejectedStatus struct {
	Count *uint64 `json:"count"` // nil while NATS gives no answer
}

// HTTPStatus describes the public listener.
type HTTPStatus struct {
	Address string `json:"address"`
	BaseURL string `json:"base_url"`
}
