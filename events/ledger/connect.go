package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"

	"shiplog/events/redact"
)

const (
	connectTimeout = 5 * time.Second

	// A connection that is silent this long is taken for lost, the server being
	// pinged in between.
	pingEvery = 5 * time.Second
	pingsLost = 2

	firstReconnect   = 50 * time.Millisecond
	slowestReconnect = 2 * time.Second
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
func Connect(ctx context.Context, o ConnectOptions) (*nats.Conn, error) {
	options := o.options()
	if o.Creds != "" {
		options = append(options, nats.UserCredentials(o.Creds))
	}
	if o.TLSCA != "" {
		options = append(options, nats.RootCAs(o.TLSCA))
	}
	if o.TLSCert != "" || o.TLSKey != "" {
		options = append(options, nats.ClientCert(o.TLSCert, o.TLSKey))
	}
	timeout := connectTimeout
	if deadline, ok := ctx.Deadline(); ok {
		timeout = min(timeout, time.Until(deadline))
	}
	nc, err := nats.Connect(o.URL, append(options, nats.Timeout(timeout))...)
	if err != nil {
		return nil, connectError(o.URL, err)
	}
	return nc, nil
}

// connectError says what would mend a first attempt that failed.
func connectError(url string, err error) error {
	mend := "is it running there? See --nats"
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		mend = "see --nats-creds and --nats-tls-ca"
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired),
		errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrNkeysNotSupported):
		mend = "see --nats-creds"
	case errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted):
		mend = "see --nats-tls-ca"
	}
	return fmt.Errorf("cannot connect to NATS at %s: %w; %s", redact.URL(url), redact.Error(err), mend)
}

// options are what every connection of Shiplog has.
func (o ConnectOptions) options() []nats.Option {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	state := o.OnState
	if state == nil {
		state = func(bool) {}
	}
	return []nats.Option{
		nats.Name(o.Name),
		nats.CustomInboxPrefix(inboxPrefix),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(reconnectDelay),
		nats.PingInterval(pingEvery),
		nats.MaxPingsOutstanding(pingsLost),
		// Nothing is kept to be sent later: an append that was given up must not
		// come back when the connection does.
		nats.ReconnectBufSize(-1),
		nats.IgnoreAuthErrorAbort(),
		nats.ConnectHandler(func(*nats.Conn) { state(true) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			state(false)
			if err != nil {
				log.Warn("NATS connection lost, reconnecting", slog.Any("error", err))
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			state(true)
			log.Info("NATS connection is back", slog.String("server", nc.ConnectedServerName()))
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			log.Warn("NATS reported an error", slog.Any("error", err))
		}),
	}
}

// reconnectDelay grows to slowestReconnect. It is random, so that not every node
// comes back to a restarted server at once.
func reconnectDelay(attempts int) time.Duration {
	delay := firstReconnect << min(attempts, 6)
	return rand.N(min(delay, slowestReconnect)) + firstReconnect
}
