package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/events/intake"
	"shiplog/ops"
	"shiplog/projections"
)

// operations are what an operator may have this node do, once it is all there.
func (a *App) operations() ops.Operations {
	return ops.Operations{
		Skip: func(ctx context.Context, ask ops.Skip) (uint64, error) {
			if err := a.starting(); err != nil {
				return 0, err
			}
			return a.skip(ctx, ask)
		},
		Rebuild: func() error {
			if err := a.starting(); err != nil {
				return err
			}
			return a.rebuilder.begin()
		},
		Rebuilt: func() ops.Rebuilding {
			if a.starting() != nil {
				return ops.Rebuilding{State: ops.RebuildNone}
			}
			return a.rebuilder.describe()
		},
	}
}

// skip has an event ignored that something on this node is stopped at.
func (a *App) skip(ctx context.Context, ask ops.Skip) (uint64, error) {
	if a.intake == nil {
		return 0, &ops.Refusal{
			Status: http.StatusConflict,
			Detail: "this node records nothing (--intake off); run shiplog skip against one that does",
		}
	}
	if !slices.Contains(a.stops(), ask.Seq) {
		return 0, &ops.Refusal{Status: http.StatusConflict, Detail: a.notStoppedAt(ask.Seq)}
	}
	at, err := a.intake.Skip(ctx, ask.Seq, ask.Reason)
	if ps, ok := errors.AsType[events.Problems](err); ok {
		return 0, &ops.Refusal{Status: http.StatusUnprocessableEntity, Detail: ps.Error()}
	}
	if err == nil {
		a.runner.Poke()
	}
	return at, err
}

// stops are the events that something on this node is stopped at.
func (a *App) stops() (seqs []uint64) {
	if bad, ok := errors.AsType[*projections.EventError](a.runner.Status().Err); ok {
		seqs = append(seqs, bad.Seq)
	}
	if stop, ok := errors.AsType[*intake.StopError](a.intake.Err()); ok {
		seqs = append(seqs, stop.Seq)
	}
	return seqs
}

func (a *App) notStoppedAt(seq uint64) string {
	text := fmt.Sprintf("nothing on this node is stopped at event %d, so it is not ignored", seq)
	if stops := a.stops(); len(stops) > 0 {
		return fmt.Sprintf("%s; what is stopped is stopped at event %d", text, stops[0])
	}
	return text + "; see shiplog status for what is wrong"
}

// A rebuilder makes everything anew that was made from the ledger, all at once:
// none keeps every core busy, and the ledger is read once for all of them.
type rebuilder struct {
	ctx   context.Context // of the node
	parts func() []part
	head  func() uint64
	read  audit.Read
	room  func() error // why there is none for what is to be built
	log   *slog.Logger

	mu    sync.Mutex
	now   ops.Rebuilding
	began time.Time
	wg    sync.WaitGroup
}

// A part is one thing that can be made anew while it is in use.
type part struct {
	name      string
	rebuild   func(context.Context, <-chan []audit.Decoded) (audit.Comparison, error)
	position  func() (uint64, bool)
	comparing func() bool
}

// startOperations makes the node ready to rebuild, and to mend its server.
func (a *App) startOperations(context.Context) error {
	if a.server != nil {
		a.life.spawn("server supervision", a.superviseServer)
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.rebuilder = &rebuilder{
		ctx: ctx, parts: a.parts, head: a.head, read: a.ledger.Read, room: a.roomToRebuild, log: a.log.Logger,
		now: ops.Rebuilding{State: ops.RebuildNone},
	}
	a.life.push("rebuild", func(context.Context) error {
		cancel()
		a.rebuilder.wg.Wait()
		return nil
	})
	return nil
}

// parts are what this node has made from the ledger.
func (a *App) parts() []part {
	list := []part{{a.model.Name(), a.runner.Rebuild, a.runner.Rebuilding, a.runner.Comparing}}
	if a.intake != nil {
		list = append(list, part{"decisions", a.intake.Rebuild, a.intake.Rebuilding, a.intake.Comparing})
	}
	return list
}

// roomToRebuild is roomFor everything that a node has made.
func (a *App) roomToRebuild() error { return a.roomFor("panel", "decisions") }

// roomFor tells why to build something anew would take what is to stay free: what
// is made stands beside what is in use until it takes its place, and is about as
// large.
func (a *App) roomFor(names ...string) error {
	space, err := ops.Disk(a.cmd.Data)
	if err != nil {
		return err
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = a.path(name)
	}
	need, err := ops.SizeOf(paths...)
	if err != nil {
		return err
	}
	if want := need + a.minFree; space.Free < want {
		return &ops.Refusal{Status: http.StatusInsufficientStorage, Detail: fmt.Sprintf(
			"a rebuild takes about %d bytes beside what is in use, and %d bytes are to stay free (--min-free), but %d are free; make room, %d bytes at least",
			need, a.minFree, space.Free, want-space.Free)}
	}
	return nil
}

// begin begins a rebuild, unless one is under way.
func (b *rebuilder) begin() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now.State == ops.RebuildRunning {
		return &ops.Refusal{Status: http.StatusConflict, Detail: "a rebuild is under way; wait until it is done"}
	}
	if err := b.room(); err != nil {
		return err
	}
	parts := b.parts()
	b.began = time.Now()
	b.now = ops.Rebuilding{State: ops.RebuildRunning, Parts: make([]ops.RebuildPart, len(parts))}
	for i, p := range parts {
		b.now.Parts[i].Name = p.name
	}
	b.wg.Go(func() { b.run(parts) })
	return nil
}

func (b *rebuilder) run(parts []part) {
	g, ctx := errgroup.WithContext(b.ctx)
	queues := audit.Queues(len(parts))
	g.Go(func() error {
		_ = audit.Share(ctx, b.read, 1, b.head(), queues) // what it does not read, the parts do
		return nil
	})
	for i, p := range parts {
		g.Go(func() error {
			found, err := p.rebuild(ctx, queues[i])
			b.note(i, found, err == nil)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		b.end(ops.RebuildFailed, err.Error())
		return
	}
	b.end(ops.RebuildDone, "")
}

// note keeps what became of a part.
func (b *rebuilder) note(i int, found audit.Comparison, done bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	part := &b.now.Parts[i]
	part.Done, part.Compared, part.Different, part.First = done, found.Seq, found.Different, found.First
	if found.Different > 0 {
		b.log.Warn("what was in use was not what the ledger makes", slog.String("part", part.Name), slog.Uint64("seq", found.Seq),
			slog.Uint64("different", found.Different), slog.String("first", found.First))
	}
}

func (b *rebuilder) end(state, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now.State, b.now.Error, b.now.Seconds = state, text, time.Since(b.began).Seconds()
	b.now.Head = b.head() // what was compared is not beyond it
}

// describe tells how far it is.
func (b *rebuilder) describe() ops.Rebuilding {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now
	if now.State == ops.RebuildNone || now.State == ops.RebuildRunning {
		now.Head = b.head()
	}
	now.Parts = append([]ops.RebuildPart(nil), b.now.Parts...)
	if now.State == ops.RebuildNone {
		return now
	}
	for i, p := range b.parts() {
		if now.Parts[i].Done {
			now.Parts[i].Position = now.Head
		} else if at, under := p.position(); under {
			now.Parts[i].Position, now.Parts[i].Comparing = at, p.comparing()
		}
	}
	if now.State == ops.RebuildRunning {
		now.Seconds = time.Since(b.began).Seconds()
	}
	return now
}
