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
		return no("%s", notRebuilt(now))
	case !c.JSON:
		fmt.Fprintln(std.out, rebuilt(now))
	}
	for _, p := range now.Parts {
		if p.Different > 0 {
			std.note("%s", wasWrong(p))
		}
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
				bar.tell(doing(p))
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

func doing(p ops.RebuildPart) string {
	if p.Comparing {
		return "comparing " + p.Name
	}
	return "rebuilding " + p.Name
}

// notRebuilt says what failed, and what is in use now.
func notRebuilt(now ops.Rebuilding) string {
	var fresh, old []string
	for _, p := range now.Parts {
		if p.Done {
			fresh = append(fresh, p.Name)
		} else {
			old = append(old, p.Name)
		}
	}
	if len(fresh) == 0 {
		return fmt.Sprintf("not rebuilt: %s; what was in use still is", oneLine(now.Error))
	}
	return fmt.Sprintf("rebuilt in part: %s; the new %s is in use, and of %s what was in use still is",
		oneLine(now.Error), strings.Join(fresh, " and "), strings.Join(old, " and "))
}

// rebuilt is the line that says it is done.
func rebuilt(now ops.Rebuilding) string {
	var names, same []string
	for _, p := range now.Parts {
		names = append(names, p.Name)
		if p.Compared > 0 && p.Different == 0 {
			same = append(same, fmt.Sprintf("%s as of event %d", p.Name, p.Compared))
		}
	}
	rate := float64(now.Head) * float64(len(now.Parts)) / max(now.Seconds, 1e-3)
	line := fmt.Sprintf("Rebuilt %s from %s events; took %s, %s events/s", strings.Join(names, " and "),
		humanize.Comma(int64(now.Head)), time.Duration(now.Seconds*float64(time.Second)).Round(time.Millisecond), humanize.Comma(int64(rate)))
	if len(same) > 0 {
		line += "; found no difference from what was in use: " + strings.Join(same, ", ")
	}
	return line + "."
}

// wasWrong says what the comparison has found.
func wasWrong(p ops.RebuildPart) string {
	return fmt.Sprintf("%s was wrong as of event %d, in %s: %s; the new one is in use",
		p.Name, p.Compared, places(p), oneLine(p.First))
}

// places says in how many places a part was wrong.
func places(p ops.RebuildPart) string {
	if p.Different == 1 {
		return "one place"
	}
	return humanize.Comma(int64(p.Different)) + " places, the first of them"
}
