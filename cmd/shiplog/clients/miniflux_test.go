//go:build clients

package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"shiplog/cmd/shiplog/process"
	"shiplog/events/ledger/ledgertest"
)

// background runs a program until the test ends. What it said is shown if the
// test fails.
func background(t *testing.T, as *syscall.Credential, env []string, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.Env = append(os.Environ(), env...)
	if as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
		cmd.Dir = os.TempDir() // where that account may be
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatalf("%v; `make deps` installs what the tests need", err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was told to end
		if t.Failed() {
			t.Logf("%s said:\n%s", name, out.String())
		}
	})
}

// postgres runs a server of its own and returns the address of a database. It
// refuses to be root, so a root lends it the account that came with it.
func postgres(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		t.Fatal("no PostgreSQL; `make deps` installs what the tests need")
	}
	bin := found[len(found)-1]
	dir, err := os.MkdirTemp("", "shiplog-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	var as *syscall.Credential
	if os.Getuid() == 0 {
		account, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.ParseUint(account.Uid, 10, 32)
		gid, _ := strconv.ParseUint(account.Gid, 10, 32)
		as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
	}
	create := exec.Command(filepath.Join(bin, "initdb"), "-D", dir, "-A", "trust", "-U", "reader", "--no-sync", "-E", "UTF8", "--locale", "C")
	create.SysProcAttr, create.Dir = &syscall.SysProcAttr{Credential: as}, dir
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	host, port, err := net.SplitHostPort(ledgertest.ReserveAddr(t))
	if err != nil {
		t.Fatal(err)
	}
	background(t, as, nil, filepath.Join(bin, "postgres"), "-D", dir, "-k", dir, "-p", port, "-c", "listen_addresses="+host, "-c", "fsync=off")
	eventually(t, "PostgreSQL listens", func() bool {
		c, err := net.Dial("tcp", net.JoinHostPort(host, port))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return fmt.Sprintf("postgres://reader@%s:%s/postgres?sslmode=disable", host, port)
}

// A miniflux is a server that reads feeds for one reader.
type miniflux struct {
	t    *testing.T
	base string
}

func startMiniflux(t *testing.T) *miniflux {
	t.Helper()
	addr := ledgertest.ReserveAddr(t)
	background(t, nil, []string{
		"DATABASE_URL=" + postgres(t), "LISTEN_ADDR=" + addr, "BASE_URL=http://" + addr, "RUN_MIGRATIONS=1",
		"CREATE_ADMIN=1", "ADMIN_USERNAME=reader", "ADMIN_PASSWORD=reader-of-feeds", "DISABLE_SCHEDULER_SERVICE=1",
		"FETCHER_ALLOW_PRIVATE_NETWORKS=1",
	}, "../../../tools/clients/bin/miniflux")
	m := &miniflux{t: t, base: "http://" + addr}
	eventually(t, "Miniflux answers", func() bool {
		resp, err := http.Get(m.base + "/healthcheck")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK
	})
	return m
}

// call asks the API and reads the answer, if there is one.
func (m *miniflux) call(method, path string, body, into any) {
	m.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		m.t.Fatal(err)
	}
	r, err := http.NewRequest(method, m.base+path, bytes.NewReader(raw))
	if err != nil {
		m.t.Fatal(err)
	}
	r.SetBasicAuth("reader", "reader-of-feeds")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusBadRequest {
		m.t.Fatalf("%s %s: %s %v\n%s", method, path, resp.Status, err, answer)
	}
	if into != nil {
		decode(m.t, answer, into)
	}
}

type minifluxEntries struct {
	Total   int
	Entries []struct{ Hash, Title, URL, Author, Content string }
}

// refreshed are a feed's entries after it was asked for once more.
func (m *miniflux) refreshed(feed int) (e minifluxEntries) {
	m.t.Helper()
	path := fmt.Sprintf("/v1/feeds/%d", feed)
	m.call(http.MethodPut, path+"/refresh", nil, nil)
	m.call(http.MethodGet, path+"/entries?limit=1000&order=published_at&direction=desc", nil, &e)
	var f struct {
		Errors int    `json:"parsing_error_count"`
		Why    string `json:"parsing_error_message"`
	}
	m.call(http.MethodGet, path, nil, &f)
	if f.Errors > 0 {
		m.t.Errorf("Miniflux could not read the feed: %s", f.Why)
	}
	return e
}

// notModified is how many requests for feeds of reviews were answered 304.
func notModified(t *testing.T, n *process.Node) (count int) {
	t.Helper()
	for line := range strings.Lines(string(get(t, n.Ops+"/metrics"))) {
		if value, ok := strings.CutPrefix(line, `shiplog_feed_requests_total{code="3xx",feed="reviews",format="atom"} `); ok {
			count, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	return count
}

// A server that reads feeds for others finds them from the home page, takes
// each item once, and spares both sides what it has.
func TestClientMiniflux(t *testing.T) {
	m := startMiniflux(t)
	addr := ledgertest.ReserveAddr(t)
	n := start(t, t.TempDir(), "--demo", "--http", addr, "--base-url", "http://"+addr)
	settle(t, n)
	var found []struct{ URL, Title, Type string }
	m.call(http.MethodPost, "/v1/discover", map[string]string{"url": n.Base + "/"}, &found)
	address := ""
	for _, f := range found {
		if f.URL == n.Base+"/feeds/reviews.atom" {
			address = f.URL
			if !strings.HasPrefix(f.Title, "Shiplog: Reviews") || f.Type != "atom" {
				t.Errorf("found as %+v", f)
			}
		}
	}
	if address == "" {
		t.Fatalf("no feed of reviews among %+v", found)
	}
	var created struct {
		ID int `json:"feed_id"`
	}
	m.call(http.MethodPost, "/v1/feeds", map[string]any{"feed_url": address, "category_id": 1}, &created)
	first := m.refreshed(created.ID)
	if first.Total < 50 {
		t.Fatalf("%d entries, want a window", first.Total)
	}
	seen := map[string]bool{}
	for _, e := range first.Entries {
		if seen[e.Hash] || e.Title == "" || e.Author == "" || !strings.HasPrefix(e.URL, n.Base+"/tools/") || !strings.Contains(e.Content, "<blockquote") && !strings.HasSuffix(e.Title, "withdrawn") {
			t.Errorf("an entry twice, or without a part: %+v", e)
		}
		seen[e.Hash] = true
	}
	before := notModified(t, n)
	again := m.refreshed(created.ID)
	if got := notModified(t, n); got != before+1 || again.Total != first.Total {
		t.Errorf("%d answers 304 after %d, %d entries after %d", got, before, again.Total, first.Total)
	}
	publish(t, n, "new", says("skeptic", "newly", "ship", "I <3 Vec<T> & more."))
	after := m.refreshed(created.ID)
	if after.Total != first.Total+1 {
		t.Errorf("%d entries after a new review, want %d", after.Total, first.Total+1)
	}
	publish(t, n, "edits", says("skeptic", "newly", "ship", "I <3 Vec<T>, and more."), [2]string{"tool.registered", `{"tool":"newly","name":"Newly named"}`})
	if edited := m.refreshed(created.ID); edited.Total != after.Total {
		t.Errorf("%d entries after an edit and a rename, want %d", edited.Total, after.Total)
	}
}
