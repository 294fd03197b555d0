package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"shiplog/events/intake"
	"shiplog/events/ledger"
	"shiplog/events/redact"
	"shiplog/ops"
	"shiplog/projections"
	"shiplog/projections/readhttp"
)

// showPages serves what the read model holds, where there is one: NATS takes
// seconds to read the state of a large ledger, or cannot be reached, and readers
// need neither. Where there is none, nothing is served before it can be made.
func (a *App) showPages(ctx context.Context) error {
	if !holdsAnything(a.path("panel")) {
		return nil
	}
	if err := a.openModel(); err != nil {
		return err
	}
	s, err := a.model.At(ctx, 0)
	if err != nil { // it is empty, or damaged, and made anew by the projection
		return nil //nolint:nilerr // see there
	}
	a.known = s.Ledger()
	position := s.Seq()
	if err := errors.Join(s.Close(), a.serveHTTP()); err != nil {
		return err
	}
	a.log.Info("pages are shown as they were left, the ledger is being opened", slog.Uint64("seq", position),
		slog.String("pages", a.baseURL), slog.String("http", a.Addr()), slog.String("ops", a.OpsAddr()))
	return nil
}

// serveAll lets requests to everything.
func (a *App) serveAll(context.Context) error {
	if a.health == nil {
		a.known = projections.Ledger{ID: a.opened.Ledger, Authority: a.opened.Authority, Title: a.opened.Title, Description: a.opened.Description}
		if err := a.serveHTTP(); err != nil {
			return err
		}
	}
	a.up.Store(true)
	a.health.Begin(a.checks()...)
	a.doors.spawn("health", func(ctx context.Context) error { return a.health.Run(ctx, a.log.Logger) })
	return nil
}

// starting is why a request for more than the read model cannot be answered yet;
// nil once everything is there. Start writes nothing of the node from then on, so
// who has asked may read all of it.
func (a *App) starting() error {
	if a.up.Load() {
		return nil
	}
	return readhttp.Unavailable("this node is starting: pages are shown as they were left, and its ledger is not open yet; ask again in a moment")
}

// tellStart says in /readyz what the start has come to.
func (a *App) tellStart(what string) {
	if a.health != nil && !a.up.Load() {
		a.health.Starting(fmt.Sprintf("the node is starting (%s): pages are shown as of event %d, nothing is recorded yet", what, a.position()))
	}
}

// tryEvery is how long a start waits before it asks for NATS again.
const tryEvery = time.Second

// patiently does a step again and again while the operator's NATS cannot be
// reached, as one waits for it that is lost later. That is so where there are
// pages to show meanwhile; else the step fails.
func (a *App) patiently(step func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		for told := false; ; {
			err := step(ctx)
			if err == nil || a.cmd.NATS == "" || a.health == nil || !ledger.Unreachable(err) {
				return err
			}
			a.tellStart(err.Error())
			a.systemd.tell(notifyPatience)
			if !told {
				a.log.Warn("pages are shown as they were left until NATS is there", slog.Any("error", err))
				told = true
			}
			select {
			case <-time.After(tryEvery):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// titleOf is the name of the site: the operator's, or the one of the ledger.
func (a *App) titleOf(ledger string) string {
	if a.cmd.Title != "" {
		return a.cmd.Title
	}
	return ledger
}

// openedLedger is the ledger, once it is open.
func (a *App) openedLedger() (*ledger.Ledger, error) {
	if err := a.starting(); err != nil {
		return nil, err
	}
	return a.ledger, nil
}

// ledgerHead is the last event of the ledger, once that is open.
func (a *App) ledgerHead(ctx context.Context) (uint64, error) {
	l, err := a.openedLedger()
	if err != nil {
		return 0, err
	}
	return l.Head(ctx)
}

// storedEvent is an event of the ledger, once that is open.
func (a *App) storedEvent(ctx context.Context, seq uint64) ([]byte, error) {
	l, err := a.openedLedger()
	if err != nil {
		return nil, err
	}
	return l.Get(ctx, seq)
}

// storedEvents are events of the ledger, once that is open.
func (a *App) storedEvents(ctx context.Context, from, to uint64, fn func(seq uint64, raw []byte) error) error {
	l, err := a.openedLedger()
	if err != nil {
		return err
	}
	return l.Read(ctx, from, to, fn)
}

// waitFor waits until an event is shown. It is asked only for one that is in the
// ledger.
func (a *App) waitFor(ctx context.Context, seq uint64) error {
	if err := a.starting(); err != nil {
		return err
	}
	return a.runner.WaitFor(ctx, seq)
}

// writer is what HTTP hands submissions to.
type writer struct{ app *App }

// Submit implements [intake.Recorder].
func (w writer) Submit(ctx context.Context, items []intake.Item, dryRun bool) ([]intake.Receipt, error) {
	if err := w.app.starting(); err != nil {
		return nil, &intake.Refusal{Reason: err.Error(), RetryAfter: time.Second}
	}
	return w.app.recorder.Submit(ctx, items, dryRun)
}

// Count implements [intake.Recorder]. What is refused before there is an intake
// is counted among the requests alone.
func (w writer) Count(via string, receipts ...intake.Receipt) {
	if w.app.starting() == nil {
		w.app.recorder.Count(via, receipts...)
	}
}

// Position implements [intake.Recorder].
func (w writer) Position() uint64 {
	if w.app.starting() != nil {
		return w.app.position()
	}
	return w.app.recorder.Position()
}

// statusOfPages describes a node that is starting: of the ledger it knows what is
// in the read model.
func (a *App) statusOfPages() ops.Status {
	position := a.position()
	return ops.Status{
		Build: a.build, Starting: true,
		Ledger: ops.LedgerStatus{
			ID: a.known.ID, Title: a.titleOf(a.known.Title), Authority: a.known.Authority, Head: position, Events: position,
		},
		NATS: ops.NATSStatus{Embedded: a.cmd.NATS == "", URL: redact.URL(a.cmd.NATS)},
		HTTP: ops.HTTPStatus{Address: a.Addr(), BaseURL: a.baseURL},
		Projections: []ops.ProjectionStatus{{
			Name: a.model.Name(), State: string(projections.StateStarting), Position: position, LagSeconds: projections.FullyBehind.Seconds(),
		}},
	}
}
