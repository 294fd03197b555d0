package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"
)

// Options of a run.
type Options struct {
	// Program is the binary to drive, with the arguments before "serve".
	Program string
	// Events is how many reviews are recorded in batches.
	Events int
	// Large is how many are loaded to report memory and restart; 0 for none.
	Large int
	// Duration is how long each timed part takes.
	Duration time.Duration
	// Dir holds the temporary ledgers; "" is the system's.
	Dir string
	// Progress is told what is being measured.
	Progress func(what string)
}

// A Figure is one result.
type Figure struct {
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"`
	Against  string  `json:"against,omitempty"`  // what the baseline is
	Baseline float64 `json:"baseline,omitempty"` // in the same unit
	Ratio    float64 `json:"ratio,omitempty"`
	Floor    float64 `json:"floor,omitempty"` // what the ratio must not be below
	Note     string  `json:"note,omitempty"`
}

// against completes a figure with its baseline.
func (f Figure) against(what string, baseline, floor float64) Figure {
	f.Against, f.Baseline, f.Floor = what, baseline, floor
	if baseline > 0 {
		f.Ratio = f.Value / baseline
	}
	return f
}

// Run measures everything.
func Run(ctx context.Context, o Options) ([]Figure, error) {
	dir, err := os.MkdirTemp(o.Dir, "shiplog-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary directory: %w", err)
	}
	defer os.RemoveAll(dir)
	r := &run{Options: o, dir: dir}
	defer r.stopNode()
	for _, part := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"raw batches and single publishes (baseline)", r.measureRaw},
		{"durable ingest in batches", r.measureIngest},
		{"pages and feeds", r.measurePages},
		{"accepted until visible", r.measureVisible},
		{"durable ingest, one review a request", r.measureSingle},
		{"replay into an empty read model", r.measureReplay},
		{"loading many reviews", r.measureLarge},
	} {
		if o.Progress != nil {
			o.Progress(part.name)
		}
		if err := part.do(ctx); err != nil {
			return r.figures, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return r.figures, nil
}

// run carries what one part leaves for the next.
type run struct {
	Options
	dir     string
	figures []Figure

	rawBatches float64 // events/s
	rawSmall   float64 // in batches of as many as there are single clients
	rawSingles float64
	node       *node
	recorded   int // reviews sent so far
}

// stopNode ends a node that an error has left running.
func (r *run) stopNode() {
	if r.node != nil {
		r.node.Kill()
	}
}

func (r *run) add(f Figure) { r.figures = append(r.figures, f) }

// WriteJSON writes figures for machines.
func WriteJSON(w io.Writer, figures []Figure) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(figures)
}

// WriteTable writes figures for people.
func WriteTable(w io.Writer, figures []Figure) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "figure\tvalue\tbaseline\tratio\tfloor\t")
	for _, f := range figures {
		baseline, ratio, floor := "", "", ""
		if f.Baseline > 0 {
			baseline = number(f.Baseline) + " " + f.Against
			ratio = fmt.Sprintf("%.2f", f.Ratio)
		}
		if f.Floor > 0 {
			floor = fmt.Sprintf("%.2f", f.Floor)
		}
		fmt.Fprintf(t, "%s\t%s %s\t%s\t%s\t%s\t%s\n", f.Name, number(f.Value), f.Unit, baseline, ratio, floor, f.Note)
	}
	return t.Flush()
}

func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 1:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
