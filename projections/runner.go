package projections

import (
	"context"
	"time"
)

// State is what a runner is doing.
type State string

// The states of a runner.
const (
	StateStarting   State = "starting"
	StateCatchingUp State = "catching_up"
	StateLive       State = "live"
	StateStopped    State = "stopped"
)

// Status is what a runner tells about itself.
type Status struct {
	Name      string
	State     State
	Position  uint64
	Err       error     // why it stopped
	Heartbeat time.Time // last time the runner was seen working or waiting
	Applied   time.Time // when the last event was applied; zero before any
	LiveSince time.Time // when it first caught up; zero before
}

// Runner feeds a projection from the ledger.
type Runner struct{}

// Status is the current status.
func (r *Runner) Status() Status { return Status{} }

// WaitFor blocks until the event at seq is applied. It returns the error of
// ctx, or the error that stopped the projection.
func (r *Runner) WaitFor(ctx context.Context, seq uint64) error { return errUnbuilt }
