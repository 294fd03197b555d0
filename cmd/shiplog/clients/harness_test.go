//go:build clients

package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"shiplog/cmd/shiplog/process"
)

// program is the binary under test.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "shiplog-clients-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "shiplog")
	build := exec.Command("go", "build", "-o", program, "shiplog/cmd/shiplog")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build: %v\n%s", err, out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// start runs a node on a directory until the test ends.
func start(t *testing.T, data string, flags ...string) *process.Node {
	t.Helper()
	n, err := process.Start(context.Background(), program, data, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Stop() })
	return n
}

// shiplog runs a command of the program and returns what it printed.
func shiplog(t *testing.T, wantExit int, args ...string) (stdout, stderr string) {
	t.Helper()
	return run(t, wantExit, program, args...)
}

// run runs a program that must end with an exit code.
func run(t *testing.T, wantExit int, name string, args ...string) (stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("%s: %v; `make deps` installs what the tests need", name, err)
	}
	if got := cmd.ProcessState.ExitCode(); got != wantExit {
		t.Fatalf("%s %s: exit %d, want %d\n%s%s", name, strings.Join(args, " "), got, wantExit, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// shared is the path of a file of the acceptance samples.
func shared(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("SHIPLOG_SHARED")
	if dir == "" {
		t.Fatal("SHIPLOG_SHARED names no directory; run `make test-clients`")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// get reads an address, which must answer 200.
func get(t *testing.T, url string) []byte {
	t.Helper()
	status, body := fetch(t, url)
	if status != http.StatusOK {
		t.Fatalf("GET %s: %d\n%.500s", url, status, body)
	}
	return body
}

func fetch(t *testing.T, url string) (int, []byte) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

func decode(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v in %.300s", err, raw)
	}
}

// eventually waits until a condition holds, at most for ten seconds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("after ten seconds still not: %s", what)
		case <-tick.C:
		}
	}
}

// settle waits until the pages show everything that was recorded.
func settle(t *testing.T, n *process.Node) {
	t.Helper()
	eventually(t, "the read model is at the head", func() bool {
		var s struct {
			Ledger      struct{ Head uint64 }
			Projections []struct {
				Name     string
				Position uint64
			}
		}
		decode(t, get(t, n.Ops+"/admin/v1/status"), &s)
		return len(s.Projections) > 0 && s.Ledger.Head > 1 && s.Projections[0].Position >= s.Ledger.Head
	})
}

// blockquotes are the texts of a page's blockquotes, as a browser has them.
func blockquotes(t *testing.T, page []byte) []string {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var quotes []string
	for node := range doc.Descendants() {
		if node.Type == html.ElementNode && node.Data == "blockquote" {
			quotes = append(quotes, text(node))
		}
	}
	return quotes
}

func text(node *html.Node) string {
	var b strings.Builder
	for n := range node.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// metric is the value of a sample, as it is written on /metrics.
func metric(t *testing.T, n *process.Node, sample string) float64 {
	t.Helper()
	for line := range strings.Lines(string(get(t, n.Ops+"/metrics"))) {
		if value, ok := strings.CutPrefix(line, sample+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("there is no metric %s", sample)
	return 0
}
