package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"shiplog/ops"
)

// Run has an event ignored.
func (c *SkipCmd) Run(ctx context.Context, std *stdio) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	ask, err := json.Marshal(ops.Skip{Seq: c.Seq, Reason: c.Reason})
	if err != nil {
		return err
	}
	r, err := client.call(ctx, readTimeout, http.MethodPost, "/admin/v1/skip", "application/json", ask)
	if err != nil {
		return err
	}
	if r.status != http.StatusOK {
		return refusedByNode(client, r)
	}
	var done ops.Skipped
	if err := json.Unmarshal(r.body, &done); err != nil {
		return client.strange(r)
	}
	if c.JSON {
		return std.printJSON(json.RawMessage(r.body))
	}
	if done.Recorded == 0 {
		fmt.Fprintf(std.out, "Event %d is ignored already.\n", done.Seq)
		return nil
	}
	fmt.Fprintf(std.out, "Event %d is ignored by every node and in every rebuild; recorded as event %d.\n", done.Seq, done.Recorded)
	return nil
}

// refusedByNode is the error of something a node does not do: the answer no
// where the node has judged it, else that it could not be asked.
func refusedByNode(c *client, r *reply) error {
	err := c.refused(r)
	switch r.status {
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusNotFound, http.StatusInsufficientStorage:
		return no("%s", err)
	}
	return err
}
