package ledger

import (
	"context"
	"errors"
	"log/slog"

	"github.com/nats-io/nats.go"
)

// ServerOptions configure [StartServer].
type ServerOptions struct {
	// Dir is NATS's own folder. It is created, and locked while the server runs.
	Dir string

	// Listen is the address for clients from outside, such as 127.0.0.1:4222;
	// port 0 takes a free one. Empty: in-process connections only.
	Listen string

	// Log takes what the server has to say; nil discards it.
	Log *slog.Logger
}

// A Server is the embedded NATS server. It syncs every write before it
// acknowledges it.
type Server struct{}

var errNotYet = errors.New("not yet")

// StartServer starts the server and returns when it takes connections. Its
// errors are one line and say what would mend them.
func StartServer(o ServerOptions) (*Server, error) { return nil, errNotYet }

// Addr is the address the server listens on, empty if it does not.
func (s *Server) Addr() string { return "" }

// Connect opens a connection within the process, with every permission.
// [ConnectOptions.URL] and the credentials are not used.
func (s *Server) Connect(o ConnectOptions) (*nats.Conn, error) { return nil, errNotYet }

// Close shuts the server down, waiting for its files to be closed until the
// context ends. Close every connection first.
func (s *Server) Close(ctx context.Context) error { return errNotYet }
