package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"
)

const (
	// costReviews is how many reviews a node records in one turn.
	costReviews = 2 * batchSize
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
// neither. Pages come first, while a ledger is small and a node soon started.
func (r *run) measureCost(ctx context.Context) error {
	t := &twins{program: r.Program, dir: filepath.Join(r.dir, "cost")}
	defer t.end()
	if err := t.start(ctx); err != nil {
		return err
	}
	if t.nodes[0].CPU() == 0 {
		r.add(Figure{Name: "processor time of metrics", Skipped: errNoCPU})
		return nil
	}
	if err := t.fill(ctx); err != nil {
		return err
	}
	path, err := r.costPage(ctx, t.nodes[0])
	if err != nil {
		return err
	}
	pages := trial{
		what: "page requests", unit: "requests", per: 100_000, rounds: 21, each: 1, turns: 12,
		work: func(ctx context.Context, i int) (float64, error) {
			began := time.Now()
			rate, err := load(t.nodes[i].Base, path, "", http.StatusOK)(ctx, r.Duration/48)
			return rate * time.Since(began).Seconds(), err
		},
	}
	ingest := trial{
		what: "durable ingest", unit: "events", per: 100_000, rounds: 15, each: 3, turns: 4,
		work: func(ctx context.Context, i int) (float64, error) { return costReviews, t.record(ctx, i, costReviews) },
	}
	for _, trial := range []trial{pages, ingest} {
		figure, err := trial.compare(ctx, t)
		if err != nil {
			return err
		}
		r.add(figure)
	}
	return r.measureScrape(ctx, t.nodes[0], t.next[0], t.next[0])
}

// costPage is the comparison page that both nodes show.
func (r *run) costPage(ctx context.Context, n *node) (string, error) {
	was := r.node
	defer func() { r.node = was }()
	r.node = n
	return r.anyMatchup(ctx)
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
			Name: c.name + fmt.Sprintf(", %d reviews", reviews), Value: median(took), Unit: "ms", Ceiling: scrapeCeiling,
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
