package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events"
	"shiplog/events/decisions"
	"shiplog/events/intake"
	"shiplog/events/ledger"
	"shiplog/events/tracing"
	"shiplog/ops"
	"shiplog/projections"
)

// App is one node: everything that `shiplog serve` runs. Tests use it as
// serve does, on port 0.
type App struct {
	cmd   ServeCmd
	build ops.Build
	log   *ops.Log
	life  *lifecycle
	doors *lifecycle // what requests come in by: it ends first
	reg   *prometheus.Registry
	spans *tracing.Tracer // nil where traces are off

	profiles *ops.Profiles
	systemd  *supervisor

	server *ledger.Server // nil with --nats
	conn   *nats.Conn
	ledger *ledger.Ledger
	opened *events.LedgerOpened
	damage error // of the ledger's beginning, found when it was opened
	watch  *ops.LedgerWatch
	chain  *ops.ChainWatch

	store    *decisions.Store
	intake   *intake.Intake  // nil with --intake off
	recorder intake.Recorder // the intake, or what hands on to another node's
	model    *projections.Model
	runner   *projections.Runner
	measures *projections.Metrics
	memo     events.Memo // from the intake to the read model

	rebuilder *rebuilder
	fault     atomic.Pointer[error] // what keeps the embedded server from writing

	public  net.Listener
	private net.Listener
	baseURL string
	known   projections.Ledger // as the pages tell of it
	minFree uint64
	probe   *ops.DiskProbe
	health  *ops.Health   // nil before anything is served
	token   func() string // the write token; nil for none
	up      atomic.Bool   // see starting

	verifying sync.Mutex // held while the node is being verified
}

// NewApp is a node that is not started.
func NewApp(cmd ServeCmd, build ops.Build, log *ops.Log) *App {
	return &App{
		cmd: cmd, build: build, log: log, reg: ops.NewRegistry(build),
		life: &lifecycle{log: log.Logger}, doors: &lifecycle{log: log.Logger},
	}
}

// Start brings the node up in named steps and returns when it serves. After an
// error, Stop undoes what was done.
func (a *App) Start(ctx context.Context) error {
	for _, s := range []task{
		{"flags", a.checkFlags, startTimeout},
		{"supervisor", a.startSupervisor, startTimeout},
		{"traces", a.startTraces, startTimeout},
		{"profiles", a.startProfiles, startTimeout},
		{"listen", a.listen, startTimeout},
		{"data directory", a.openData, startTimeout},
		{"pages", a.showPages, startTimeout},
		{"nats", a.patiently(a.openNATS), asLongAsItTakes},
		{"ledger", a.patiently(a.openLedger), asLongAsItTakes},
		{"chain", a.openChain, startTimeout},
		{"read model", a.startProjections, startTimeout},
		{"intake", a.startIntake, startTimeout},
		{"hub", a.startHerald, startTimeout},
		{"chain check", a.startChain, startTimeout},
		{"operations", a.startOperations, startTimeout},
		{"http", a.serveAll, startTimeout},
		{"demo", a.fillDemo, startTimeout},
	} {
		a.tellStart(s.name)
		start := time.Now()
		if err := s.run(ctx); err != nil {
			return err
		}
		a.life.note(ctx, "started", s.name, time.Since(start))
	}
	a.log.Info("serving", slog.String("pages", a.baseURL), slog.String("http", a.Addr()),
		slog.String("ops", a.OpsAddr()), slog.String("nats", a.natsURL()))
	a.systemd.tell(notifyReady)
	return nil
}

// Stop ends the node: what was accepted is stored, nothing else was promised. What
// does not end, or not in time, is logged by name.
func (a *App) Stop() error {
	by := time.Now().Add(stopTimeout)
	a.systemd.tell(notifyStopping)
	if a.health != nil {
		a.health.Close()
	}
	serving := a.health != nil
	if serving {
		a.log.Info("stopping", slog.Int("parts", len(a.doors.steps)+len(a.life.steps)))
	}
	a.drain()
	err := errors.Join(a.doors.stop(by), a.life.stop(by))
	switch {
	case err != nil:
		a.log.Error("ended, but not everything was stopped")
	case serving:
		a.log.Info("stopped")
	}
	return err
}

// drain goes on serving, unready, until who sends readers here has seen it.
func (a *App) drain() {
	if a.up.Load() && a.cmd.DrainDelay > 0 {
		a.log.Info("unready, and serving still", slog.Duration("for", a.cmd.DrainDelay))
		<-time.After(a.cmd.DrainDelay)
	}
}

// Addr is the public listener's address.
func (a *App) Addr() string { return a.public.Addr().String() }

// OpsAddr is the operator's listener's address.
func (a *App) OpsAddr() string { return a.private.Addr().String() }

// checkFlags refuses what can be seen to be wrong before anything is opened:
// event 1 is for ever.
func (a *App) checkFlags(context.Context) (err error) {
	if a.cmd.Authority != "" && !isAuthority(a.cmd.Authority) {
		return fmt.Errorf("--authority %q is no domain name; it goes into every feed id, for ever: write one you own, such as reviews.example.org", a.cmd.Authority)
	}
	if a.cmd.WriteTokenFile != "" {
		if a.token, err = intake.TokenFile(a.cmd.WriteTokenFile); err != nil {
			return err
		}
	}
	if err := a.cmd.checkNumbers(); err != nil {
		return err
	}
	if a.cmd.Intake == "off" && a.cmd.NATS == "" {
		return errors.New("--intake off leaves nobody to decide on an embedded ledger; use it with --nats, beside a node that decides")
	}
	return nil
}

// listen takes the ports first: whoever holds one is told at once.
func (a *App) listen(context.Context) (err error) {
	if a.public, err = a.listenOn(a.cmd.HTTP, "--http"); err != nil {
		return err
	}
	if a.private, err = a.listenOn(a.cmd.Ops, "--ops"); err != nil {
		return err
	}
	if !onLoopback(a.OpsAddr()) {
		a.log.Warn("the ops listener can be reached from other machines: anyone who reaches it may rebuild, skip, export and see profiles; mend it with --ops 127.0.0.1:9464, or a firewall",
			slog.String("ops", asGiven(a.cmd.Ops, a.OpsAddr())))
	}
	a.baseURL, err = a.cmd.baseURL(a.public.Addr())
	return err
}

// onLoopback tells whether only this machine reaches a socket.
func onLoopback(socket string) bool {
	host, _, err := net.SplitHostPort(socket)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

func (a *App) listenOn(addr, flag string) (net.Listener, error) {
	if !isAddress(addr) {
		return nil, fmt.Errorf("%s %s is no address; write HOST:PORT, such as 127.0.0.1:8080", flag, addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		mend := "choose"
		if errors.Is(err, syscall.EADDRINUSE) {
			mend = "stop what uses it or choose"
		}
		return nil, fmt.Errorf("cannot listen on %s: %w; %s another address with %s", addr, cause(err), mend, flag)
	}
	a.life.push("listener "+flag, func(context.Context) error {
		_ = l.Close() // the server that used it may have closed it already
		return nil
	})
	return l, nil
}

// isAddress tells whether a socket can have the address: HOST:PORT, with a port
// that is a number or the name of a service.
func isAddress(addr string) bool {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	_, err = net.LookupPort("tcp", port)
	return err == nil
}

// roomToStart is how many bytes a disk must take for a node to start.
const roomToStart = 1 << 20

// openData makes the data directory and keeps other processes out of it.
func (a *App) openData(context.Context) error {
	dir := a.cmd.Data
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("cannot make the data directory %s: %w; choose another with --data", dir, cause(err))
	}
	lock, err := ledger.LockDir(dir)
	if err != nil {
		return fmt.Errorf("data directory %w", err)
	}
	a.life.push("data directory", func(context.Context) error { return lock.Close() })
	if err := ledger.SweepProbes(dir); err != nil {
		return err
	}
	// Neither database opens where it cannot write, and one of them would wait.
	if err := ledger.Probe(dir, roomToStart); err != nil {
		return fmt.Errorf("the data directory %s takes no file: %w; a node needs some room to start: make room there, then start it again", dir, cause(err))
	}
	disk, err := ops.Disk(dir)
	if err != nil {
		return err
	}
	a.probe = ops.NewDiskProbe(dir)
	a.life.spawn("disk probe", func(ctx context.Context) error {
		a.probe.Run(ctx)
		return nil
	})
	a.minFree = uint64(a.cmd.MinFree)
	if a.minFree == 0 {
		a.minFree = ops.DefaultMinFree(disk.Total)
	}
	if a.minFree > disk.Total {
		a.log.Warn("nothing can be recorded: --min-free is larger than the disk", slog.String("data", dir),
			slog.String("min_free", humanize.IBytes(a.minFree)), slog.String("disk", humanize.IBytes(disk.Total)))
	}
	return nil
}

func (a *App) path(name string) string { return filepath.Join(a.cmd.Data, name) }

// serveHTTP serves both listeners.
func (a *App) serveHTTP() error {
	handler, err := a.publicHandler()
	if err != nil {
		return err
	}
	a.health = ops.NewHealth(time.Now)
	a.tellStart("pages")
	if err := ops.RegisterNode(a.reg, a.health, ops.DiskWatch{Dir: a.cmd.Data, MinFree: a.minFree}); err != nil {
		return err
	}
	if err := a.log.Register(a.reg); err != nil {
		return err
	}
	ending, end := context.WithCancel(context.Background())
	admin := &ops.Admin{
		Registry: a.reg, Health: a.health, Status: a.status, Ledger: a.openedLedger, Log: a.log, Profiles: a.profiles, Operations: a.operations(),
		Verify: a.verify, Ending: ending, Names: a.ownNames(),
	}
	a.serve("ops listener", a.private, admin.Handler())
	a.doors.push("long requests", func(context.Context) error {
		end()
		return nil
	})
	a.serve("public listener", a.public, handler)
	return nil
}

// ownNames are the machine's name and the one that the ops listener was given.
func (a *App) ownNames() (names []string) {
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	if name, _, err := net.SplitHostPort(a.cmd.Ops); err == nil && name != "" {
		names = append(names, name)
	}
	return names
}

// The bounds of a connection. A request's body has a bound of its own.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
)

func (a *App) serve(name string, l net.Listener, h http.Handler) {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); err != nil && err != http.ErrServerClosed {
			a.log.Error("stopped serving", slog.String("part", name), slog.Any("error", err))
		}
	}()
	a.doors.push(name, func(ctx context.Context) error {
		err := server.Shutdown(ctx)
		if err != nil {
			_ = server.Close()
		}
		<-done
		return err
	})
}
