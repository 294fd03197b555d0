package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

// answer is what a bare handler is to answer.
type answer struct {
	Header http.Header
	Body   []byte
}

// ServeBaseline serves what it reads from in as bare as net/http can, says its
// address in a line on out, and ends when in does. It is a process of its own,
// as the node is.
func ServeBaseline(in io.Reader, out io.Writer) error {
	lines := json.NewDecoder(in)
	var a answer
	if err := lines.Decode(&a); err != nil {
		return fmt.Errorf("read what to answer: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: bareHandler(a), ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	fmt.Fprintf(out, "http://%s\n", l.Addr())
	_, _ = io.Copy(io.Discard, in) // until the other side closes it
	err = server.Close()
	if served := <-done; !errors.Is(served, http.ErrServerClosed) {
		return served
	}
	return err
}

// bareHandler answers the same bytes with the same headers, and 304 to the same
// validator.
func bareHandler(a answer) http.Handler {
	etag := a.Header.Get("Etag")
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		maps.Copy(h, a.Header)
		if etag != "" && req.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		http.ServeContent(w, req, "", time.Time{}, bytes.NewReader(a.Body))
	})
}

// startBaseline runs ServeBaseline in another process and returns its address.
func startBaseline(ctx context.Context, program string, a answer) (base string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, program, "bench-baseline")
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("start the baseline: %w", err)
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait() // it ends when its input does
	}
	if err := json.NewEncoder(in).Encode(a); err != nil {
		stop()
		return "", nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the baseline did not start: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}
