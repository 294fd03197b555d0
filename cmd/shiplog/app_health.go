package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"shiplog/ops"
	"shiplog/projections"
)

// checks are what /readyz asks, in the order of the flow.
func (a *App) checks() []ops.Check {
	return []ops.Check{
		{Name: "nats", Fn: a.checkNATS},
		{Name: "streams", Fn: a.checkStreams},
		{Name: "chain", Fn: a.chain.Check},
		{Name: "intake", Fn: a.checkIntake},
		{Name: "read model", Fn: a.checkModel},
		{Name: "disk", Fn: a.checkDisk},
		{Name: "store", Fn: a.checkStore},
	}
}

func (a *App) checkNATS(context.Context) (string, error) {
	if status := a.conn.Status(); status != nats.CONNECTED {
		return "", fmt.Errorf("not connected to %s: %s", a.natsURL(), status)
	}
	if err := a.watch.Err(); err != nil {
		return "", fmt.Errorf("no answer from %s: %w", a.natsURL(), err)
	}
	if err := a.watch.Alone(); err != nil {
		return "", fmt.Errorf("connected to %s, but %w; others may go on without it", a.natsURL(), err)
	}
	if a.server != nil && a.server.Addr() == "" {
		return "connected in process; nobody else can connect", nil
	}
	return "connected to " + a.natsURL(), nil
}

func (a *App) checkStreams(context.Context) (string, error) {
	return "settings are as they must be", a.watch.Drift()
}

func (a *App) checkIntake(context.Context) (string, error) {
	if a.intake == nil {
		return "off on this node", nil
	}
	if err := a.intake.Err(); err != nil {
		return "", mend(told(err))
	}
	if err := a.intake.InboxErr(); err != nil {
		return "", fmt.Errorf("the inbox cannot be read, and what is sent to it waits: %w", told(err))
	}
	return fmt.Sprintf("decided up to event %d", a.intake.Position()), nil
}

// told is an error for people: the client of NATS, which keeps nothing to be sent
// later, calls a connection that is lost a buffer that is full.
func told(err error) error {
	if errors.Is(err, nats.ErrReconnectBufExceeded) {
		return errors.New("NATS is not connected; it goes on when that is back")
	}
	return err
}

// stallAfter is how long a projection may be about one batch, which takes it a
// fraction of a second, before it is said to hang.
const stallAfter = 15 * time.Second

func (a *App) checkModel(ctx context.Context) (string, error) {
	s := a.runner.Status()
	lag := a.lagOf(s.Position)
	behind := fmt.Sprintf("%d behind", lag)
	if lag == 0 && !a.conn.IsConnected() {
		behind = "how far behind is not known"
	}
	detail := fmt.Sprintf("%s at event %d, %s", s.State, s.Position, behind)
	if at, under := a.runner.Rebuilding(); under && a.model.Outdated() {
		detail += fmt.Sprintf("; it was made by another version and is read until this one's, now at event %d, is there", at)
	}
	switch {
	case s.Err != nil:
		return detail, mend(s.Err)
	case time.Since(s.Heartbeat) > stallAfter:
		return detail, fmt.Errorf("%s; it hangs: it has been applying what follows event %d for %s; does the disk that holds it answer?",
			detail, s.Position, time.Since(s.Heartbeat).Round(time.Second))
	case lag > maxLag:
		return detail, errors.New(detail)
	}
	return detail, a.readable(ctx)
}

// readable reads a row of the read model.
func (a *App) readable(ctx context.Context) error {
	s, err := a.model.At(ctx, 0)
	if errors.Is(err, projections.ErrBeforeLedger) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the read model cannot be read: %w", err)
	}
	_, err = s.LastChange(ctx, projections.ScopeAll, "")
	if err = errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("the read model cannot be read: %w", err)
	}
	return nil
}

// mend adds what to do to an error that says the ledger is not what it was.
func mend(err error) error {
	var gap *projections.GapError
	var chain *projections.ChainError
	if errors.As(err, &gap) || errors.As(err, &chain) {
		return fmt.Errorf("%w; the ledger was damaged or replaced: restore nats/ from a backup, or, if this ledger is the right one, stop the node and delete panel/ and decisions/", err)
	}
	return err
}

func (a *App) checkDisk(context.Context) (string, error) {
	space, err := ops.Disk(a.cmd.Data)
	if err != nil {
		return "", err
	}
	detail := fmt.Sprintf("%d MiB free, %d MiB wanted", space.Free>>20, a.minFree>>20)
	if space.Free < a.minFree {
		return detail, errors.New(detail + "; nothing is recorded until there is room")
	}
	return detail, a.probe.Err()
}

// head is the last event this node knows of.
func (a *App) head() uint64 {
	head := max(a.watch.Info().Last, a.position())
	if a.intake != nil {
		head = max(head, a.intake.Position())
	}
	return head
}

// lagOf is how many events a position is behind the last known head.
func (a *App) lagOf(position uint64) uint64 {
	head := a.head()
	return head - min(head, position)
}

// status describes the node to the operator.
func (a *App) status(ctx context.Context) ops.Status {
	if a.starting() != nil {
		return a.statusOfPages()
	}
	info, err := a.ledger.Info(ctx)
	if err != nil {
		info = a.watch.Info() // the last that was known
	}
	s := ops.Status{
		Build: a.build,
		Ledger: ops.LedgerStatus{
			ID: a.opened.Ledger, Title: a.titleOf(a.opened.Title), Authority: a.opened.Authority,
			Head: a.head(), Events: max(info.Messages, a.head()), Bytes: info.Bytes, MaxBytes: info.MaxBytes,
		},
		NATS: ops.NATSStatus{
			Embedded: a.server != nil, Connected: a.conn.IsConnected(), URL: a.natsURL(), Durability: a.durability(info.Replicas),
		},
		HTTP: ops.HTTPStatus{Address: a.Addr(), BaseURL: a.baseURL},
	}
	if t := a.watch.LastAppend(); !t.IsZero() {
		s.Ledger.LastAppend = &t
	}
	s.Inbox.Pending = known(a.ledger.InboxPending(ctx))
	s.Rejected.Count = known(a.ledger.RejectedCount(ctx))
	s.Projections = a.projections(ctx)
	return s
}

// known is a figure, nil where it could not be found out.
func known(n uint64, err error) *uint64 {
	if err != nil {
		return nil
	}
	return &n
}

func (a *App) durability(replicas int) string {
	if a.server != nil {
		return "every write is synced to disk before it is acknowledged"
	}
	copies := "1 replica"
	if replicas != 1 {
		copies = fmt.Sprintf("%d replicas", replicas)
	}
	return copies + "; whether writes are synced is the operator's setting of that NATS (use R3 with sync_interval: always)"
}

func (a *App) projections(ctx context.Context) []ops.ProjectionStatus {
	list := []ops.ProjectionStatus{describe(ctx, a.runner)}
	if a.intake != nil {
		list = append(list, describe(ctx, decided{a}))
	}
	return list
}

func describe(ctx context.Context, w projections.Watched) ops.ProjectionStatus {
	s := w.Status()
	events, age := w.Lag(ctx)
	return ops.ProjectionStatus{
		Name: s.Name, State: string(s.State), Position: s.Position,
		LagEvents: events, LagSeconds: age.Seconds(), Error: text(s.Err),
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
