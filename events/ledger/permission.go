package ledger

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// checkPermitted asks for the ledger's stream as every request to JetStream
// does: with a subject to publish to and one to take the answer from. A server
// that allows either not says so before it answers the flush, and gives no other
// answer: a request would only end by its timeout, and be taken for one that a
// server may answer later.
//
// What else goes wrong here is left to the requests that follow.
func (l *Ledger) checkPermitted() error {
	// The error that is returned says it all: the log need not.
	defer l.nc.SetErrorHandler(l.nc.ErrorHandler())
	l.nc.SetErrorHandler(nil)
	answer, err := l.nc.SubscribeSync(l.nc.NewInbox())
	if err != nil {
		return nil
	}
	defer func() { _ = answer.Unsubscribe() }()
	if l.nc.PublishRequest("$JS.API.STREAM.INFO."+Stream, answer.Subject, nil) != nil || l.nc.FlushTimeout(requestTimeout) != nil {
		return nil
	}
	return l.denied()
}

// denied is [ErrDenied] once the server has refused something to the
// connection.
func (l *Ledger) denied() error {
	if err := l.nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return fmt.Errorf("%w: %w", ErrDenied, err)
	}
	return nil
}
