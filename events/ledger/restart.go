package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// Fault is what keeps the server from writing, nil when nothing does.
//
// A stream whose file could not be written takes nothing more, and does not
// answer who publishes to it, until the server is started anew, however much
// room there is on the disk by then; and after a refused permission, or a full
// disk, JetStream as a whole is off.
func (s *Server) Fault() error {
	if err := s.Intact(); err != nil {
		return err
	}
	running := s.running()
	var faults []string
	for _, e := range running.Healthz(&server.HealthzOptions{Details: true}).Errors {
		// Not to be ready for connections is what it also says of itself when it was
		// not given a processor within a millisecond.
		if e.Type != server.HealthzErrorConn || !running.Running() {
			faults = append(faults, e.Error)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(faults, "; "))
}

// Restart shuts the server down and starts it anew on what the disk holds, with
// the same address. Connections of [Server.Connect] come back by themselves; all
// else that was open on them, such as consumers, is for their users to open
// again. After an error no server runs, and Restart may be tried again.
func (s *Server) Restart() error {
	if err := s.Intact(); err != nil {
		return err // it would begin a new, empty store
	}
	s.shutdown()
	options, err := s.serverOptions()
	if err != nil {
		return err
	}
	if err := s.start(options); err != nil {
		return err
	}
	if s.staging.inUse.Load() {
		s.staging.use() // what was in it is in the stream now
	}
	return nil
}

// Intact tells whether the server's folder is still the one it was started in:
// a file that was deleted, or lies on a disk that was taken away, can be written
// for a while, and nothing of it stays.
func (s *Server) Intact() error {
	if err := s.lock.intact(); err != nil {
		return vanished(s.options.Dir, err)
	}
	store := filepath.Join(s.options.Dir, server.JetStreamStoreDir, ownAccount, "streams", Stream, "msgs")
	_, err := os.Stat(store)
	switch {
	case err == nil:
		s.stored.Store(true)
	case s.stored.Load():
		return vanished(store, err)
	}
	return nil
}

func vanished(dir string, err error) error {
	return fmt.Errorf("%s was taken away while the node ran: %w; stop the node, bring the folder back, and start again", dir, err)
}

// probeBytes is how much is written to see whether anything can be.
const probeBytes = 1 << 20

// Writable tries whether the server's folder takes a file.
func (s *Server) Writable() error {
	if err := Probe(s.options.Dir, probeBytes); err != nil {
		return fmt.Errorf("write to %s: %w", s.options.Dir, err)
	}
	return nil
}
