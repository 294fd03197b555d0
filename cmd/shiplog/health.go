package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"shiplog/ops"
)

// Run asks a node how it is. It exits 0 or 1 and nothing else, as container
// runtimes want it.
func (c *HealthCmd) Run(ctx context.Context, std *stdio) error {
	client, err := c.client()
	if err != nil {
		return no("%s", err)
	}
	path, well := "/healthz", "alive"
	if c.Ready {
		path, well = "/readyz", "ready"
	}
	if err := c.ask(ctx, client, path, well); err != nil {
		return err
	}
	fmt.Fprintln(std.out, well)
	return nil
}

// askEvery is how long --wait lets pass before it asks again.
const askEvery = 200 * time.Millisecond

// ask asks until the node is well, for as long as it may take.
func (c *HealthCmd) ask(ctx context.Context, client *client, path, well string) error {
	patience := time.After(c.Wait)
	for {
		err := c.once(ctx, client, path, well)
		if err == nil || c.Wait == 0 {
			return err
		}
		select {
		case <-time.After(askEvery):
		case <-patience:
			return err
		case <-ctx.Done():
			return err
		}
	}
}

func (c *HealthCmd) once(ctx context.Context, client *client, path, well string) error {
	r, err := client.call(ctx, c.Timeout, http.MethodGet, path, "", nil)
	if err != nil {
		return no("%s", err)
	}
	if r.status != http.StatusOK {
		return no("not %s: %s", well, unwell(client, r))
	}
	return nil
}

// unwell says what is wrong with a node.
func unwell(c *client, r *reply) string {
	var body struct {
		Checks []ops.Finding `json:"checks"`
	}
	_ = json.Unmarshal(r.body, &body) // what is no JSON has no checks
	var wrong []string
	for _, f := range body.Checks {
		if !f.OK {
			wrong = append(wrong, f.Name+": "+oneLine(f.Detail))
		}
	}
	if len(wrong) == 0 {
		return c.refused(r).Error()
	}
	return strings.Join(wrong, "; ")
}
