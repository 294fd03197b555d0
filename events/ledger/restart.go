package ledger

import (
	"errors"
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
	health := s.running().Healthz(&server.HealthzOptions{JSEnabledOnly: false, Details: true})
	if len(health.Errors) == 0 {
		return nil
	}
	faults := make([]string, len(health.Errors))
	for i, e := range health.Errors {
		faults[i] = e.Error
	}
	return errors.New(strings.Join(faults, "; "))
}

// Restart shuts the server down and starts it anew on what the disk holds, with
// the same address. Connections of [Server.Connect] come back by themselves; all
// else that was open on them, such as consumers, is for their users to open
// again. After an error no server runs, and Restart may be tried again.
func (s *Server) Restart() error {
	s.shutdown()
	options, err := s.serverOptions()
	if err != nil {
		return err
	}
	return s.start(options)
}
