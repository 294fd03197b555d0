package ledger

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// denied is [ErrDenied] once the server has refused something to the connection.
// A server that refuses a subject gives no other answer: the request only ends by
// its timeout, as one does that a server may answer later.
func (l *Ledger) denied() error {
	if err := l.nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return fmt.Errorf("%w: %w", ErrDenied, err)
	}
	return nil
}
