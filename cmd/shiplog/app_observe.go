package main

import (
	"context"

	"shiplog/ops"
)

// startTraces begins to send traces, where they are wanted. It is done first, so
// that what ends later than everything else is still sent.
func (a *App) startTraces(ctx context.Context) error {
	if !ops.TracesWanted(a.cmd.OTLPEndpoint) {
		return nil
	}
	traces, err := ops.StartTraces(ctx, ops.TraceOptions{Endpoint: a.cmd.OTLPEndpoint, Build: a.build, Registry: a.reg, Log: a.log.Logger})
	if err != nil {
		return err
	}
	a.spans = traces.Tracer
	a.life.push("traces", traces.Close)
	return nil
}

// startProfiles begins to record what profiles are made from.
func (a *App) startProfiles(context.Context) (err error) {
	a.profiles, err = ops.StartProfiles(ops.ProfileOptions{
		Flight: a.cmd.FlightRecorder, MutexFraction: a.cmd.MutexProfile, BlockRate: a.cmd.BlockProfile,
	})
	if err != nil {
		return err
	}
	a.life.push("profiles", func(context.Context) error {
		a.profiles.Close()
		return nil
	})
	return nil
}

// startSupervisor begins to tell systemd, if that runs the node, how it is.
func (a *App) startSupervisor(context.Context) error {
	if a.systemd = newSupervisor(); a.systemd == nil {
		return nil
	}
	a.life.push("supervisor", func(context.Context) error {
		a.systemd.close()
		return nil
	})
	a.life.spawn("watchdog", a.systemd.run)
	return nil
}
