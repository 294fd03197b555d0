package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// A Figure is one row of the result.
type Figure struct {
	Group    string  `json:"group"`
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Unit     string  `json:"unit,omitempty"`
	Against  string  `json:"against,omitempty"`  // what the baseline is
	Baseline float64 `json:"baseline,omitempty"` // in the same unit
	Ratio    float64 `json:"ratio,omitempty"`
	Floor    float64 `json:"floor,omitempty"`             // what the ratio must not be below
	Ceiling  float64 `json:"ceiling,omitempty"`           // what the ratio, or the value without a baseline, must not be above
	Memory   float64 `json:"peak_memory_bytes,omitempty"` // of the node's process meanwhile
	Skipped  string  `json:"skipped,omitempty"`           // why nothing was measured
	Note     string  `json:"note,omitempty"`
}

// against completes a figure with its baseline. A floor of 0 is none.
func (f Figure) against(what string, baseline, floor float64) Figure {
	f.Against, f.Baseline, f.Floor = what, baseline, floor
	if baseline > 0 {
		f.Ratio = f.Value / baseline
	}
	return f
}

// WriteJSON writes figures for machines.
func WriteJSON(w io.Writer, figures []Figure) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(figures)
}

// WriteTable writes figures for people: by group, their notes below.
func WriteTable(w io.Writer, figures []Figure) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tmeasured\tbaseline\tratio\tfloor\tpeak memory\t")
	var notes []string
	group := ""
	for _, f := range figures {
		if f.Group != group {
			group = f.Group
			fmt.Fprintln(t, group+"\t\t\t\t\t\t")
		}
		mark := ""
		if note := f.note(); note != "" {
			at := slices.Index(notes, note)
			if at < 0 {
				at = len(notes)
				notes = append(notes, note)
			}
			mark = fmt.Sprintf("[%d]", at+1)
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", f.Name, strings.Join(f.cells(), "\t"), mark)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i, note := range notes {
		if _, err := fmt.Fprintf(w, "[%d] %s\n", i+1, note); err != nil {
			return err
		}
	}
	return nil
}

func (f Figure) note() string {
	if f.Skipped != "" {
		return f.Skipped + ": skipped"
	}
	return f.Note
}

// cells are the columns of a row after its name.
func (f Figure) cells() []string {
	cells := []string{"skipped", "", "", "", ""}
	if f.Skipped != "" {
		return cells
	}
	cells[0] = number(f.Value) + " " + f.Unit
	if f.Baseline > 0 {
		cells[1] = number(f.Baseline) + " " + f.Against
		cells[2] = fmt.Sprintf("%.2f", f.Ratio)
	}
	if f.Floor > 0 {
		cells[3] = fmt.Sprintf("%.2f", f.Floor)
		if f.Ratio < f.Floor {
			cells[3] += " missed"
		}
	}
	if f.Ceiling > 0 {
		cells[3] = fmt.Sprintf("≤ %.2f", f.Ceiling)
		if f.Ratio > f.Ceiling || f.Baseline == 0 && f.Value > f.Ceiling {
			cells[3] += " missed"
		}
	}
	if f.Memory > 0 {
		cells[4] = fmt.Sprintf("%.0f MiB", f.Memory/(1<<20))
	}
	return cells
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
