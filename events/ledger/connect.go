package ledger

import (
	"context"
	"log/slog"

	"github.com/nats-io/nats.go"
)

// ConnectOptions configure [Connect] and [Server.Connect].
type ConnectOptions struct {
	// URL is one or more addresses of NATS servers, separated by commas.
	URL string
	// Creds, TLSCA, TLSCert and TLSKey are files; empty for none.
	Creds, TLSCA, TLSCert, TLSKey string

	// Name is shown in the server's list of connections.
	Name string

	// OnState, if set, is called with true when the connection is there and with
	// false when it is lost, never twice at once.
	OnState func(connected bool)

	// Log takes what happens to the connection; nil discards it.
	Log *slog.Logger
}

// Connect connects to an existing NATS. The first attempt must succeed; after
// that the connection is kept up for ever.
func Connect(ctx context.Context, o ConnectOptions) (*nats.Conn, error) { return nil, errNotYet }
