package ledger

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

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
	s.journal.open.Store(true)
	staged := s.staging.inUse.Load()
	if err := s.start(options); err != nil {
		return err
	}
	if staged {
		s.stage()
	}
	return nil
}

// stage has batches staged in memory, if it can be.
func (s *Server) stage() {
	if err := s.staging.use(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		s.log().Info("batches are staged on disk, which is slower than in memory", slog.Any("why", err))
	}
}

// Changeable tells whether the file system still takes changes. One that has met an
// error takes none (ext4: errors=remount-ro), and may have answered a sync with
// success while it became so: a sync that finds its transaction gone has nothing to
// wait for. Asked after what was acknowledged, it tells of that, and from then on
// the folder is not intact: what the server shows is not all on disk, and only a
// new process on a file system that was checked sees what is.
//
// It changes the size of the lock's file, which, unlike a change of its times,
// fails where there is no transaction to be had. A disk that hangs is waited for no
// longer than [changePatience].
func (s *Server) Changeable() error {
	err := s.change()
	if err == nil {
		return nil
	}
	err = fmt.Errorf("the file system of %s takes no changes: %w", s.options.Dir, err)
	if errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EIO) {
		err = fmt.Errorf("%w; stop the node, have the file system checked, and start again", err)
		s.unsound.Store(&err)
	}
	return err
}

// change makes one change, in the background: the call cannot be taken back.
func (s *Server) change() error {
	select {
	case s.changing <- struct{}{}:
	default:
		return ErrHangs
	}
	done := make(chan error, 1)
	go func() {
		err := s.lock.file.Truncate(s.changes.Add(1) % mostChanges)
		<-s.changing
		done <- err
	}()
	late := time.NewTimer(changePatience)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return ErrHangs
	}
}

const changePatience = 2 * time.Second

// mostChanges bounds the size of that file, of which nothing is on disk.
const mostChanges = 1 << 20

// Intact tells whether the server's folder is still the one it was started in:
// a file that was deleted, or lies on a disk that was taken away, can be written
// for a while, and nothing of it stays.
func (s *Server) Intact() error {
	if err := s.unsound.Load(); err != nil {
		return *err
	}
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
