package ledger

import (
	"errors"
	"fmt"
	"net"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// ErrWrongHead means that another writer appended first: catch up, decide
	// again, append again. Nothing was recorded.
	ErrWrongHead = errors.New("the ledger's head has moved")

	// ErrFull means that a limit was reached: the stream's max bytes, the disk,
	// or the server's resources. Nothing was recorded.
	ErrFull = errors.New("the ledger takes no more")

	// ErrHangs means that the disk of the embedded server gives no answer. Where it is
	// an append's, nothing was recorded.
	ErrHangs = errors.New("the disk gives no answer")

	// ErrUnknown means that no answer came: the events may be recorded or not.
	// Reading on from the expected head tells.
	ErrUnknown = errors.New("the outcome of the append is not known")

	// ErrNotFound means that no message has the sequence.
	ErrNotFound = errors.New("no such message")

	// ErrNoLedger means that the streams do not exist and were not to be created.
	ErrNoLedger = errors.New("no ledger here")

	// ErrDenied means that the server does not let this connection use JetStream.
	ErrDenied = errors.New("this NATS does not let Shiplog use JetStream (it may be another node's embedded server); name an account that may with --nats-creds, or another NATS with --nats")

	// ErrLocked means that another process holds the directory.
	ErrLocked = errors.New("directory is in use by another process")
)

// A GapError says that the ledger is not what it was: a sequence is missing, or
// the ledger ends before a position that was read.
type GapError struct {
	// Want is the sequence that should have come.
	Want uint64
	// Got is the sequence that came in its place; if it is below Want it is the
	// ledger's last, or 0 where there is none.
	Got uint64
}

func (e *GapError) Error() string {
	if e.Got == 0 {
		return fmt.Sprintf("event %d is missing", e.Want)
	}
	if e.Got < e.Want {
		return fmt.Sprintf("event %d is missing: the ledger ends at %d", e.Want, e.Got)
	}
	return fmt.Sprintf("event %d is missing: the next one is %d", e.Want, e.Got)
}

// A DriftError names a setting of a stream that somebody changed.
type DriftError struct {
	Stream  string
	Setting string // as NATS names it, such as "max_bytes"
	Want    string
	Got     string
}

func (e *DriftError) Error() string {
	return fmt.Sprintf("stream %s: %s is %s, must be %s; mend it with \"nats stream edit\" and restart",
		e.Stream, e.Setting, e.Got, e.Want)
}

// Unreachable reports whether an error means that NATS cannot be reached now.
// What the client calls it tells a publisher nothing: it keeps nothing to be
// sent later, and says so as a buffer that is full.
func Unreachable(err error) bool {
	for _, known := range []error{
		nats.ErrReconnectBufExceeded, nats.ErrConnectionClosed, nats.ErrConnectionReconnecting,
		nats.ErrDisconnected, nats.ErrNoResponders, nats.ErrNoServers, nats.ErrTimeout,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	if network, ok := errors.AsType[*net.OpError](err); ok { // one of TLS has another name: that is a matter of settings
		return network.Op == "dial" || network.Op == "read" || network.Op == "write"
	}
	return offline(err)
}

// offline tells whether NATS answered that nobody leads what was asked for.
func offline(err error) bool {
	answer, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (answer.ErrorCode == codeClusterUnavailable || answer.ErrorCode == codeStreamOffline)
}
