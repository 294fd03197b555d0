package decisions

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// faultPause is how long Pebble is held up after it could not write: it
	// would try again at once and for ever, as on a full disk.
	faultPause = 100 * time.Millisecond
	// closeTimeout bounds what closing waits for the last write.
	closeTimeout = 5 * time.Second
)

// ErrNotFlushed is an error of [Store.Close]: nothing is lost by it.
var ErrNotFlushed = errors.New("what was in memory could not be written; it will be folded again from the ledger")

// fault is what keeps Pebble from writing in the background, nil when nothing
// does. Where it goes on, commits would block for ever once memory is full.
type fault struct{ err atomic.Pointer[error] }

// met is called by Pebble.
func (f *fault) met(err error) {
	f.err.Store(&err)
	time.Sleep(faultPause)
}

// mended is called by Pebble after each flush.
func (f *fault) mended(info pebble.FlushInfo) {
	if info.Err == nil {
		f.err.Store(nil)
	}
}

func (f *fault) get() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

// flush writes what is in memory, if that can be done in time.
func (g *generation) flush() error {
	done, err := g.db.AsyncFlush()
	if err != nil {
		return err
	}
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	tick := time.NewTicker(faultPause)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return nil
		case <-timeout.C:
			return ErrNotFlushed
		case <-tick.C:
			if err := g.fault.get(); err != nil {
				return errors.Join(ErrNotFlushed, err)
			}
		}
	}
}
