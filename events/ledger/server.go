package ledger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const (
	// startTimeout bounds the start. Recovering a large store takes its time.
	startTimeout = 5 * time.Minute

	// maxStore is above any disk: the streams have limits of their own, and the
	// server's default, three quarters of the free disk, would refuse to create
	// a stream for more than is free today.
	maxStore = 1 << 60

	// maxMemory bounds streams in memory, of which there are none.
	maxMemory = 64 << 20
)

// ServerOptions configure [StartServer].
type ServerOptions struct {
	// Dir is NATS's own folder. It is created, and locked while the server runs.
	Dir string

	// Listen is the address for clients from outside, such as 127.0.0.1:4222;
	// port 0 takes a free one. Empty: in-process connections only.
	Listen string

	// BlockProfile is the rate of the process's profile of blocking, which the
	// server sets anew whenever it starts.
	BlockProfile time.Duration

	// Log takes what the server has to say; nil discards it.
	Log *slog.Logger
}

// A Server is the embedded NATS server. It syncs every write before it
// acknowledges it.
type Server struct {
	options   ServerOptions
	passwords passwords
	lock      *Lock
	staging   *staging
	journal   *journal
	stored    atomic.Bool // the ledger's files were seen
	changes   atomic.Int64
	changing  chan struct{}         // taken while one is made
	unsound   atomic.Pointer[error] // why what is shown may not be on disk

	mu     sync.RWMutex
	server *server.Server // the one that runs, or ran last
}

// StartServer starts the server and returns when it takes connections. Its
// errors are one line and say what would mend them.
func StartServer(o ServerOptions) (*Server, error) {
	s := &Server{options: o, passwords: newPasswords(), changing: make(chan struct{}, 1)}
	options, err := s.serverOptions()
	if err != nil {
		return nil, err
	}
	if s.lock, err = LockDir(o.Dir); err != nil {
		return nil, err
	}
	s.staging = newStaging(o.Dir)
	if s.journal, err = openJournal(o.Dir); err != nil {
		s.lock.Close()
		return nil, err
	}
	if err = SweepProbes(o.Dir); err == nil {
		err = s.start(options)
	}
	if err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// release gives back what the server held beside its files.
func (s *Server) release() {
	s.staging.close()
	s.journal.close()
	s.lock.Close()
}

// serverOptions are the server's options in its own words.
func (s *Server) serverOptions() (*server.Options, error) {
	options := &server.Options{}
	if err := addAccounts(options, s.passwords); err != nil {
		return nil, err
	}
	return options, setOptions(options, s.options)
}

// setOptions sets everything but the accounts.
func setOptions(options *server.Options, o ServerOptions) error {
	options.ServerName = "shiplog"
	options.NoSigs = true
	options.DisableJetStreamBanner = true
	options.MaxPayload = MaxPayload
	options.JetStream = true
	options.StoreDir = o.Dir
	options.SyncAlways = true
	options.JetStreamMaxStore = maxStore
	options.JetStreamMaxMemory = maxMemory
	options.ProfBlockRate = int(o.BlockProfile)
	if o.Listen == "" {
		options.DontListen = true
		return nil
	}
	return setListen(options, o.Listen)
}

// setListen takes the address apart and makes sure that it is free: the server
// itself would only log that it is not.
func setListen(options *server.Options, listen string) error {
	host, portText, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("--nats-listen %s: %w; give it as HOST:PORT", listen, err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return fmt.Errorf("--nats-listen %s: the port must be a number up to 65535", listen)
	}
	options.Host, options.Port = host, int(port)
	if port == 0 {
		options.Port = server.RANDOM_PORT
	}
	probe, err := net.Listen("tcp", listen)
	if err != nil {
		return listenError(listen, err)
	}
	return probe.Close()
}

func listenError(listen string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("NATS cannot listen on %s: the port is in use; choose another with --nats-listen, or none with --nats-listen off", listen)
	}
	return fmt.Errorf("NATS cannot listen on %s: %w; choose another address with --nats-listen", listen, err)
}

// start starts a server and waits until it is ready.
func (s *Server) start(options *server.Options) error {
	log := s.log()
	started, err := server.NewServer(options)
	if err != nil {
		return fmt.Errorf("start the NATS server: %w", err)
	}
	lines := &serverLog{log: log}
	started.SetLoggerV2(lines, log.Enabled(context.Background(), slog.LevelDebug-4), false, false)
	// Start returns when the store is recovered, or after a fatal log line.
	started.Start()
	fatal := lines.fatalError()
	if fatal == "" && !started.ReadyForConnections(startTimeout) {
		fatal = lines.fatalError() + "not ready after " + startTimeout.String()
	}
	if fatal != "" {
		started.Shutdown()
		started.WaitForShutdown()
		return fmt.Errorf("start the NATS server in %s: %s", s.options.Dir, fatal)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server = started
	if s.options.Listen != "" {
		// The port that was taken is the one to come back on.
		s.options.Listen = started.Addr().String()
	}
	return nil
}

func (s *Server) log() *slog.Logger {
	if s.options.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.options.Log
}

func (s *Server) running() *server.Server {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.server
}

// Addr is the address the server listens on, empty if it does not.
func (s *Server) Addr() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.options.Listen
}

// InProcessConn is a new connection to the server that runs now. It makes a
// Server what nats.go connects to within the process, also after a restart.
func (s *Server) InProcessConn() (net.Conn, error) { return s.running().InProcessConn() }

// Connect opens a connection within the process, with every permission.
// [ConnectOptions.URL] and the credentials are not used.
func (s *Server) Connect(o ConnectOptions) (*nats.Conn, error) {
	options := append(o.options(),
		nats.InProcessServer(s),
		nats.UserInfo(ownUser, s.passwords.own),
	)
	nc, err := nats.Connect("", options...)
	if err != nil {
		return nil, fmt.Errorf("connect to the embedded NATS server: %w", err)
	}
	return nc, nil
}

// Close shuts the server down, waiting for its files to be closed until the
// context ends. Close every connection first.
func (s *Server) Close(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.shutdown()
		s.release()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close the NATS server: %w", context.Cause(ctx))
	}
}

func (s *Server) shutdown() {
	running := s.running()
	running.Shutdown()
	running.WaitForShutdown()
}
