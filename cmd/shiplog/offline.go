package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"shiplog/events/ledger"
	"shiplog/events/redact"
)

// storeFlags say where a ledger is that no node is asked for. Where the ledger of
// a node is does not say that the node is to be passed by, so that the first two
// have variables of their own and stand in the command's own section of a file.
type storeFlags struct {
	Data      string `own:"" env:"SHIPLOG_OFFLINE_DATA" placeholder:"DIR" help:"Data directory of a node that is stopped."`
	NATS      string `name:"nats" own:"" env:"SHIPLOG_OFFLINE_NATS" placeholder:"URL" help:"NATS that keeps the ledger."`
	NATSCreds string `name:"nats-creds" type:"existingfile" placeholder:"FILE" help:"Credentials for --nats."`
	NATSTLSCA string `name:"nats-tls-ca" type:"existingfile" placeholder:"FILE" help:"Certificate authority for --nats."`
}

// A store is a ledger that was opened without a node.
type store struct {
	ledger *ledger.Ledger
	server *ledger.Server // nil with --nats
	life   *lifecycle
}

// open opens the ledger, of --nats if that is given. A data directory is kept
// from other processes until the store is closed.
func (f storeFlags) open(ctx context.Context, o ledger.Options) (_ *store, err error) {
	s := &store{life: &lifecycle{log: slog.New(slog.DiscardHandler)}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if f.Data != "" {
		if err := s.lock(f.Data, o.Create); err != nil {
			return nil, err
		}
	}
	conn, err := f.connect(ctx, s, o.Create)
	if err != nil {
		return nil, err
	}
	s.life.push("nats connection", func(context.Context) error {
		conn.Close()
		return nil
	})
	o.Server = s.server
	s.ledger, err = ledger.Open(ctx, conn, o)
	if errors.Is(err, ledger.ErrNoLedger) {
		return nil, fmt.Errorf("there is no ledger in %s", f.where())
	}
	return s, err
}

// where names the place for people.
func (f storeFlags) where() string {
	if f.NATS != "" {
		return redact.URL(f.NATS)
	}
	return f.Data
}

func (s *store) lock(dir string, create bool) error {
	if _, err := os.Stat(dir); !create && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no directory %s; name the data directory of the node with --data", dir)
	}
	lock, err := ledger.LockDir(dir)
	if errors.Is(err, ledger.ErrLocked) {
		return fmt.Errorf("data directory %s is in use by a running node; stop that node first, or leave --data out where the command can ask it", dir)
	}
	if err != nil {
		return fmt.Errorf("data directory %s: %w", dir, cause(err))
	}
	s.life.push("data directory", func(context.Context) error { return lock.Close() })
	return nil
}

func (f storeFlags) connect(ctx context.Context, s *store, create bool) (*nats.Conn, error) {
	options := ledger.ConnectOptions{URL: f.NATS, Creds: f.NATSCreds, TLSCA: f.NATSTLSCA, Name: "shiplog"}
	if f.NATS != "" {
		return ledger.Connect(ctx, options)
	}
	dir := filepath.Join(f.Data, "nats")
	if _, err := os.Stat(dir); !create && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no ledger in %s", f.Data)
	}
	server, err := ledger.StartServer(ledger.ServerOptions{Dir: dir})
	if err != nil {
		return nil, err
	}
	s.server = server
	s.life.push("nats server", server.Close)
	return server.Connect(options)
}

func (s *store) close() error { return s.life.stop(time.Now().Add(stopTimeout)) }
