package bench

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A reread is a way of the node to read its whole ledger again.
type reread struct {
	name  string
	floor float64
	// do reads the ledger up to head and tells how long it took.
	do   func(ctx context.Context, n *node, head uint64) (time.Duration, error)
	note string
}

const bareName = "bare ordered consumer"

// measureReplay throws the read model away and measures how fast a node that is
// started then builds it again.
func (r *run) measureReplay(ctx context.Context) error {
	n, err := r.filled(ctx)
	if err != nil {
		return err
	}
	return r.besideConsumer(ctx, n, func(head uint64) ([]Figure, error) {
		if err := os.RemoveAll(filepath.Join(r.data(), "panel")); err != nil {
			return nil, err
		}
		n, err := r.restart(ctx)
		if err != nil {
			return nil, err
		}
		first, _, err := n.position(ctx)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := n.settle(ctx, head); err != nil {
			return nil, err
		}
		f := Figure{
			Name: "replay into an empty read model", Value: float64(head-first) / time.Since(began).Seconds(), Unit: "events/s",
			Memory: n.PeakMemory(), Floor: 0.08, Note: fmt.Sprintf("%d events, while the node starts and checks the chain", head),
		}
		return []Figure{f}, nil
	})
}

// measureRebuild has a running node make read model and decision state anew.
func (r *run) measureRebuild(ctx context.Context) error {
	return r.rereads(ctx, reread{
		name: "shiplog rebuild", floor: 0.2, do: rebuild,
		note: "read model and decision state, both from the first event until both are in use",
	})
}

// measureVerify has a running node verify.
func (r *run) measureVerify(ctx context.Context) error {
	return r.rereads(ctx,
		reread{"shiplog verify --chain", 0.25, verify("?chain=1"), ""},
		reread{"shiplog verify", 0.1, verify(""), "chain, a fresh fold of both models, and their comparison"},
	)
}

// rereads measures ways of an idle node to read its ledger again.
func (r *run) rereads(ctx context.Context, ways ...reread) error {
	n, err := r.filled(ctx)
	if err != nil {
		return err
	}
	return r.besideConsumer(ctx, n, func(head uint64) (figures []Figure, err error) {
		n, err := r.restart(ctx)
		if err != nil {
			return nil, err
		}
		if err := n.rested(ctx); err != nil {
			return nil, err
		}
		for _, way := range ways {
			n.ForgetPeak()
			took, err := way.do(ctx, n, head)
			if err != nil {
				return nil, err
			}
			figures = append(figures, Figure{
				Name: way.name, Value: float64(head) / took.Seconds(), Unit: "events/s", Memory: n.PeakMemory(), Floor: way.floor, Note: way.note,
			})
		}
		return figures, nil
	})
}

// besideConsumer measures what a node does with its ledger between two counts of
// it by a bare consumer. The node is stopped for them, and started by measure.
func (r *run) besideConsumer(ctx context.Context, n *node, measure func(head uint64) ([]Figure, error)) error {
	count := func() (uint64, float64, error) {
		if err := r.node.Stop(); err != nil {
			return 0, 0, err
		}
		return bareConsumer(ctx, filepath.Join(r.data(), "nats"))
	}
	if err := n.rested(ctx); err != nil { // its last blocks are no longer kept in memory
		return err
	}
	head, before, err := count()
	if err != nil {
		return err
	}
	figures, err := measure(head)
	if err != nil {
		return err
	}
	_, after, err := count()
	if err != nil {
		return err
	}
	for _, f := range figures {
		r.add(f.against(bareName, (before+after)/2, f.Floor))
	}
	_, err = r.restart(ctx)
	return err
}

// restart starts the node again on what it kept.
func (r *run) restart(ctx context.Context) (n *node, err error) {
	if n, err = start(ctx, r.Program, r.data()); err == nil {
		r.node = n
	}
	return n, err
}

// rested waits until a node has checked its ledger, as it does at its start.
func (n *node) rested(ctx context.Context) error {
	for {
		var ready struct {
			Checks []struct{ Name, Detail string }
		}
		if err := n.ops(ctx, http.MethodGet, "/readyz", &ready); err != nil {
			return err
		}
		for _, c := range ready.Checks {
			if c.Name == "chain" && strings.HasPrefix(c.Detail, "whole") {
				return nil
			}
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// rebuild has a node rebuild, and waits until it has.
func rebuild(ctx context.Context, n *node, _ uint64) (time.Duration, error) {
	var now struct {
		State   string
		Seconds float64
		Error   string
	}
	for method := http.MethodPost; ; method = http.MethodGet {
		if err := n.ops(ctx, method, "/admin/v1/rebuild", &now); err != nil {
			return 0, err
		}
		switch now.State {
		case "running":
		case "done":
			return time.Duration(now.Seconds * float64(time.Second)), nil
		default:
			return 0, fmt.Errorf("the node did not rebuild: %s %s", now.State, now.Error)
		}
		if err := pause(ctx); err != nil {
			return 0, err
		}
	}
}

// verify has a node verify itself.
func verify(query string) func(context.Context, *node, uint64) (time.Duration, error) {
	return func(ctx context.Context, n *node, head uint64) (time.Duration, error) {
		var last struct {
			Report *struct {
				Events uint64
				Took   time.Duration `json:"took_ns"`
			}
		}
		if err := n.ops(ctx, http.MethodGet, "/admin/v1/verify"+query, &last); err != nil {
			return 0, err
		}
		if last.Report == nil || last.Report.Events < head || last.Report.Took <= 0 {
			return 0, fmt.Errorf("the node did not verify %d events: %+v", head, last.Report)
		}
		return last.Report.Took, nil
	}
}
