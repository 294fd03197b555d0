package main

import (
	"context"
	"errors"

	"shiplog/ops"
	"shiplog/ops/verify"
)

// openChain makes what re-reads the ledger while the node serves.
func (a *App) openChain(context.Context) error {
	a.chain = ops.NewChainWatch(a.ledger, ops.ChainOptions{Fault: a.damage, Gap: func() { a.measures.Gap() }, Log: a.log.Logger})
	return nil
}

// startChain begins to re-read the ledger.
func (a *App) startChain(context.Context) error {
	a.life.spawn("chain", func(ctx context.Context) error {
		a.chain.Run(ctx)
		return nil
	})
	return nil
}

// sound is why nothing may be made from the ledger or added to it, nil where
// all is well: its streams are as they must be, and no event was found damaged.
func (a *App) sound() error {
	if err := a.watch.Drift(); err != nil {
		return err
	}
	return a.chain.Fault()
}

var errVerifying = errors.New("this node is being verified already; wait for that to end")

// verify re-reads everything. One at a time: what is folded anew takes room.
func (a *App) verify(ctx context.Context, chain bool, progress func(verify.Progress)) (verify.Report, error) {
	if err := a.starting(); err != nil {
		return verify.Report{}, err
	}
	if !a.verifying.TryLock() {
		return verify.Report{}, errVerifying
	}
	defer a.verifying.Unlock()
	if a.model.Outdated() && !chain {
		progress(verify.Progress{Doing: "waiting for the read model of this version"})
		if err := a.runner.WaitLive(ctx); err != nil {
			return verify.Report{}, err
		}
	}
	o := verify.Options{Ledger: a.ledger, Dir: a.path(verifyDir), Progress: progress}
	if !chain {
		o.Model, o.Decisions = a.model, a.store
	}
	return verify.Run(ctx, o)
}
