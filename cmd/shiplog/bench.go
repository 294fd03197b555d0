package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"shiplog/cmd/shiplog/bench"
	"shiplog/ops"
)

// leastEvents makes three passes over the synthetic tools.
const leastEvents = 30_000

// BenchCmd measures a node beside baselines of the same run.
type BenchCmd struct {
	Events   int           `default:"200000" help:"Reviews recorded in batches."`
	Large    int           `default:"0" placeholder:"N" help:"Load a ledger of this many reviews as well, and hold it to one of 10000; 1000000 takes several minutes."`
	Duration time.Duration `default:"4s" help:"How long each timed part takes."`
	Only     []string      `enum:"${bench_parts}" placeholder:"PART" help:"Measure these parts alone, of ${enum}."`
	Dir      string        `type:"existingdir" placeholder:"DIR" help:"Where the temporary ledgers are made. Default: the system's temporary directory."`
	JSON     bool          `help:"Print the figures as JSON."`
}

// Run measures and prints.
func (c *BenchCmd) Run(ctx context.Context) error {
	if c.Events < leastEvents {
		return fmt.Errorf("--events %d is too few: %d are needed, so that three reviewers have judged every tool and there is a matchup to show", c.Events, leastEvents)
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	figures, err := bench.Run(ctx, bench.Options{
		Program: program, Events: c.Events, Large: c.Large, Duration: c.Duration, Dir: c.Dir, Only: c.Only,
		Progress: func(what string) { fmt.Fprintf(os.Stderr, "measuring %s …\n", what) },
	})
	if c.JSON {
		return firstError(err, bench.WriteJSON(os.Stdout, figures))
	}
	return firstError(err, bench.WriteTable(os.Stdout, figures))
}

func firstError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// BareCmd is run by bench itself: a node that measures nothing of itself.
type BareCmd struct {
	ServeCmd `embed:""`
}

// Run serves until the context ends.
func (c *BareCmd) Run(ctx context.Context, build ops.Build) error {
	c.Bare = true
	return c.ServeCmd.Run(ctx, new(stdio), build) // what was strange has been said
}

// BaselineCmd is run by bench itself.
type BaselineCmd struct{}

// Run serves until its input ends.
func (*BaselineCmd) Run() error { return bench.ServeBaseline(os.Stdin, os.Stdout) }
