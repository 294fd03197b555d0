package intake

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
)

// A turn keeps nodes that write to one ledger from starving each other. The one
// that commits knows nothing of those whose commits came too late, and with its
// next batch it is ahead of them again. So a node that has lost twice asks for
// its turn, in a word to all, and the others hold still a moment.
//
// It is a courtesy and no lock: a word that is lost costs one round more.
type turn struct {
	conn  *nats.Conn
	id    string
	until atomic.Pointer[time.Time] // others have asked to be let in; nil before any
}

const (
	turnSubject = "_SHIPLOG.turn"
	// turnFor is how long the others hold still: a few commits of a cluster.
	turnFor = 60 * time.Millisecond
	// turnAfter is how many commits in a row must have come too late.
	turnAfter = 2
)

// newTurn listens for the others. Where it cannot, nobody is let in, and chance
// decides as before.
func newTurn(conn *nats.Conn) *turn {
	t := &turn{conn: conn, id: nuid.Next()}
	_, _ = conn.Subscribe(turnSubject, func(m *nats.Msg) {
		if string(m.Data) != t.id {
			until := time.Now().Add(turnFor)
			t.until.Store(&until)
		}
	})
	return t
}

// ask asks the others to hold still.
func (t *turn) ask() {
	if t != nil {
		_ = t.conn.Publish(turnSubject, []byte(t.id)) // a courtesy
	}
}

// yield holds still while another has asked.
func (t *turn) yield(ctx context.Context) {
	if t == nil {
		return
	}
	until := t.until.Load()
	if until == nil || !time.Now().Before(*until) {
		return
	}
	timer := time.NewTimer(time.Until(*until)) // which a clock that is set back does not lengthen
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
