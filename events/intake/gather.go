package intake

import (
	"context"
	"time"

	"shiplog/events/decide"
)

// gather lets a batch wait for its share of those who send (see [pace.share]): they
// have their answers, and are on their way back. What comes is decided meanwhile.
func (w *writer) gather(ctx context.Context, from source, g *group, entries []entry) (*group, []entry) {
	entries = from.collect(entries)
	share := w.pace.share()
	if g.size()+len(entries) >= share || from.queue == nil {
		return g, entries
	}
	var base decide.Base
	if !w.behind && !w.opts.Shared { // where others write, what is decided early may have to be decided again
		base = w.store
	}
	late := time.NewTimer(w.pace.patience())
	defer late.Stop()
	for g.size()+len(entries) < share {
		if g, entries = w.ahead(ctx, g, base, entries); g.complete() {
			return g, entries
		}
		select {
		case r := <-from.queue:
			entries = from.unpack(entries, r)
		case <-late.C:
			w.pace.missed(g.size() + len(entries))
			return g, entries
		case <-ctx.Done():
			return g, entries
		}
	}
	return w.ahead(ctx, g, base, entries)
}

// complete reports whether a group takes no more, few as they may be.
func (g *group) complete() bool { return g != nil && g.full }

// size counts what a group answers.
func (g *group) size() int {
	if g == nil {
		return 0
	}
	return len(g.entries)
}

// callers counts the requests that a group answers.
func (g *group) callers() int {
	if g == nil {
		return 0
	}
	return callers(g.entries)
}

// callers counts the requests that entries are of; those of one follow one another.
func callers(entries []entry) (n int) {
	var last *request
	for _, e := range entries {
		if e.request != last {
			n++
			last = e.request
		}
	}
	return n
}
