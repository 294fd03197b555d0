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
