package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Options of a run.
type Options struct {
	// Program is the binary to drive, with the arguments before "serve".
	Program string
	// Events is how many reviews are recorded in batches.
	Events int
	// Large is how many reviews the large ledger has; 0 for no large ledger.
	Large int
	// Duration is how long each timed part takes.
	Duration time.Duration
	// Dir holds the temporary ledgers; "" is the system's.
	Dir string
	// Only are names of [Parts]; none is all.
	Only []string
	// Progress is told what is being measured.
	Progress func(what string)
}

// A part measures some rows of one group. It asks for what it needs
// ([run.filled], [run.raw]), so that it can also be measured alone.
type part struct {
	name  string // as in Options.Only
	group string // heading of its rows
	doing string // for Progress
	do    func(*run, context.Context) error
	large bool // only with Options.Large
}

// parts are measured in this order.
func parts() []part {
	return []part{
		{"ingest", "Durable ingest", "ingest in batches", (*run).measureIngest, false},
		{"singles", "Durable ingest", "ingest, one review a request", (*run).measureSingles, false},
		{"reads", "Reads", "pages and feeds", (*run).measurePages, false},
		{"polling", "Reads", "subscribers polling", (*run).measurePolling, false},
		{"visible", "Reads", "accepted until visible", (*run).measureVisible, false},
		{"cost", "Instrumentation", "what instrumentation costs", (*run).measureCost, false},
		{"replay", "Reading the ledger again", "replay into an empty read model", (*run).measureReplay, false},
		{"rebuild", "Reading the ledger again", "rebuild beside a running node", (*run).measureRebuild, false},
		{"verify", "Reading the ledger again", "verify", (*run).measureVerify, false},
		{"postgres", "Beside PostgreSQL", "the same in a table of PostgreSQL", (*run).measurePostgres, false},
		{"large", "A large ledger", "loading many reviews", (*run).measureLarge, true},
	}
}

// Parts are the names that Options.Only takes.
func Parts() []string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

// Run measures. What was measured before an error is returned with it.
func Run(ctx context.Context, o Options) (figures []Figure, err error) {
	dir, err := os.MkdirTemp(o.Dir, "shiplog-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary directory: %w", err)
	}
	r := &run{Options: o, dir: dir}
	defer func() { err = errors.Join(err, r.close(context.WithoutCancel(ctx)), os.RemoveAll(dir)) }()
	for _, p := range parts() {
		if p.large && o.Large == 0 || len(o.Only) > 0 && !slices.Contains(o.Only, p.name) {
			continue
		}
		if o.Progress != nil {
			o.Progress(p.doing)
		}
		r.group = p.group
		if err := p.do(r, ctx); err != nil {
			return r.figures, fmt.Errorf("%s: %w", p.doing, err)
		}
	}
	return r.figures, nil
}

// run carries what one part leaves for the next.
type run struct {
	Options
	dir     string
	group   string
	figures []Figure

	bare     *rawLedger
	node     *node
	recorded int // reviews sent so far
}

func (r *run) add(f Figure) {
	f.Group = r.group
	r.figures = append(r.figures, f)
}

// close ends what still runs.
func (r *run) close(ctx context.Context) error {
	if r.node != nil {
		r.node.end()
	}
	if r.bare != nil {
		return r.bare.close(ctx)
	}
	return nil
}

// data is where the node keeps its ledger.
func (r *run) data() string { return filepath.Join(r.dir, "node") }

// set is the node with the synthetic panel, started when first asked for.
func (r *run) set(ctx context.Context) (*node, error) {
	if r.node != nil {
		return r.node, nil
	}
	n, err := start(ctx, r.Program, r.data())
	if err != nil {
		return nil, err
	}
	r.node = n
	return n, setUp(ctx, n)
}

// filled is the node with at least Options.Events reviews, which its pages show.
func (r *run) filled(ctx context.Context) (*node, error) {
	n, err := r.set(ctx)
	if err != nil || r.recorded > 0 {
		return n, err
	}
	last, err := postBatches(ctx, n, (*writer).review, 0, r.Events)
	if err != nil {
		return nil, err
	}
	r.recorded = r.Events
	return n, n.settle(ctx, last)
}

// A rate does one thing for a while and tells how often in a second.
type rate func(ctx context.Context, d time.Duration) (float64, error)

// turns is how often a figure and its baseline are measured.
const turns = 5

// byTurns measures a rate and its baseline by turns, for as long as one timed
// part takes each: what else the machine does meets both. It returns the medians.
func (r *run) byTurns(ctx context.Context, ours, baseline rate) (mine, base float64, err error) {
	var m, b []float64
	for range turns {
		v, err := baseline(ctx, r.Duration/turns)
		if err != nil {
			return 0, 0, fmt.Errorf("baseline: %w", err)
		}
		b = append(b, v)
		if v, err = ours(ctx, r.Duration/turns); err != nil {
			return 0, 0, err
		}
		m = append(m, v)
	}
	return median(m), median(b), nil
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}
