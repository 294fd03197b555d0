package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/dustin/go-humanize"

	"shiplog/ops"
)

// How often the embedded server is looked at, and the pauses before one that
// could not be started anew is tried again.
const (
	faultEvery       = time.Second
	firstRestartWait = time.Second
	lastRestartWait  = 30 * time.Second
)

// roomToRestart is what has to be free, however low --min-free is: a server that
// is started on a full disk is at its end again with the first event.
const roomToRestart = 8 << 20

// superviseServer starts the embedded server anew where it cannot write any
// more: JetStream, once a write has failed, takes nothing until then, though
// there may be room again.
func (a *App) superviseServer(ctx context.Context) error {
	tick := time.NewTicker(faultEvery)
	defer tick.Stop()
	wait, next := firstRestartWait, time.Time{}
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		fault := a.server.Fault()
		if fault == nil {
			wait = firstRestartWait
			a.mended(ctx)
			continue
		}
		why := a.mayRestart()
		if a.noteFault(fault, why); why != nil || time.Now().Before(next) {
			continue
		}
		a.restartServer()
		next = time.Now().Add(wait)
		wait = min(2*wait, lastRestartWait)
	}
}

// noteFault keeps for health and intake what is wrong and what is waited for.
func (a *App) noteFault(fault, why error) {
	err := fmt.Errorf("the ledger cannot be written: %w", fault)
	switch {
	case why == nil:
		err = fmt.Errorf("%w; its server is being started anew", err)
	case why.Error() != fault.Error():
		err = fmt.Errorf("%w; %w; the node goes on by itself when that is mended", err, why)
	}
	if a.fault.Swap(&err) == nil {
		a.log.Error("nothing is recorded", slog.Any("error", err))
	}
}

// mayRestart tells why it would not help to start the server anew.
func (a *App) mayRestart() error {
	if err := a.server.Intact(); err != nil {
		return err
	}
	space, err := ops.Disk(a.cmd.Data)
	if err != nil {
		return err
	}
	if want := max(a.minFree, roomToRestart); space.Free < want {
		return fmt.Errorf("%d MiB of the disk are free, %d MiB are wanted", space.Free>>20, want>>20)
	}
	return a.server.Writable()
}

func (a *App) restartServer() {
	start := time.Now()
	if err := a.server.Restart(); err != nil {
		a.log.Error("the embedded NATS server does not start again", slog.Any("error", err))
		return
	}
	a.log.Warn("the embedded NATS server was started anew", slog.Duration("took", time.Since(start)))
}

// mended has everything go on after a fault, once the connection is back. The
// read model has met the full disk, too, and would try again after a long pause.
func (a *App) mended(ctx context.Context) {
	if a.fault.Load() == nil || !a.conn.IsConnected() {
		return
	}
	if err := a.ledger.Complete(ctx); err != nil {
		err = fmt.Errorf("the ledger cannot be written: a batch that was cut off cannot be completed: %w", err)
		a.fault.Store(&err)
		return
	}
	a.fault.Store(nil)
	a.runner.Poke()
	a.log.Info("the ledger can be written again")
}

// unwritable is why the ledger cannot be written, nil while it can. Where the disk
// takes nothing, the server says so only when it has tried, and whoever tries
// before it says it in words of its own.
func (a *App) unwritable() error {
	if err := a.fault.Load(); err != nil {
		return *err
	}
	if a.server == nil {
		return nil
	}
	if err := a.probe.Refused(); err != nil {
		return fmt.Errorf("the ledger cannot be written: %w", err)
	}
	return nil
}

// checkStore is the check of what unwritable tells.
func (a *App) checkStore(context.Context) (string, error) {
	if a.server == nil {
		return "kept by another server", nil
	}
	return "takes what is written", a.unwritable()
}

// room tells whether another batch may be written: what a second of load writes
// between two looks at the disk could be all that is free.
func (a *App) room() error {
	if space, err := ops.Disk(a.cmd.Data); err == nil && space.Free >= a.minFree {
		return nil
	}
	return a.lowDisk()
}

func (a *App) lowDisk() error {
	return fmt.Errorf("less than %s of the disk are free; make room, or lower --min-free", humanize.IBytes(a.minFree))
}

// serverFault tells what keeps the ledger from being written, if that is known here.
func (a *App) serverFault() error {
	if a.server == nil {
		return nil
	}
	return a.server.Fault()
}

func (a *App) serverIntact() error {
	if a.server == nil {
		return nil
	}
	if err := a.server.Intact(); err != nil {
		return err
	}
	return a.server.Changeable()
}
