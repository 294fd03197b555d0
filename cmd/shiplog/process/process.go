// Package process runs the program as a process of its own, as an operator
// would: to measure it, and to test what only shows from outside.
package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Node is a running `shiplog serve`.
type Node struct {
	Base string // http://… of pages, API and feeds
	Ops  string // http://… of metrics and administration
	NATS string // nats://… of the embedded server

	cmd     *exec.Cmd
	serving chan error // how the start went, once that is known; see Serving
}

// StartKilled is as [Start], but kills the node when the context ends before it
// serves, wherever in its start it is.
func StartKilled(ctx context.Context, program, data string, flags ...string) (*Node, error) {
	n, stderr, err := begin(context.Background(), program, "serve", data, flags...)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = n.cmd.Process.Kill() })
	if err := n.addresses(stderr); err != nil {
		return nil, errors.Join(err, n.cmd.Wait())
	}
	if err := n.Serving(); err != nil {
		return nil, errors.Join(err, n.cmd.Wait())
	}
	if !stop() {
		return nil, errors.Join(ctx.Err(), n.cmd.Wait())
	}
	return n, nil
}

// Start runs the program on a data directory, on free ports of the loopback
// interface unless the flags say otherwise, and returns when it serves.
func Start(ctx context.Context, program, data string, flags ...string) (*Node, error) {
	return StartAs(ctx, program, "serve", data, flags...)
}

// StartAs does so with another command that serves.
func StartAs(ctx context.Context, program, command, data string, flags ...string) (*Node, error) {
	n, err := show(ctx, program, command, data, flags...)
	if err != nil {
		return nil, err
	}
	if err := n.Serving(); err != nil {
		return nil, errors.Join(err, n.cmd.Wait())
	}
	return n, nil
}

// Show is as [Start], but returns as soon as the node shows pages, which it does
// before its ledger is open where it has any to show. NATS is not known then.
func Show(ctx context.Context, program, data string, flags ...string) (*Node, error) {
	return show(ctx, program, "serve", data, flags...)
}

func show(ctx context.Context, program, command, data string, flags ...string) (*Node, error) {
	n, stderr, err := begin(ctx, program, command, data, flags...)
	if err != nil {
		return nil, err
	}
	if err := n.addresses(stderr); err != nil {
		_ = n.cmd.Process.Kill()
		return nil, errors.Join(err, n.cmd.Wait())
	}
	return n, nil
}

// begin runs the program. What it logs is read from stderr.
func begin(ctx context.Context, program, command, data string, flags ...string) (*Node, io.Reader, error) {
	args := append([]string{
		command, "--data", data, "--http", "127.0.0.1:0", "--ops", "127.0.0.1:0",
		"--nats-listen", "127.0.0.1:0", "--log-format", "json",
	}, flags...)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start %s: %w", program, err)
	}
	return &Node{cmd: cmd}, stderr, nil
}

// The messages by which a node logs where it shows pages, and that it serves.
const (
	shownMessage   = "pages are shown as they were left, the ledger is being opened"
	servingMessage = "serving"
)

// addresses reads the log until the node says where it shows pages, and goes on
// until it serves; the rest is dropped.
func (n *Node) addresses(stderr io.Reader) error {
	lines := bufio.NewScanner(stderr)
	first, err := next(lines)
	if err != nil {
		return err
	}
	n.Base, n.Ops, n.NATS = "http://"+first.HTTP, "http://"+first.Ops, first.NATS
	n.serving = make(chan error, 1)
	if first.Msg == servingMessage {
		n.serving <- nil
		go func() { _, _ = io.Copy(io.Discard, stderr) }()
		return nil
	}
	go func() {
		second, err := next(lines)
		n.NATS = second.NATS
		n.serving <- err
		_, _ = io.Copy(io.Discard, stderr)
	}()
	return nil
}

// A message is what a node logs of where it is to be found.
type message struct{ Msg, HTTP, Ops, NATS string }

// next reads the log until the next of them.
func next(lines *bufio.Scanner) (message, error) {
	last := ""
	for lines.Scan() {
		var m message
		last = lines.Text()
		if json.Unmarshal(lines.Bytes(), &m) == nil && (m.Msg == shownMessage || m.Msg == servingMessage) {
			return m, nil
		}
	}
	return message{}, fmt.Errorf("the node did not start: %s", last)
}

// Serving waits until the node serves, or does not start. It is asked once.
func (n *Node) Serving() error { return <-n.serving }

// Stop ends the node as an operator would, and reports how it ended.
func (n *Node) Stop() error {
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return n.cmd.Wait()
}

// Kill ends the node as a power cut would, but for the disk's own cache.
func (n *Node) Kill() {
	_ = n.cmd.Process.Kill()
	_ = n.cmd.Wait() // killed: the error says no more
}

// ForgetPeak has PeakMemory begin anew, where the system can.
func (n *Node) ForgetPeak() {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", n.cmd.Process.Pid), []byte("5"), 0) // proc_pid_clear_refs(5)
}

// PeakMemory is the most memory the node has had resident since its start or
// ForgetPeak, in bytes; 0 where the system does not tell.
func (n *Node) PeakMemory() float64 {
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
