package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"

	"shiplog/ops"
)

// leastEvery is how often a node may be asked at most.
const leastEvery = 100 * time.Millisecond

// A watch tells again and again what goes through a node.
type watch struct {
	cmd    *StatusCmd
	std    *stdio
	client *client
	screen *screen // nil where nobody looks at a terminal
	last   *sample // nil before the first and after the node was gone
	lost   bool    // the node does not answer, and that was said
}

// watch tells what goes through a node until the context ends.
func (c *StatusCmd) watch(ctx context.Context, std *stdio, client *client) error {
	if c.Every < leastEvery {
		return fmt.Errorf("--every %s is too often; the least is %s", c.Every, leastEvery)
	}
	w := &watch{cmd: c, std: std, client: client}
	first, err := sampleOf(ctx, client)
	if err != nil {
		return interrupted(ctx, err)
	}
	if std.outTerminal && !c.JSON {
		w.screen = openScreen(std.out)
		defer w.screen.close()
	}
	return interrupted(ctx, w.run(ctx, first))
}

func (w *watch) run(ctx context.Context, s *sample) error {
	tick := time.NewTicker(w.cmd.Every)
	defer tick.Stop()
	for {
		if s != nil {
			if err := w.show(s.since(w.last)); err != nil {
				return err
			}
		}
		w.last = s
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		var err error
		if s, err = sampleOf(ctx, w.client); err != nil && ctx.Err() == nil {
			if err := w.gone(err); err != nil {
				return err
			}
		}
	}
}

// gone says that the node does not answer: on the screen for as long as that
// lasts, elsewhere once. It may come back, so it is asked on.
func (w *watch) gone(err error) error {
	if w.lost {
		return nil
	}
	w.lost = true
	if w.screen != nil {
		return w.screen.draw(fmt.Sprintf("%s  %s; trying again", clock(time.Now()), err))
	}
	w.std.note("%s; trying again", err)
	return nil
}

func (w *watch) show(t throughput) error {
	w.lost = false
	var err error
	switch {
	case w.cmd.JSON:
		err = w.std.printJSON(t)
	case w.screen != nil:
		err = w.screen.draw(t.table())
	default:
		_, err = fmt.Fprintln(w.std.out, t.line())
	}
	return err
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }

// line is all of it in one line.
func (t throughput) line() string {
	parts := []string{
		clock(t.Time) + " " + t.state(),
		fmt.Sprintf("in %s/s accepted %s/s duplicate %s/s rejected %s/s error", perSecond(t.Submissions.Accepted), perSecond(t.Submissions.Duplicate),
			perSecond(t.Submissions.Rejected), perSecond(t.Submissions.Error)),
		fmt.Sprintf("head #%d %s/s", t.Ledger.Head, perSecond(t.Ledger.EventsPerSecond)),
	}
	for _, p := range t.Projections {
		parts = append(parts, fmt.Sprintf("%s %s #%d %s/s, behind %s", p.Name, p.State, p.Position, perSecond(p.EventsPerSecond), lagLine(p.ProjectionStatus)))
	}
	for _, r := range t.Requests {
		parts = append(parts, fmt.Sprintf("%s %s/s %s 3xx", r.Kind, perSecond(r.PerSecond), share(r.Share3xx)))
	}
	return strings.Join(append(parts, "disk "+humanize.IBytes(t.DiskFree)+" free"), " | ")
}

// table is all of it for a person who looks on.
func (t throughput) table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "Node\t%s, %s\n", t.readiness(), clock(t.Time))
	for _, f := range t.Red { // one a line: what does not fit is cut
		fmt.Fprintf(w, "FAILED\t%s: %s\n", f.Name, oneLine(f.Detail))
	}
	fmt.Fprintf(w, "Ledger\thead #%d, %s events/s, %s\n", t.Ledger.Head, perSecond(t.Ledger.EventsPerSecond), size(t.Ledger.Bytes, t.Ledger.MaxBytes))
	fmt.Fprintf(w, "Inbox\t%s waiting, %s rejected events kept\n", figure(t.Inbox), figure(t.Rejected))
	fmt.Fprintf(w, "Disk\t%s free, %s are to stay free\n", humanize.IBytes(t.DiskFree), humanize.IBytes(t.DiskMinFree))
	_ = w.Flush()

	w = columns(&b)
	fmt.Fprintln(w, "\nSUBMITTED   \tACCEPTED/S\tDUPLICATE/S\tREJECTED/S\tERROR/S\t")
	fmt.Fprintf(w, "events      \t%s\t%s\t%s\t%s\t\n", perSecond(t.Submissions.Accepted), perSecond(t.Submissions.Duplicate), perSecond(t.Submissions.Rejected), perSecond(t.Submissions.Error))
	_ = w.Flush()

	w = columns(&b)
	// What matters most stands first: narrow terminals cut the rest.
	fmt.Fprintln(w, "\nPROJECTION  \tSTATE\tBEHIND\tSECONDS\tEVENTS/S\tPOSITION\t")
	for _, p := range t.Projections {
		behind, age := lagCells(p.ProjectionStatus)
		fmt.Fprintf(w, "%-12s\t%s\t%s\t%s\t%s\t%d\t\n", p.Name, p.State, behind, age, perSecond(p.EventsPerSecond), p.Position)
	}
	_ = w.Flush()

	w = columns(&b)
	fmt.Fprintln(w, "\nREQUESTED   \tREQUESTS/S\t3XX\t")
	for _, r := range t.Requests {
		fmt.Fprintf(w, "%-12s\t%s\t%s\t\n", r.Kind, perSecond(r.PerSecond), share(r.Share3xx))
	}
	_ = w.Flush()
	return b.String()
}

// lagCells are how far a projection is behind, in events and in seconds.
func lagCells(p ops.ProjectionStatus) (behind, age string) {
	behind, age = humanize.Comma(int64(p.LagEvents)), fmt.Sprintf("%.0f", p.LagSeconds)
	if ageKnown(p) {
		return behind, age
	}
	if p.LagEvents == 0 {
		behind = "–"
	}
	return behind, "–"
}

// columns aligns figures at their right, and names of twelve places at their
// left.
func columns(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 11, 0, 2, ' ', tabwriter.AlignRight)
}

// state says whether the node is ready, and what is red.
func (t throughput) state() string {
	var red []string
	for _, f := range t.Red {
		red = append(red, f.Name+": "+oneLine(f.Detail))
	}
	return strings.Join(append([]string{t.readiness()}, red...), "; ")
}

func (t throughput) readiness() string {
	if t.Ready {
		return "ready"
	}
	return "NOT READY"
}

func perSecond(rate *float64) string {
	switch {
	case rate == nil:
		return "–"
	case *rate < 10:
		return humanize.Ftoa(*rate)
	}
	return humanize.Comma(int64(*rate + .5))
}

func share(part *float64) string {
	if part == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f%%", 100**part)
}

// The control sequences of a screen (ECMA-48, and DEC's private modes).
const (
	screenOpen  = "\x1b[?25l\x1b[?7l" // no cursor, long lines are cut
	screenClose = "\x1b[?7h\x1b[?25h"
	lineEnd     = "\x1b[K\n"
	screenEnd   = "\x1b[J"
)

// A screen is some lines of a terminal that are drawn over again and again.
type screen struct {
	out   io.Writer
	drawn int // lines
}

func openScreen(out io.Writer) *screen {
	fmt.Fprint(out, screenOpen)
	return &screen{out: out}
}

// close gives the terminal back. What was drawn last stays.
func (s *screen) close() { fmt.Fprint(s.out, screenClose) }

// draw shows lines in the place of those before, at most as many as fit.
func (s *screen) draw(text string) error {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if fit := s.height() - 1; fit > 0 && len(lines) > fit {
		lines = lines[:fit]
	}
	up := ""
	if s.drawn > 0 {
		up = fmt.Sprintf("\x1b[%dF", s.drawn)
	}
	s.drawn = len(lines)
	_, err := io.WriteString(s.out, up+strings.Join(lines, lineEnd)+lineEnd+screenEnd)
	return err
}

// height is how many lines the terminal has, 0 where that is not known.
func (s *screen) height() int {
	file, ok := s.out.(*os.File)
	if !ok {
		return 0
	}
	_, height, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return height
}
