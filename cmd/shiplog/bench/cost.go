package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"time"
)

const (
	// costRounds is how often the two nodes take turns.
	costRounds = 15
	// costReviews is how many reviews a node records in one round.
	costReviews = 10_000
	// costCeiling is what the metrics may cost: a twentieth more.
	costCeiling = 1.05
	// scrapes is how often a scrape is timed, and scrapeCeiling what it may take
	// in milliseconds.
	scrapes       = 21
	scrapeCeiling = 20
)

// errNoCPU is where the system tells no process's time.
const errNoCPU = "the system does not tell how long a process has kept processors busy"

// measureCost has a node and one that measures nothing do the same by turns, and
// compares the processor time they took: what else the machine does is in
// neither.
func (r *run) measureCost(ctx context.Context) error {
	nodes := [2]*node{}
	for i, command := range []string{"serve", "bench-bare"} {
		n, err := startAs(ctx, r.Program, command, filepath.Join(r.dir, "cost-"+command))
		if err != nil {
			return err
		}
		defer n.end()
		nodes[i] = n
		if err := setUp(ctx, n); err != nil {
			return err
		}
	}
	if nodes[0].CPU() == 0 {
		r.add(Figure{Name: "processor time of metrics", Skipped: errNoCPU})
		return nil
	}
	next := [2]int{}
	ingest := func(ctx context.Context, i int) (float64, error) {
		from := next[i]
		next[i] += costReviews
		last, err := postBatches(ctx, nodes[i], (*writer).review, from, next[i])
		if err != nil {
			return 0, err
		}
		return costReviews, nodes[i].settle(ctx, last)
	}
	// The first round is not compared: caches fill, and pages get something to show.
	for i := range nodes {
		for range leastRounds {
			if _, err := ingest(ctx, i); err != nil {
				return err
			}
		}
	}
	if err := r.compareCost(ctx, nodes, "durable ingest", "events", 100_000, ingest); err != nil {
		return err
	}
	path, err := r.costPage(ctx, nodes[0])
	if err != nil {
		return err
	}
	err = r.compareCost(ctx, nodes, "page requests", "requests", 100_000, func(ctx context.Context, i int) (float64, error) {
		began := time.Now()
		rate, err := load(nodes[i].Base, path, "", http.StatusOK)(ctx, r.Duration/2)
		return rate * time.Since(began).Seconds(), err
	})
	if err != nil {
		return err
	}
	return r.measureScrape(ctx, nodes[0], next[0], next[0])
}

// leastRounds make three passes over the synthetic tools, so that pairs open.
const leastRounds = 3

// costPage is the comparison page that both nodes show.
func (r *run) costPage(ctx context.Context, n *node) (string, error) {
	was := r.node
	defer func() { r.node = was }()
	r.node = n
	return r.anyMatchup(ctx)
}

// compareCost compares the processor time of the node with that of the bare one,
// for so many of what work does and counts.
func (r *run) compareCost(ctx context.Context, nodes [2]*node, what, unit string, per float64, work func(context.Context, int) (float64, error)) error {
	var costs [2][]float64
	var ratios []float64
	for round := range costRounds {
		var cost [2]float64
		for turn := range nodes {
			i := (turn + round) % len(nodes) // neither is always the first
			before := nodes[i].CPU()
			done, err := work(ctx, i)
			if err != nil {
				return err
			}
			if done == 0 {
				return errors.New("nothing was done in a round; take a longer --duration")
			}
			cost[i] = (nodes[i].CPU() - before).Seconds() / done * per
			costs[i] = append(costs[i], cost[i])
		}
		if cost[1] > 0 {
			ratios = append(ratios, cost[0]/cost[1])
		}
	}
	if len(ratios) == 0 {
		return errors.New("the processor time of a round was too short to tell; take a longer --duration")
	}
	figure := Figure{
		Name: "processor time of " + what, Value: middle(costs[0]), Unit: fmt.Sprintf("s per %.0f %s", per, unit), Ceiling: costCeiling,
		Note: fmt.Sprintf("median of %d rounds by turns, the ratio that of each round", costRounds),
	}.against("without metrics", middle(costs[1]), 0)
	figure.Ratio = middle(ratios)
	r.add(figure)
	return nil
}

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// measureScrape times scrapes of a node that holds so many reviews: while nothing
// happens, and each after an event, when the feeds that it tells the age of have
// changed. Number is the next review to send.
func (r *run) measureScrape(ctx context.Context, n *node, reviews, number int) error {
	for _, c := range []struct {
		name   string
		before func() error
	}{
		{"scrape", func() error { return nil }},
		{"scrape after an event", func() error {
			var w writer
			w.review(number)
			number++
			seq, err := n.post(ctx, "application/cloudevents+json", w.b)
			if err != nil {
				return err
			}
			return n.settle(ctx, seq)
		}},
	} {
		var took []float64
		for range scrapes {
			if err := c.before(); err != nil {
				return err
			}
			d, err := n.scrape(ctx)
			if err != nil {
				return err
			}
			took = append(took, float64(d.Microseconds())/1000)
		}
		r.add(Figure{
			Name: c.name + fmt.Sprintf(", %d reviews", reviews), Value: middle(took), Unit: "ms", Ceiling: scrapeCeiling,
			Note: fmt.Sprintf("median of %d", scrapes),
		})
	}
	return nil
}

// scrape reads the metrics once, as Prometheus does.
func (n *node) scrape(ctx context.Context) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.Ops+"/metrics", http.NoBody)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5")
	began := time.Now()
	resp, err := n.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("GET /metrics: %s", resp.Status)
	}
	return time.Since(began), nil
}
