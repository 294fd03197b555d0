package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"shiplog/ops"
	"shiplog/projections"
)

// Run describes a node.
func (c *StatusCmd) Run(ctx context.Context, std *stdio) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	if c.Watch {
		return c.watch(ctx, std, client)
	}
	var s ops.Status
	r, err := client.get(ctx, "/admin/v1/status", &s)
	if err != nil {
		return err
	}
	if c.JSON {
		return std.printJSON(json.RawMessage(r.body))
	}
	printStatus(std.out, s)
	return nil
}

func printStatus(w io.Writer, s ops.Status) {
	state := "ready"
	switch {
	case s.Starting:
		state = "STARTING"
	case !s.Ready:
		state = "NOT READY"
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "Node\t%s, shiplog %s (revision %s)\n", state, oneLine(s.Version), oneLine(s.Revision))
	fmt.Fprintf(t, "Pages\t%s, listening on %s\n", oneLine(s.HTTP.BaseURL), oneLine(s.HTTP.Address))
	fmt.Fprintf(t, "Ledger\t%s, %s\n", oneLine(s.Ledger.Title), s.Ledger.ID)
	fmt.Fprintf(t, "Authority\t%s\n", oneLine(s.Ledger.Authority))
	if s.Starting {
		fmt.Fprintf(t, "Events\tshown up to #%d; what else there is shows when the ledger is open\n", s.Ledger.Head)
		fmt.Fprintf(t, "NATS\t%s\n", natsLine(s.NATS))
	} else {
		printLedger(t, s)
	}
	_ = t.Flush()

	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nPROJECTION\tSTATE\tPOSITION\tBEHIND\tERROR")
	for _, p := range s.Projections {
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", p.Name, p.State, p.Position, lagLine(p), oneLine(p.Error))
	}
	_ = t.Flush()

	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nCHECK\tRESULT\tFOR\tDETAIL")
	for _, c := range s.Checks {
		result := "ok"
		if !c.OK {
			result = "FAILED"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Name, result, seconds(c.Age), oneLine(c.Detail))
	}
	_ = t.Flush()
}

// printLedger tells of a ledger that is open.
func printLedger(w io.Writer, s ops.Status) {
	fmt.Fprintf(w, "Events\t%s\n", eventsLine(s.Ledger))
	fmt.Fprintf(w, "Size\t%s\n", size(s.Ledger.Bytes, s.Ledger.MaxBytes))
	fmt.Fprintf(w, "NATS\t%s\n", natsLine(s.NATS))
	fmt.Fprintf(w, "Durability\t%s\n", oneLine(s.NATS.Durability))
	fmt.Fprintf(w, "Inbox\t%s waiting\n", figure(s.Inbox.Pending))
	rejected := ""
	if s.Rejected.Count != nil && *s.Rejected.Count > 0 {
		rejected = "; see shiplog rejected list"
	}
	fmt.Fprintf(w, "Rejected\t%s%s\n", figure(s.Rejected.Count), rejected)
}

// figure is a count, a dash where NATS did not tell it.
func figure(n *uint64) string {
	if n == nil {
		return "–"
	}
	return humanize.Comma(int64(*n))
}

func eventsLine(l ops.LedgerStatus) string {
	line := fmt.Sprintf("%s, head #%d", humanize.Comma(int64(l.Events)), l.Head)
	if l.LastAppend != nil {
		line += ", the last recorded " + l.LastAppend.UTC().Format("2 Jan 2006 15:04:05 UTC")
	}
	return line
}

// size is how large something is that may become so large, 0 for any size.
func size(bytes uint64, most int64) string {
	line := humanize.IBytes(bytes)
	if most > 0 {
		line += fmt.Sprintf(" of %s (%.1f%%)", humanize.IBytes(uint64(most)), 100*float64(bytes)/float64(most))
	}
	return line
}

func natsLine(n ops.NATSStatus) string {
	kind, state := "external", "connected"
	if n.Embedded {
		kind = "embedded"
	}
	if !n.Connected {
		state = "NOT CONNECTED"
	}
	if n.URL == "" {
		return kind + ", " + state
	}
	return fmt.Sprintf("%s, %s, %s", kind, state, oneLine(n.URL))
}

// ageKnown tells whether the age of what is not applied is known.
func ageKnown(p ops.ProjectionStatus) bool { return p.LagSeconds < projections.FullyBehind.Seconds() }

func lagLine(p ops.ProjectionStatus) string {
	switch {
	case p.LagEvents == 0 && ageKnown(p):
		return "0"
	case p.LagEvents == 0:
		return "not known"
	case !ageKnown(p):
		return humanize.Comma(int64(p.LagEvents)) + " events"
	}
	return fmt.Sprintf("%s events, %s", humanize.Comma(int64(p.LagEvents)), seconds(p.LagSeconds))
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}
