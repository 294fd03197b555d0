package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"shiplog/events/decisions"
	"shiplog/events/ledger"
	"shiplog/ops"
	"shiplog/ops/verify"
	"shiplog/projections"
)

// verifyDir is where a data directory keeps what is folded to be compared.
const verifyDir = "verify"

// Run verifies a running node, or what a stopped one has left.
func (c *VerifyCmd) Run(ctx context.Context, std *stdio) error {
	bar := newCounter(std, "verifying", -1)
	doing := ""
	progress := func(p verify.Progress) {
		if p.Doing != doing {
			doing = p.Doing
			bar.restart(doing)
		}
		bar.set(p.Done, p.Total)
	}
	var end ops.VerifyLine
	var err error
	if c.Data == "" && c.NATS == "" {
		end, err = c.online(ctx, progress)
	} else {
		end, err = c.offline(ctx, progress)
	}
	bar.done()
	if err != nil {
		return err
	}
	if c.JSON {
		if err := std.printJSON(end); err != nil {
			return err
		}
	}
	return c.say(std, end)
}

// say tells how it ended.
func (c *VerifyCmd) say(std *stdio, end ops.VerifyLine) error {
	switch {
	case end.Fault != nil && c.JSON:
		return errSaidNo
	case end.Fault != nil && end.Fault.Chain:
		return no("%s; restore the ledger from a backup", end.Fault.Text)
	case end.Fault != nil:
		return no("%s; make it anew with `shiplog rebuild`", end.Fault.Text)
	case end.Report == nil:
		return errors.New(oneLine(end.Error))
	case !c.JSON:
		fmt.Fprintln(std.out, verified(*end.Report))
	}
	return nil
}

// verified is the line that says all is well.
func verified(r verify.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Verified %s events: the chain is whole up to event %d, leaf %s", humanize.Comma(int64(r.Events)), r.Head, r.Leaf)
	switch {
	case r.Model > 0 && r.Model == r.Decided:
		fmt.Fprintf(&b, "; read model and decision state are what the ledger makes as of event %d", r.Model)
	case r.Model > 0 && r.Decided > 0:
		fmt.Fprintf(&b, "; the read model is what the ledger makes as of event %d, the decision state as of event %d", r.Model, r.Decided)
	case r.Model > 0:
		fmt.Fprintf(&b, "; the read model is what the ledger makes as of event %d", r.Model)
	case r.Decided > 0:
		fmt.Fprintf(&b, "; the decision state is what the ledger makes as of event %d", r.Decided)
	}
	rate := float64(r.Events) / max(r.Took.Seconds(), 1e-6)
	fmt.Fprintf(&b, "; took %s, %s events/s", r.Took.Round(time.Millisecond), humanize.Comma(int64(rate)))
	return b.String()
}

// online has a node verify itself.
func (c *VerifyCmd) online(ctx context.Context, progress func(verify.Progress)) (end ops.VerifyLine, err error) {
	client, err := c.client()
	if err != nil {
		return end, err
	}
	path := "/admin/v1/verify"
	if c.Chain {
		path += "?chain=1"
	}
	s, err := client.stream(ctx, path)
	if err != nil {
		return end, err
	}
	defer s.close()
	for lines := json.NewDecoder(s); ; {
		var line ops.VerifyLine
		err := lines.Decode(&line)
		switch {
		case ctx.Err() != nil:
			return end, context.Canceled
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return end, fmt.Errorf("%s went away before it had verified all; try again", client.base)
		case err != nil:
			return end, client.offline(err)
		case line.Progress != nil:
			progress(*line.Progress)
		default:
			return line, nil
		}
	}
}

// offline verifies what is there while no node runs.
func (c *VerifyCmd) offline(ctx context.Context, progress func(verify.Progress)) (end ops.VerifyLine, err error) {
	s, err := c.open(ctx, ledger.Options{})
	if err != nil {
		return end, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	o := verify.Options{Ledger: s.ledger, Progress: progress}
	if c.Data != "" && !c.Chain {
		if err := openDerived(s, c.Data, &o); err != nil {
			return end, err
		}
	}
	report, err := verify.Run(ctx, o)
	if ctx.Err() != nil {
		return end, context.Canceled
	}
	return ops.VerifyResult(report, err), nil
}

// openDerived opens what a node has made from its ledger, as far as it is there.
func openDerived(s *store, dir string, o *verify.Options) error {
	o.Dir = filepath.Join(dir, verifyDir)
	if panel := filepath.Join(dir, "panel"); exists(panel) {
		model, err := projections.Open(panel, projections.Options{})
		if err != nil {
			return err
		}
		s.life.push("read model", func(context.Context) error { return model.Close() })
		o.Model = model
	}
	if decided := filepath.Join(dir, "decisions"); exists(decided) {
		state, err := decisions.Open(decided)
		if err != nil {
			return err
		}
		s.life.push("decision state", func(context.Context) error { return state.Close() })
		o.Decisions = state
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
