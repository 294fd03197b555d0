package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// node is a running `shiplog serve`.
type node struct {
	cmd    *exec.Cmd
	base   string // http://…
	ops    string
	client *http.Client
}

// start runs the program on a data directory and waits until it serves.
func start(ctx context.Context, program, data string) (*node, error) {
	cmd := exec.CommandContext(ctx, program, "serve", "--data", data, "--http", "127.0.0.1:0", "--ops", "127.0.0.1:0",
		"--nats-listen", "127.0.0.1:-1", "--log-format", "json", "--max-bytes", "100GiB")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	n := &node{cmd: cmd, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}}
	if err := n.addresses(stderr); err != nil {
		_ = cmd.Process.Kill()
		return nil, errors.Join(err, cmd.Wait())
	}
	return n, nil
}

// addresses reads the log until the node says where it serves, and drops the
// rest of it.
func (n *node) addresses(stderr io.Reader) error {
	lines := bufio.NewScanner(stderr)
	last := ""
	for lines.Scan() {
		var entry struct{ Msg, HTTP, Ops string }
		last = lines.Text()
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "serving" {
			n.base, n.ops = "http://"+entry.HTTP, "http://"+entry.Ops
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return nil
		}
	}
	return fmt.Errorf("the node did not start: %s", last)
}

// stop ends the node as an operator would.
func (n *node) stop() error {
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return n.cmd.Wait()
}

// post sends events and returns the sequence of the last; it waits and sends
// again while the node is too busy.
func (n *node) post(ctx context.Context, media string, body []byte) (uint64, error) {
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.base+"/api/v1/events", bytes.NewReader(body))
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

// position is how far the read model has come, and how far the ledger.
func (n *node) position(ctx context.Context) (position, head uint64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.ops+"/admin/v1/status", http.NoBody)
	if err != nil {
		return 0, 0, err
	}
	resp, err := n.client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	var s struct {
		Projections []struct {
			Name      string
			Position  uint64
			LagEvents uint64 `json:"lag_events"`
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
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
		time.Sleep(20 * time.Millisecond)
	}
}

// peakMemory is the most memory the node has had resident, in bytes.
func (n *node) peakMemory() float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if kib, found := strings.CutPrefix(line, "VmHWM:"); found {
			v, _ := strconv.ParseFloat(strings.Fields(kib)[0], 64)
			return v * 1024
		}
	}
	return 0
}
