package ledger

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
)

// Options configure [Open]. The zero value opens an existing ledger as it is.
type Options struct {
	// Create makes the streams that are missing and applies MaxBytes to those
	// that exist. Without it a missing ledger is [ErrNoLedger].
	Create bool

	// MaxBytes is the size at which the ledger takes no more. 0 keeps what is
	// set, or DefaultMaxBytes for a new ledger.
	MaxBytes int64

	// InboxMaxBytes is the same for the inbox, 0 for DefaultInboxMaxBytes.
	InboxMaxBytes int64

	// Replicas is how many servers keep each stream, 0 for what is set, or 1.
	Replicas int
}

// A Ledger reads and writes the streams through one connection. Its methods may
// be called from several goroutines.
type Ledger struct{}

// Info describes the ledger's stream.
type Info struct {
	First    uint64 // 1, or 0 for an empty ledger
	Last     uint64
	Messages uint64 // Last, unless something is lost
	Bytes    uint64
	MaxBytes int64
	Replicas int
	Created  time.Time
}

// Open creates the streams where they are missing and asserts their settings.
// It changes max_bytes of existing streams, if told to, and nothing else.
func Open(ctx context.Context, nc *nats.Conn, o Options) (*Ledger, error) { return nil, errNotYet }

// Conn is the connection the ledger was opened on.
func (l *Ledger) Conn() *nats.Conn { return nil }

// Assert checks the settings of the streams against what Open left. The error
// is a [DriftError] if one differs, [ErrNoLedger] if a stream is gone.
func (l *Ledger) Assert(ctx context.Context) error { return errNotYet }

// Info asks for the state of the ledger's stream.
func (l *Ledger) Info(ctx context.Context) (Info, error) { return Info{}, errNotYet }

// Head is the sequence of the last event, 0 if there is none.
func (l *Ledger) Head(ctx context.Context) (uint64, error) { return 0, errNotYet }
