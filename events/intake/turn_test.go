package intake_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger/ledgertest"
)

// Two nodes that send as fast as they can both get on: the one whose commits
// come too late is let in.
func TestNodesTakeTurns(t *testing.T) {
	l := ledgertest.New(t)
	nodes := []*intake.Intake{
		intaketest.Open(t, l, intake.Options{Shared: true}),
		intaketest.Open(t, l, intake.Options{Shared: true}),
	}
	const enough, least = 40, 5
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var done [2]atomic.Int64
	var wg sync.WaitGroup
	for n, in := range nodes {
		for client := range 2 {
			wg.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					id := fmt.Sprintf("n%d-c%d-%d", n, client, i)
					if receipts, err := in.Submit(ctx, intaketest.Items(reviews(id)...), false); err != nil || !receipts[0].OK() {
						continue
					}
					if done[n].Add(1) == enough {
						stop()
					}
				}
			})
		}
	}
	wg.Wait()
	t.Logf("%d and %d requests", done[0].Load(), done[1].Load())
	for n := range done {
		if got := done[n].Load(); got < least {
			t.Errorf("node %d had %d requests recorded while the other had %d", n, got, done[1-n].Load())
		}
	}
}

// reviews are as many reviews as make a batch of their own.
func reviews(id string) [][]byte {
	batch := make([][]byte, 60)
	for i := range batch {
		batch[i] = intaketest.Review(fmt.Sprintf("%s-%d", id, i), fmt.Sprintf("tool-%d", i), id, "ship", id)
	}
	return batch
}
