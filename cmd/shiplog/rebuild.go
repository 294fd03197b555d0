package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"shiplog/ops"
)

const (
	rebuildPath = "/admin/v1/rebuild"
	rebuildPoll = 200 * time.Millisecond
)

// Run has a node rebuild, and waits until it has.
func (c *RebuildCmd) Run(ctx context.Context, std *stdio) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	r, err := client.call(ctx, readTimeout, http.MethodPost, rebuildPath, "", nil)
	if err != nil {
		return err
	}
	if r.status != http.StatusAccepted {
		return refusedByNode(client, r)
	}
	bar := newCounter(std, "rebuilding", -1)
	now, err := c.watch(ctx, client, bar)
	bar.done()
	if ctx.Err() != nil {
		std.note("the node goes on rebuilding; see %s", client.url(rebuildPath))
		return context.Canceled
	}
	if err != nil {
		return err
	}
	if c.JSON {
		if err := std.printJSON(now); err != nil {
			return err
		}
	}
	switch {
	case now.State != ops.RebuildDone && c.JSON:
		return errSaidNo
	case now.State != ops.RebuildDone:
		return no("not rebuilt: %s; what was in use still is", oneLine(now.Error))
	case !c.JSON:
		fmt.Fprintln(std.out, rebuilt(now))
	}
	return nil
}

// watch asks how far it is until it ends.
func (c *RebuildCmd) watch(ctx context.Context, client *client, bar *progress) (now ops.Rebuilding, err error) {
	tick := time.NewTicker(rebuildPoll)
	defer tick.Stop()
	for {
		now = ops.Rebuilding{}
		if _, err := client.get(ctx, rebuildPath, &now); err != nil {
			return now, err
		}
		if now.State != ops.RebuildRunning {
			return now, nil
		}
		var done uint64
		for _, p := range now.Parts {
			done += min(p.Position, now.Head)
			if !p.Done {
				bar.tell("rebuilding " + p.Name)
				break
			}
		}
		bar.set(done, now.Head*uint64(len(now.Parts)))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return now, ctx.Err()
		}
	}
}

// rebuilt is the line that says it is done.
func rebuilt(now ops.Rebuilding) string {
	names := make([]string, len(now.Parts))
	for i, p := range now.Parts {
		names[i] = p.Name
	}
	rate := float64(now.Head) * float64(len(now.Parts)) / max(now.Seconds, 1e-3)
	return fmt.Sprintf("Rebuilt %s from %s events; took %s, %s events/s.", strings.Join(names, " and "),
		humanize.Comma(int64(now.Head)), time.Duration(now.Seconds*float64(time.Second)).Round(time.Millisecond), humanize.Comma(int64(rate)))
}
