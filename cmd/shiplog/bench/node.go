package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"shiplog/cmd/shiplog/process"
)

// node is a running node and a client of it.
type node struct {
	*process.Node
	client *http.Client
}

// start runs the program on a data directory.
func start(ctx context.Context, program, data string) (*node, error) {
	return startAs(ctx, program, "serve", data)
}

// startAs runs a command of the program that serves.
func startAs(ctx context.Context, program, command, data string) (*node, error) {
	n, err := process.StartAs(ctx, program, command, data, mostBytes...)
	if err != nil {
		return nil, err
	}
	return &node{Node: n, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}}, nil
}

// mostBytes is above what any ledger of a run takes.
var mostBytes = []string{"--max-bytes", "100GiB"}

// end stops the node, and kills one that does not stop.
func (n *node) end() {
	if n.Stop() != nil {
		n.Kill()
	}
}

// post sends events and returns the sequence of the last; it waits and sends
// again while the node is too busy.
func (n *node) post(ctx context.Context, media string, body []byte) (uint64, error) {
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.Base+"/api/v1/events", bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		req.Header.Set("Content-Type", media)
		resp, err := n.client.Do(req)
		if err != nil {
			return 0, err
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return 0, err
		}
		switch resp.StatusCode {
		case http.StatusOK, http.StatusCreated:
			return lastSeq(answer), nil
		case http.StatusTooManyRequests:
			time.Sleep(20 * time.Millisecond)
		default:
			return 0, fmt.Errorf("%s: %.300s", resp.Status, answer)
		}
	}
}

// lastSeq finds the last "seq" of receipts without decoding them all.
func lastSeq(answer []byte) uint64 {
	i := bytes.LastIndex(answer, []byte(`"seq":`))
	if i < 0 {
		return 0
	}
	digits := answer[i+len(`"seq":`):]
	end := bytes.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	seq, err := strconv.ParseUint(string(digits[:max(end, 0)]), 10, 64)
	if err != nil {
		return 0
	}
	return seq
}

// ops asks the operator's listener and reads the last JSON value of the answer,
// whatever its status.
func (n *node) ops(ctx context.Context, method, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, n.Ops+path, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := n.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for values := json.NewDecoder(resp.Body); ; {
		switch err := values.Decode(into); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s %s: %s: %w", method, path, resp.Status, err)
		}
	}
}

// position is how far the read model has come, and how far the ledger.
func (n *node) position(ctx context.Context) (position, head uint64, err error) {
	var s struct {
		Projections []struct {
			Name      string
			Position  uint64
			LagEvents uint64 `json:"lag_events"`
		}
	}
	if err := n.ops(ctx, http.MethodGet, "/admin/v1/status", &s); err != nil {
		return 0, 0, err
	}
	for _, p := range s.Projections {
		if p.Name == "panel" {
			return p.Position, p.Position + p.LagEvents, nil
		}
	}
	return 0, 0, errors.New("the status names no projection")
}

// settle waits until the read model has reached a sequence.
func (n *node) settle(ctx context.Context, seq uint64) error {
	for {
		position, _, err := n.position(ctx)
		if err != nil || position >= seq {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// pause waits before something is asked again.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}
