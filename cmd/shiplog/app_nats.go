package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"shiplog/events"
	"shiplog/events/decisions"
	"shiplog/events/intake"
	"shiplog/events/ledger"
	"shiplog/events/redact"
	"shiplog/ops"
	"shiplog/projections"
)

// cause is the innermost reason of a system error, without the call and the
// path that the message around it names already.
func cause(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return err
}

// openNATS starts the embedded server, or connects to the one of --nats.
func (a *App) openNATS(ctx context.Context) (err error) {
	options := ledger.ConnectOptions{
		URL: a.cmd.NATS, Creds: a.cmd.NATSCreds, TLSCA: a.cmd.NATSTLSCA,
		Name: "shiplog " + a.build.Version, Log: a.log.Logger,
	}
	if a.cmd.NATS != "" {
		a.conn, err = ledger.Connect(ctx, options)
	} else {
		err = a.startServer(ctx, options)
	}
	if err != nil {
		return err
	}
	a.life.push("nats connection", func(context.Context) error {
		a.conn.Close()
		return nil
	})
	return nil
}

func (a *App) startServer(ctx context.Context, options ledger.ConnectOptions) (err error) {
	if a.server, err = a.newServer(ctx); err != nil {
		return err
	}
	a.life.push("nats server", a.server.Close)
	if a.natsRemote() != "" {
		a.log.Warn("the NATS server listens beyond this machine: anyone who reaches it may write as publisher local, all but rules.published, tool.merged, tool.unmerged and reviewer.unseated; mend it with --nats-listen 127.0.0.1:4222, or a firewall",
			slog.String("nats", a.natsURL()))
	}
	a.conn, err = a.server.Connect(options)
	return err
}

// newServer starts the embedded server. It reads all of its state first, and
// cannot be told to give up: where the node is to stop meanwhile, it closes itself
// when it is there, or ends with the process.
func (a *App) newServer(ctx context.Context) (*ledger.Server, error) {
	options := ledger.ServerOptions{Dir: a.path("nats"), Listen: a.cmd.NATSListen, BlockProfile: a.cmd.BlockProfile, Log: a.log.Logger}
	if options.Listen == "off" {
		options.Listen = ""
	}
	type result struct {
		server *ledger.Server
		err    error
	}
	started := make(chan result)
	go func() {
		server, err := ledger.StartServer(options)
		select {
		case started <- result{server, err}:
		case <-ctx.Done():
			if err == nil {
				_ = server.Close(context.WithoutCancel(ctx)) // nobody is there to be told
			}
		}
	}()
	select {
	case r := <-started:
		return r.server, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// natsURL is the address of NATS for people: a name and a password in it are
// not for them.
func (a *App) natsURL() string {
	switch {
	case a.server == nil:
		return redact.URL(a.cmd.NATS)
	case a.server.Addr() == "":
		return "in process only"
	}
	return "nats://" + asGiven(a.cmd.NATSListen, a.server.Addr())
}

// asGiven is the address of a socket with the host that it was asked for with:
// one of 0.0.0.0 calls itself [::].
func asGiven(given, socket string) string {
	host, _, err := net.SplitHostPort(given)
	_, port, socketErr := net.SplitHostPort(socket)
	if err != nil || socketErr != nil || host == "" {
		return socket
	}
	return net.JoinHostPort(host, port)
}

// openLedger opens the streams and reads, or records, event 1.
func (a *App) openLedger(ctx context.Context) (err error) {
	options := ledger.Options{Create: true, MaxBytes: int64(a.cmd.MaxBytes), Server: a.server}
	if a.server == nil {
		options.Replicas = a.cmd.replicas()
	}
	if a.ledger, err = ledger.Open(ctx, a.conn, options); err != nil {
		return err
	}
	if err := a.begin(ctx); err != nil {
		return err
	}
	if a.cmd.Authority != "" && a.cmd.Authority != a.opened.Authority {
		return fmt.Errorf("--authority is %s, but this ledger was opened with %s, which is in every feed id ever given out; leave --authority out", a.cmd.Authority, a.opened.Authority)
	}
	a.watch = ops.NewLedgerWatch(a.reg, a.ledger, ops.DiskWatch{Dir: a.cmd.Data, MinFree: a.minFree}, a.log.Logger)
	if !a.cmd.Bare {
		a.life.spawn("stream watch", ops.NewStreamWatch(a.reg, a.ledger).Run)
	}
	a.life.spawn("ledger watch", func(ctx context.Context) error {
		a.watch.Run(ctx)
		return nil
	})
	return nil
}

// begin reads, or records, event 1. Where the ledger does not begin with it any more,
// pages that are shown stay, as they tell what it held; where there are none the
// start ends.
func (a *App) begin(ctx context.Context) (err error) {
	a.opened, err = a.found(ctx)
	if err == nil || a.health == nil || !errors.Is(err, intake.ErrBeginning) && !errors.Is(err, errEmptied) {
		return err
	}
	a.damage = fmt.Errorf("%w; then start the node again", err)
	a.log.Error("pages stay as they were left, and nothing is recorded", slog.Any("error", a.damage))
	a.opened = &events.LedgerOpened{Ledger: a.known.ID, Authority: a.known.Authority, Title: a.known.Title, Description: a.known.Description}
	return nil
}

func (a *App) found(ctx context.Context) (*events.LedgerOpened, error) {
	if err := a.knowsAnother(ctx); err != nil {
		return nil, err
	}
	id := uuid.NewString()
	founding := intake.Founding{Ledger: id, Authority: a.authority(id), Title: a.cmd.Title}
	if founding.Title == "" {
		founding.Title = "Shiplog"
	}
	return intake.Found(ctx, a.ledger, founding, time.Now())
}

// errEmptied is why no ledger is begun in an empty stream.
var errEmptied = errors.New("the ledger is empty")

// knowsAnother refuses to begin a new ledger where this node's derived state was
// made from another: nats/ is missing or was emptied, and a backup belongs in
// its place.
func (a *App) knowsAnother(ctx context.Context) error {
	head, err := a.ledger.Head(ctx)
	if err != nil || head > 0 {
		return err
	}
	for _, derived := range []string{"panel", "decisions"} {
		if holdsAnything(a.path(derived)) {
			return fmt.Errorf("%w, but %s was made from one that was not; restore nats/ from a backup, or delete panel/ and decisions/ to begin a new ledger", errEmptied, a.path(derived))
		}
	}
	return nil
}

// holdsAnything says whether something was made in a folder. The folder may be
// the root of a disk of its own, which mkfs gives a lost+found.
func holdsAnything(dir string) bool {
	entries, _ := os.ReadDir(dir) // one that cannot be read is told of when it is used
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != "lost+found" })
}

func (a *App) authority(id string) string {
	if a.cmd.Authority != "" {
		return a.cmd.Authority
	}
	if name := publicName(a.baseURL); name != "" {
		return name
	}
	return id + ".invalid"
}

// maxLag is how many events the read model may be behind before the intake
// waits for it.
const maxLag = 50_000

// startIntake opens the decision state and the ways in.
func (a *App) startIntake(context.Context) (err error) {
	if a.cmd.Intake == "off" {
		a.recorder = intake.NewForwarder(a.conn, a.position, a.reg, a.spans)
		return nil
	}
	if a.store, err = decisions.Open(a.path("decisions")); err != nil {
		return err
	}
	a.life.push("decision state", a.closeDecisions)
	a.intake = intake.New(a.ledger, a.store, intake.Options{
		Admit:        a.admit,
		Shared:       a.server == nil,
		Room:         a.room,
		RoomToRefold: func() error { return a.roomFor("decisions") },
		Intact:       a.serverIntact,
		Fault:        a.serverFault,
		Registerer:   a.reg,
		Stopped:      a.noteStop,
		Tracer:       a.spans,
		Unmeasured:   a.cmd.Bare,
		Memo:         &a.memo,
	})
	a.recorder = a.intake
	a.life.spawn("intake", a.intake.Run)
	if a.measures != nil {
		a.measures.Watch("decisions", decided{a})
	}
	return a.startWaysIn()
}

// noteStop tells the operator why nothing is decided.
func (a *App) noteStop(position uint64, err error) {
	if _, missing := errors.AsType[*ledger.GapError](err); missing {
		a.measures.Gap()
	}
	a.log.Error("intake stopped", slog.Uint64("position", position), slog.Any("error", mend(err)))
}

// closeDecisions closes the decision state. That it could not be written, as on a
// full disk, is no failure: the next start folds what it lacks.
func (a *App) closeDecisions(ctx context.Context) error {
	err := a.store.Close()
	if errors.Is(err, decisions.ErrNotFlushed) {
		a.log.LogAttrs(ctx, slog.LevelWarn, "decision state not written at the end; nothing is lost", slog.Any("error", err))
		return nil
	}
	return err
}

// startWaysIn opens the ways in over NATS. They are closed before the intake
// is, so that what they hold is still answered.
func (a *App) startWaysIn() error {
	service, err := intake.StartService(a.intake, a.conn, intake.ServiceOptions{
		Version: semantic(a.build.Version), Metadata: map[string]string{"version": a.build.Version, "revision": a.build.Revision},
		Remote: a.natsRemote(), Tracer: a.spans,
	})
	if err != nil {
		return err
	}
	a.life.push("nats service", func(context.Context) error { return service.Close() })
	a.life.spawn("inbox", func(ctx context.Context) error {
		intake.RunInbox(ctx, a.intake, a.ledger, intake.InboxOptions{Log: a.log.Logger, Remote: a.natsRemote(), Tracer: a.spans})
		return nil
	})
	return nil
}

// natsRemote says why what comes by NATS does not count as coming from this
// machine, "" when it does. Who may connect to a NATS of the operator's own is
// the operator's decision.
func (a *App) natsRemote() string {
	if a.server == nil || a.server.Addr() == "" {
		return ""
	}
	if onLoopback(a.server.Addr()) {
		return ""
	}
	return "this server's NATS listens beyond it (--nats-listen " + a.cmd.NATSListen + ")"
}

// semantic is a version as NATS services want it, "" when it is none.
func semantic(version string) string {
	v := strings.TrimPrefix(version, "v")
	if !semanticVersion.MatchString(v) {
		return ""
	}
	return v
}

var semanticVersion = regexp.MustCompile(`^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$`)

// admit refuses submissions while something is out of order.
func (a *App) admit() *intake.Refusal {
	refuse := func(reason string) *intake.Refusal {
		return &intake.Refusal{Reason: redact.Paths(reason), RetryAfter: 5 * time.Second}
	}
	if err := a.sound(); err != nil {
		return refuse(err.Error())
	}
	if err := a.unwritable(); err != nil {
		return refuse(err.Error())
	}
	if a.server != nil && a.probe.Hangs() != nil {
		return refuse(intake.Reason(ledger.ErrHangs))
	}
	// One that waits for room to be built anew is only behind.
	if err := a.runner.Status().Err; err != nil && !projections.WaitsForRoom(err) {
		return refuse("the read model has stopped: " + err.Error())
	}
	if a.watch.LowDisk() {
		return refuse(a.lowDisk().Error())
	}
	if lag := a.lag(); lag > maxLag {
		return &intake.Refusal{
			Busy: true, RetryAfter: time.Second,
			Reason: fmt.Sprintf("pages are %d events behind; send again when they have caught up", lag),
		}
	}
	return nil
}

// lag is how many events the read model is behind this node's last commit.
func (a *App) lag() uint64 {
	position, applied := a.intake.Position(), a.runner.Status().Position
	if applied >= position {
		return 0
	}
	return position - applied
}
