package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// garbage is how much is let lie before it is collected. A share of what is in
	// use, as Go has it, is too little for a small node, which would collect all
	// the time, and too much for a large one: a ledger's index of subjects and its
	// blocks, which NATS keeps in memory, are no reason to waste more.
	garbage = 160 << 20
	// The share stays within these bounds, in percent of what is in use.
	leastGarbage = 50
	mostGarbage  = 200

	thriftEvery = time.Second
)

// thrift has garbage collected by its amount, unless GOGC says otherwise, until
// stop is called.
func thrift() (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { watchGarbage(ctx) })
	return func() {
		cancel()
		watching.Wait()
	}
}

func watchGarbage(ctx context.Context) {
	inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(thriftEvery)
	defer tick.Stop()
	for set := 0; ; {
		metrics.Read(inUse)
		// Setting it stops the world for a moment, so not for little.
		if want := garbagePercent(inUse[0].Value.Uint64()); want*10 < set*9 || want*10 > set*11 {
			debug.SetGCPercent(want)
			set = want
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// garbagePercent is the share of the bytes in use that garbage may grow to.
func garbagePercent(inUse uint64) int {
	return int(min(max(garbage*100/max(inUse, 1), leastGarbage), mostGarbage))
}
