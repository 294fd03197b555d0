package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// Twins are a node and one that measures nothing of itself, with the same to do.
type twins struct {
	program, dir string

	nodes [2]*node
	next  [2]int // numbers of the next reviews
}

// start starts both, anew or again, and waits until they have read their ledgers.
func (t *twins) start(ctx context.Context) error {
	t.end()
	for i, command := range []string{"serve", "bench-bare"} {
		n, err := startAs(ctx, t.program, command, filepath.Join(t.dir, command))
		if err != nil {
			return err
		}
		t.nodes[i] = n
	}
	for _, n := range t.nodes {
		if err := n.rested(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (t *twins) end() {
	for i, n := range t.nodes {
		if n != nil {
			n.end()
			t.nodes[i] = nil
		}
	}
}

// leastRounds make three passes over the synthetic tools, so that pairs open.
const leastRounds = 3

// fill gives both the synthetic panel and something to show.
func (t *twins) fill(ctx context.Context) error {
	for i, n := range t.nodes {
		if err := setUp(ctx, n); err != nil {
			return err
		}
		if err := t.record(ctx, i, leastRounds*tools); err != nil {
			return err
		}
	}
	return nil
}

// record has one of them record so many reviews and show them.
func (t *twins) record(ctx context.Context, i, reviews int) error {
	from := t.next[i]
	t.next[i] += reviews
	last, err := postBatches(ctx, t.nodes[i], (*writer).review, from, t.next[i])
	if err != nil {
		return err
	}
	return t.nodes[i].settle(ctx, last)
}

// A trial is what twins are compared in.
type trial struct {
	what, unit string
	per        float64 // units that a figure is of
	rounds     int
	each       int // rounds of the same two processes
	turns      int // of each node in a round
	// work has one of the nodes do what is compared for one turn, and counts it.
	work func(ctx context.Context, i int) (done float64, err error)
}

// compare compares the processor time of the node with that of the one without
// metrics. Two processes of one program differ by some hundredths, by where their
// memory lies and how their maps are seeded, for as long as they live: hence
// rounds of different ones.
func (c *trial) compare(ctx context.Context, t *twins) (Figure, error) {
	var costs [2][]float64
	var ratios []float64
	for round := range c.rounds {
		if round%c.each == 0 {
			if err := c.restart(ctx, t); err != nil {
				return Figure{}, err
			}
		}
		for pair := range c.turns {
			cost, err := c.pair(ctx, t, (round+pair)%len(t.nodes))
			if err != nil {
				return Figure{}, err
			}
			if cost[0] > 0 && cost[1] > 0 {
				costs[0], costs[1] = append(costs[0], cost[0]), append(costs[1], cost[1])
				ratios = append(ratios, cost[0]/cost[1])
			}
		}
	}
	if len(ratios) == 0 {
		return Figure{}, errors.New("nothing was done in any turn; take a longer --duration")
	}
	figure := Figure{
		Name: "processor time of " + c.what, Value: median(costs[0]), Unit: fmt.Sprintf("s per %.0f %s", c.per, c.unit), Ceiling: costCeiling,
		Note: fmt.Sprintf("median of %d rounds of %d turns each, the ratio that of each turn and the other node's; both nodes are started anew %s",
			c.rounds, c.turns, c.often()),
	}.against("without metrics", median(costs[1]), 0)
	figure.Ratio = median(ratios)
	return figure, nil
}

// restart starts both again and has each do a turn that is not counted: caches fill.
func (c *trial) restart(ctx context.Context, t *twins) error {
	if err := t.start(ctx); err != nil {
		return err
	}
	for i := range t.nodes {
		if _, err := c.work(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// often is how often both are started.
func (c *trial) often() string {
	if c.each == 1 {
		return "for each"
	}
	return fmt.Sprintf("every %d rounds", c.each)
}

// pair is what each node took for as much in a turn, nothing where nothing was done.
// Turns are short and follow one another, so that what else the machine does meets
// both; neither node is always before the other.
func (c *trial) pair(ctx context.Context, t *twins, first int) (cost [2]float64, err error) {
	for _, i := range [...]int{first, 1 - first} {
		before := t.nodes[i].CPU()
		done, err := c.work(ctx, i)
		if err != nil {
			return cost, err
		}
		if done > 0 {
			cost[i] = (t.nodes[i].CPU() - before).Seconds() * c.per / done
		}
	}
	return cost, nil
}
