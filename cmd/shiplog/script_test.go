package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/rogpeppe/go-internal/testscript"

	"shiplog/ops"
)

// waitTime bounds how long a script waits for something that should be there at
// once.
const waitTime = 20 * time.Second

// startApp starts a node from a command line of serve, on ports that are free
// unless the command line says otherwise. The caller stops it.
func startApp(ctx context.Context, dir string, flags ...string) (*App, error) {
	return startLogging(ctx, io.Discard, dir, flags...)
}

// startLogging starts a node that writes its log somewhere.
func startLogging(ctx context.Context, log io.Writer, dir string, flags ...string) (*App, error) {
	var cli CLI
	build := ops.Build{Version: "test", Revision: "test"}
	parser, err := newParser(ctx, &cli, &stdio{in: bytes.NewReader(nil), out: io.Discard, err: io.Discard}, build)
	if err != nil {
		return nil, err
	}
	args := []string{"serve", "--data", dir, "--http", "127.0.0.1:0", "--ops", "127.0.0.1:0", "--nats-listen", "127.0.0.1:0"}
	if _, err := parser.Parse(append(args, flags...)); err != nil {
		return nil, err
	}
	app := NewApp(cli.Serve, build, ops.NewLog(log, "json", slog.LevelInfo))
	if err := app.Start(ctx); err != nil {
		return nil, errors.Join(err, app.Stop())
	}
	return app, nil
}

// scriptKey is where a script keeps its [script].
type scriptKey struct{}

// A script is what the commands of one script share.
type script struct {
	app       *App
	http, ops string // addresses, the same when the node starts again
}

func scriptOf(ts *testscript.TestScript) *script { return ts.Value(scriptKey{}).(*script) }

// commands are the commands of scripts:
//
//	node start [FLAG…]    start a node; SHIPLOG_TO and SHIPLOG_OPS_URL name it,
//	                      NODE_NATS its embedded NATS server
//	node stop             stop it
//	exits CODE PROG ARG…  run a program that exits with a code
//	waitfor FILE PATTERN  wait until the file matches
//	tools N FILE          write events of so many tools to a file
//	inbox FILE            publish the bytes of a file to the inbox
//	fetch PATH FILE       write what a page answers to a file
//	waitrejected N        wait until so many events are rejected
//	faulty FAULT…         put a proxy before the node: what befalls each request
//	                      to record, one after the other: ok, busy, unavailable,
//	                      lose (the receipt is lost)
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"node":         node,
		"exits":        exits,
		"waitfor":      waitFor,
		"tools":        tools,
		"inbox":        inbox,
		"fetch":        fetch,
		"waitrejected": waitRejected,
		"faulty":       faulty,
	}
}

func node(ts *testscript.TestScript, _ bool, args []string) {
	s := scriptOf(ts)
	switch args[0] {
	case "start":
		flags := append([]string{"--http", s.http, "--ops", s.ops}, args[1:]...)
		app, err := startApp(context.Background(), filepath.Join(ts.Getenv("WORK"), "data"), flags...)
		ts.Check(err)
		s.app = app
		ts.Setenv("SHIPLOG_TO", "http://"+s.http)
		ts.Setenv("SHIPLOG_OPS_URL", "http://"+s.ops)
		ts.Setenv("NODE_NATS", app.natsURL())
		ts.Defer(s.stop(ts))
	case "stop":
		s.stop(ts)()
	default:
		ts.Fatalf("usage: node start|stop")
	}
}

func (s *script) stop(ts *testscript.TestScript) func() {
	return func() {
		if s.app != nil {
			ts.Check(s.app.Stop())
			s.app = nil
		}
	}
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exits %d, want %d", got, want)
	}
}

// until waits for a condition.
func until(ts *testscript.TestScript, what string, condition func() bool) {
	deadline := time.NewTimer(waitTime)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline.C:
			ts.Fatalf("waited %s for %s", waitTime, what)
		}
	}
}

func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	until(ts, args[1], func() bool {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && pattern.Match(text)
	})
}

func tools(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"specversion":"1.0","id":"many-%d","source":"/test","type":"shiplog.tool.registered.v1","data":{"tool":"many-%d","name":"Many"}}`+"\n", i, i)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o600))
}

func inbox(ts *testscript.TestScript, _ bool, args []string) {
	conn, err := nats.Connect(scriptOf(ts).app.natsURL())
	ts.Check(err)
	defer conn.Close()
	// The stream answers when it has stored the event.
	_, err = conn.Request("shiplog.inbox.local", []byte(ts.ReadFile(args[0])), waitTime)
	ts.Check(err)
}

func fetch(ts *testscript.TestScript, _ bool, args []string) {
	s := scriptOf(ts)
	head, err := s.app.ledger.Head(context.Background())
	ts.Check(err)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+s.http+args[0], http.NoBody)
	ts.Check(err)
	req.Header.Set("Shiplog-Min-Seq", strconv.FormatUint(head, 10))
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	ts.Check(err)
	if res.StatusCode != http.StatusOK {
		ts.Fatalf("%s: %s: %s", args[0], res.Status, body)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), body, 0o600))
}

func waitRejected(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.ParseUint(args[0], 10, 64)
	ts.Check(err)
	until(ts, args[0]+" rejected events", func() bool {
		n, err := scriptOf(ts).app.ledger.RejectedCount(context.Background())
		ts.Check(err)
		return n == want
	})
}

func faulty(ts *testscript.TestScript, _ bool, faults []string) {
	p := &proxy{to: "http://" + scriptOf(ts).http, faults: slices.Clone(faults)}
	server := httptest.NewServer(p)
	ts.Defer(server.Close)
	ts.Setenv("SHIPLOG_TO", server.URL)
}

// A proxy passes requests on, and spoils some.
type proxy struct {
	to string

	mu     sync.Mutex
	faults []string
}

func (p *proxy) fault() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.faults) == 0 {
		return "ok"
	}
	fault := p.faults[0]
	p.faults = p.faults[1:]
	return fault
}

// ServeHTTP implements [http.Handler].
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := p.fault()
	switch fault {
	case "busy", "unavailable":
		status := map[string]int{"busy": http.StatusTooManyRequests, "unavailable": http.StatusServiceUnavailable}[fault]
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"status":%d,"detail":"the node is %s"}`, status, fault)
		return
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, p.to+r.URL.RequestURI(), r.Body)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", r.Header.Get("Content-Type"))
	res, err := http.DefaultClient.Do(req)
	if err != nil || fault == "lose" {
		drop(w)
		return
	}
	defer res.Body.Close()
	w.Header().Set("Content-Type", res.Header.Get("Content-Type"))
	w.WriteHeader(res.StatusCode)
	_, _ = io.Copy(w, res.Body)
}

// drop breaks the connection.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}
