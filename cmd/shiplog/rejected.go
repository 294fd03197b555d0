package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"shiplog/events"
)

// rejectedPath is the route of what the inbox could not record.
const rejectedPath = "/admin/v1/rejected"

// A rejectedEvent is one of them.
type rejectedEvent struct {
	ID        uint64              `json:"id"`
	Time      time.Time           `json:"time"`
	Publisher string              `json:"publisher"`
	Bytes     int                 `json:"bytes"`
	Problems  events.Problems     `json:"problems"`
	Headers   map[string][]string `json:"headers"`
	Raw       string              `json:"raw"`
	RawBase64 []byte              `json:"raw_base64"`
}

// bytes are the event as it came.
func (r *rejectedEvent) bytes() []byte {
	if len(r.RawBase64) > 0 {
		return r.RawBase64
	}
	return []byte(r.Raw)
}

// Run lists what was rejected. The heading is for terminals, so that in a pipe
// each line is an event.
func (c *RejectedListCmd) Run(ctx context.Context, std *stdio, flags *RejectedCmd) error {
	client, err := flags.client()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	if std.outTerminal && !c.JSON {
		fmt.Fprintln(table, "ID\tREJECTED\tPUBLISHER\tBYTES\tREASON")
	}
	count := 0
	for after, more := uint64(0), true; more; {
		var page struct {
			Rejected []json.RawMessage `json:"rejected"`
			Next     *uint64           `json:"next"`
		}
		if _, err := client.get(ctx, fmt.Sprintf("%s?after=%d&limit=1000", rejectedPath, after), &page); err != nil {
			return err
		}
		for _, raw := range page.Rejected {
			if err := c.print(std, table, raw); err != nil {
				return err
			}
		}
		count += len(page.Rejected)
		if more = page.Next != nil; more {
			after = *page.Next
		}
	}
	if count == 0 && !c.JSON {
		fmt.Fprintln(std.err, "Nothing was rejected.")
		return nil
	}
	return table.Flush()
}

func (c *RejectedListCmd) print(std *stdio, table io.Writer, raw json.RawMessage) error {
	if c.JSON {
		return std.printJSON(raw)
	}
	var r rejectedEvent
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("read the list: %w", err)
	}
	why := "no reason was kept"
	if len(r.Problems) > 0 {
		why = oneLine(r.Problems.Error())
	}
	fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\n", r.ID, r.Time.UTC().Format(time.RFC3339), oneLine(r.Publisher), r.Bytes, why)
	return nil
}

// Run prints one rejected event.
func (c *RejectedShowCmd) Run(ctx context.Context, std *stdio, flags *RejectedCmd) error {
	client, err := flags.client()
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if _, err := client.get(ctx, fmt.Sprintf("%s/%d", rejectedPath, c.ID), &raw); err != nil {
		return noSuch(c.ID, err)
	}
	if c.JSON {
		return std.printJSON(raw)
	}
	var r rejectedEvent
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("read rejected event %d: %w", c.ID, err)
	}
	if c.Raw {
		_, err := std.out.Write(r.bytes())
		return err
	}
	return r.print(std)
}

// print prints the reasons, the headers and then the bytes as they came. On a
// terminal, what would steer it is taken out of the bytes.
func (r *rejectedEvent) print(std *stdio) error {
	table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "Rejected\t#%d, %s\n", r.ID, r.Time.UTC().Format(time.RFC3339))
	fmt.Fprintf(table, "Publisher\t%s\n", oneLine(r.Publisher))
	for _, p := range r.Problems {
		fmt.Fprintf(table, "Reason\t%s\n", strings.TrimSpace(oneLine(p.Pointer)+"  "+oneLine(p.Detail)))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		for _, value := range r.Headers[name] {
			fmt.Fprintf(table, "Header\t%s: %s\n", oneLine(name), oneLine(value))
		}
	}
	fmt.Fprintf(table, "Bytes\t%d\n", len(r.bytes()))
	if err := table.Flush(); err != nil {
		return err
	}
	raw := r.bytes()
	if std.outTerminal {
		raw = harmless(raw)
	}
	_, err := fmt.Fprintf(std.out, "\n%s\n", raw)
	return err
}

// harmless is text that may be printed on a terminal as it is.
func harmless(raw []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == utf8.RuneError || printable(r) != r:
			return '�'
		}
		return r
	}, raw)
}

// Run puts rejected events back into the inbox.
func (c *RejectedRetryCmd) Run(ctx context.Context, std *stdio, flags *RejectedCmd) error {
	return flags.each(ctx, std, c.IDs, http.MethodPost, "/retry", "back in the inbox")
}

// Run forgets rejected events.
func (c *RejectedDropCmd) Run(ctx context.Context, std *stdio, flags *RejectedCmd) error {
	return flags.each(ctx, std, c.IDs, http.MethodDelete, "", "dropped")
}

// each does one thing to events. It goes on behind one that is not there.
func (c *RejectedCmd) each(ctx context.Context, std *stdio, ids []uint64, method, action, done string) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	missing := false
	for _, id := range ids {
		r, err := client.call(ctx, readTimeout, method, fmt.Sprintf("%s/%d%s", rejectedPath, id, action), "", nil)
		if err == nil && r.status/100 != 2 {
			err = noSuch(id, client.refused(r))
		}
		var a *answer
		switch {
		case errors.As(err, &a):
			missing = true
			std.note("%s", a)
		case err != nil:
			return err
		default:
			fmt.Fprintf(std.out, "%d %s\n", id, done)
		}
	}
	if missing {
		return errSaidNo
	}
	return nil
}

// noSuch is the answer for an event that is not there.
func noSuch(id uint64, err error) error {
	if r, ok := errors.AsType[*refusal](err); ok && r.status == http.StatusNotFound {
		return no("no rejected event has the ID %d; see shiplog rejected list", id)
	}
	return err
}
