package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shiplog/ops"
)

// command runs a command line and returns its exit code and what it printed.
func command(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var b bytes.Buffer
	code = run(t.Context(), args, &stdio{in: bytes.NewReader(nil), out: &b, err: &b}, ops.Build{Version: "test"})
	return code, b.String()
}

// damaged is the data directory of a stopped node with a byte flipped in a block
// of its ledger. The event it is in is the third.
func damaged(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	app, err := startApp(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	events := filepath.Join(t.TempDir(), "events.jsonl")
	var lines strings.Builder
	for i := range 20 {
		fmt.Fprintf(&lines, `{"specversion":"1.0","id":"d-%d","source":"/test","type":"shiplog.tool.registered.v1","data":{"tool":"tool-%d","name":"Tool number %d"}}`+"\n", i, i, i)
	}
	if err := os.WriteFile(events, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := command(t, "submit", "--to", "http://"+app.Addr(), events); code != exitYes {
		t.Fatal(out)
	}
	if err := app.runner.WaitFor(t.Context(), 21); err != nil {
		t.Fatal(err)
	}
	if err := app.Stop(); err != nil {
		t.Fatal(err)
	}
	blocks, err := filepath.Glob(filepath.Join(dir, "nats", "jetstream", "*", "streams", "SHIPLOG_LEDGER", "msgs", "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatalf("blocks %v: %v", blocks, err)
	}
	raw, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(raw, []byte("Tool number 1\""))
	raw[at] ^= 0x20
	if err := os.WriteFile(blocks[0], raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestVerifyNamesAFlippedByte(t *testing.T) {
	dir := damaged(t)
	for _, args := range [][]string{{"verify", "--data", dir}, {"verify", "--data", dir, "--chain"}} {
		code, out := command(t, args...)
		if code != exitNo || !strings.HasPrefix(out, "shiplog: event 3 is missing") {
			t.Errorf("%v exits %d: %s", args, code, out)
		}
	}
	if code, out := command(t, "verify", "--data", dir, "--json"); code != exitNo || !strings.HasPrefix(out, `{"fault":{"seq":3,`) {
		t.Errorf("as JSON it exits %d: %s", code, out)
	}
}

// TestDamageTurnsANodeRed starts a node on a damaged ledger. Its read model is
// at the head already, so that only reading all of the ledger finds it.
func TestDamageTurnsANodeRed(t *testing.T) {
	app, err := startApp(t.Context(), damaged(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := app.Stop(); err != nil {
			t.Error(err)
		}
	}()
	page := "http://" + app.Addr() + "/tools/tool-1"
	wait(t, "readiness to name the event", func() bool {
		code, body := answerOf(t, "http://"+app.OpsAddr()+"/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(body, "the ledger is damaged: event 3 is missing")
	})
	wait(t, "the metric of gaps", func() bool {
		_, body := answerOf(t, "http://"+app.OpsAddr()+"/metrics")
		return strings.Contains(body, "\nshiplog_ledger_gaps_total 1\n")
	})
	code, out := command(t, "review", "--to", "http://"+app.Addr(), "--retry-for", "0s", "--tool", "tool-1", "--reviewer", "me", "--reviewer-name", "Me", "--verdict", "ship", "--body", "Good.")
	if code == exitYes || !strings.Contains(out, "event 3 is missing") {
		t.Errorf("a review is taken: %d %s", code, out)
	}
	if code, _ := answerOf(t, page); code != http.StatusOK {
		t.Errorf("readers get %d, not the last good state", code)
	}
	if code, out := command(t, "verify", "--ops-url", "http://"+app.OpsAddr()); code != exitNo || !strings.Contains(out, "event 3 is missing") {
		t.Errorf("verify exits %d: %s", code, out)
	}
	file := filepath.Join(t.TempDir(), "backup.jsonl")
	if code, out := command(t, "export", "--ops-url", "http://"+app.OpsAddr(), file); code != exitNo || !strings.Contains(out, "event 3 is missing") {
		t.Errorf("export exits %d: %s", code, out)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a damaged ledger was exported")
	}
}

func answerOf(t *testing.T, url string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func wait(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.NewTimer(waitTime)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("waited %s for %s", waitTime, what)
		}
	}
}
